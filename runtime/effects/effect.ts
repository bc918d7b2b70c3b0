import type { Address } from "../address.ts";

/** What an entity asks to be done outside, in the commit that decides it. */
export interface EffectRequest {
  readonly kind: string;
  readonly dueMs: number;
  /** Effects of one lane share a bound; absent: the entity is the lane. */
  readonly lane?: string;
  readonly body: unknown;
}

/** One attempt, as its handler sees it: with the body that its entity asks for. */
export interface EffectRun<Body = unknown> {
  readonly address: Address;
  /** The same in every attempt: the key by which an outside system knows a repeat. */
  readonly id: string;
  readonly attempt: number;
  readonly body: Body;
  /** An earlier attempt began: what it did outside may have happened. Without it, nothing has. */
  readonly begun: boolean;
  /** Aborted when the lease is over, the effect is ended, or the shard is given up. */
  readonly signal: AbortSignal;
  /**
   * To be called just before bytes leave: commits the mark that `begun` shows, and answers with what the entity decides to
   * tell now. Throws a RefusalError where the entity refuses.
   */
  begin(): Promise<unknown>;
  extend(): void;
}

/** Ordinary asynchronous code. What it returns is handed to the entity; if it throws, the effect is run again. */
export interface EffectHandler<Body = never> {
  readonly run: (run: EffectRun<Body>) => Promise<unknown>;
  /** Attempts under way in one lane and thread; unset: `limits.effectLaneMax`. */
  readonly laneMax?: number;
  /** It only waits, and holds nothing meanwhile: it takes no place of those that work, and a drain does not wait for it. */
  readonly waits?: true;
  /** How long an attempt may take before it is run again; unset: `limits.effectLeaseMs`. */
  readonly leaseMs?: number;
}

export type EffectHandlers = Readonly<Record<string, EffectHandler>>;

/** What an entity is told of an effect. */
export type EffectStep<Result = unknown> =
  | { readonly type: "begin"; readonly id: string; readonly attempt: number }
  | { readonly type: "done"; readonly id: string; readonly attempt: number; readonly result: Result };
