import type { Kind } from "./kinds.ts";

export interface Setting<T> {
  readonly kind: Kind<T>;
  readonly default: T;
  /** What `service dev` takes instead. */
  readonly dev?: T;
  /** What it does, and why the default is what it is. */
  readonly reason: string;
  /** Never printed. */
  readonly secret?: true;
  /** A tenant may have a value of its own, kept in `tenant.settings`. */
  readonly dynamic?: "tenant";
}

/** Named options, one shape for all kinds. */
export function setting<T>(kind: Kind<T>, options: Omit<Setting<NoInfer<T>>, "kind">): Setting<T> {
  return { kind, ...options };
}
