/**
 * The service tests itself: suites of cases, one file per surface, and what runs them against the listeners of this node. It holds no
 * data; a run that is cut off leaves nothing but its sandbox tenant, which actors/conformance purges.
 */
export { createRunner, targetsOf } from "./runner.ts";
export { sandboxPrincipal } from "./sandbox-key.ts";
export type { Targets } from "./wire.ts";
