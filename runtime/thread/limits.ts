import { limits } from "#base";

/**
 * Not to be changed for one runtime: the store has its own bound on keys, both ends of a link count the same names,
 * the main thread ends a worker that is stuck, and all nodes judge one another alike.
 */
type Fixed =
  | "keyBytesMax"
  | "linkShapeNamesMax"
  | "workerStuckMs"
  | "memberBeatMs"
  | "memberSuspectMs"
  | "versionsApartMax";

/** The bounds a runtime is started with: the defaults of base/limits/, any of them changed. All of runtime/ reads these. */
export type RuntimeLimits = { readonly [Name in Exclude<keyof typeof limits, Fixed>]: number };

export function runtimeLimits(changed: Partial<RuntimeLimits> | undefined): RuntimeLimits {
  return { ...limits, ...changed };
}
