/**
 * What the service says about itself: the OpenAPI document, its reference page, the meaning of every error, and the
 * methods that report services, capabilities and dynamic settings. Everything is derived from the contract and the
 * configuration; nothing is kept.
 */
export { discoveryHandlers } from "./handlers.ts";
export { discoveryPages } from "./pages.ts";
