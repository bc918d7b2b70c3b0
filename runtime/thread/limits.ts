import { limits } from "#base";

/**
 * Not to be changed for one runtime: the store has its own bound on keys, both ends of a link count the same names, and
 * the main thread ends a worker that is stuck.
 */
type Fixed = "keyBytesMax" | "linkShapeNamesMax" | "workerStuckMs";

/** The bounds a runtime is started with: the defaults of base/limits.ts, any of them changed. All of runtime/ reads these. */
export type RuntimeLimits = { readonly [Name in Exclude<keyof typeof limits, Fixed>]: number };

export function runtimeLimits(changed: Partial<RuntimeLimits> | undefined): RuntimeLimits {
  return { ...limits, ...changed };
}
