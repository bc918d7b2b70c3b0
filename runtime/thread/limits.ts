import { limits } from "#base";

/** The bounds a runtime is started with: the defaults of base/limits.ts, any of them changed. */
export type RuntimeLimits = { readonly [Name in keyof typeof limits]: number };

export function runtimeLimits(changed: Partial<RuntimeLimits> | undefined): RuntimeLimits {
  return { ...limits, ...changed };
}
