import type { Refusal } from "#base";
import type { Address, Caller } from "./actor.ts";
import type { EventPage, EventsFrom, PastEvents } from "./event-page.ts";

/** A question to one entity, from a gateway or from another entity's orchestration. */
export interface Ask {
  readonly to: Address;
  /** `PoolService.GetPool`: a key of the definition's `methods`. */
  readonly method: string;
  readonly request: unknown;
  readonly caller: Caller;
  readonly idempotency?: IdempotencyRef | undefined;
  /** Wall-clock time after which the caller no longer waits. */
  readonly deadlineMs: number;
  readonly signal?: Cancellation | undefined;
  /** Size of the request as it came in, for the mailbox's bound by bytes; absent: estimated. */
  readonly bytes?: number | undefined;
}

/** The part of an AbortSignal the runtime looks at; between threads something lighter stands in for it. */
export interface Cancellation {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface IdempotencyRef {
  /** Tenant, principal, method and key in one string; the entity's address completes the scope. */
  readonly scope: string;
  /** Of the canonical message: the same key with another body is refused. */
  readonly fingerprint: string;
  /** Members of the answer that are not kept for a repeat: secrets that are shown once. */
  readonly omit?: readonly string[];
}

export type Answer = Refusal | { readonly response: unknown; readonly replayed: boolean };

/** How everything above the runtime reaches entities; the owner may be this thread, another one or another node. */
export interface Asker {
  ask(ask: Ask): Promise<Answer>;
  /** As `ask`, with a callback: for callers that would only throw the promise away. */
  post(ask: Ask, reply: (answer: Answer) => void): void;
  /** Events of a tenant after the cursor, then new ones, ordered per shard; page by page, also empty ones. */
  readonly subscribe?: (from: EventsFrom, signal: Cancellation) => AsyncIterable<EventPage>;
  /** Events of a tenant that are kept, newest first. */
  readonly pastEvents?: (tenant: string, past: PastEvents) => Promise<EventPage["events"] | Refusal>;
}
