/** Health, readiness and metrics: what operators and orchestrators look at. Holds no state. */
export { type Operations, operationsPages } from "./pages.ts";
export { operationsPaths } from "./paths.ts";
export { type Component, type Readiness, readinessOf, readinessTimeoutMs } from "./readiness.ts";
