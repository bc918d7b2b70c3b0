import { type Refusal, refuse } from "#base";
import { StorageError } from "#storage";
import type { Address } from "./actor.ts";

// Why the runtime says no, where more than one of its parts says it.

export function drainingRefusal(): Refusal {
  return refuse("UNAVAILABLE", "this server is shutting down", { reason: "DRAINING", retryAfterMs: 1_000 });
}

export function fullRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the disk is full", { reason: "STORAGE_FULL", retryAfterMs: 1_000 });
}

/** This node cannot reach the store, so others may have its shards. */
export function cutOffRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the store cannot be reached", { retryAfterMs: 1_000 });
}

/** Surely nothing happened: the shard was not here, or the fence kept the commit out. So it may be asked again elsewhere. */
export function lostRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the shard has another owner now", { reason: "MOVED", retryAfterMs: 200 });
}

export function isLost({ code, reason }: Refusal): boolean {
  return code === "UNAVAILABLE" && reason === "MOVED";
}

export function isolatedRefusal({ kind, key }: Address, failures: number): Refusal {
  return refuse(
    "UNAVAILABLE",
    `${kind} ${key} failed ${failures} times within a minute and is isolated for now`,
    { reason: "ENTITY_ISOLATED", retryAfterMs: 60_000 },
  );
}

/** For a caller who waits while a part of what it asked for is stored: not to be asked again without a key. */
export function begunRefusal(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "this was begun, and its shard has another owner now; repeat it with the same idempotency key",
    { retryAfterMs: 200 },
  );
}

export function undelivered(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "this is stored, and where it was sent it has not arrived yet; repeat it with the same idempotency key",
    { retryAfterMs: 1_000 },
  );
}

export function reusedKey(): Refusal {
  return refuse("IDEMPOTENCY_KEY_REUSED", "this idempotency key was used with another request");
}

/** What is stored contradicts itself: trying again does not help, an operator has to restore it. */
export function isCorruption(failure: unknown): boolean {
  return failure instanceof StorageError && failure.kind === "corrupt";
}

/** Without a time after which to repeat: only an operator can end it. */
export function corruptRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the stored data of this shard is corrupt; the operator has to restore it", {
    reason: "DATA_DAMAGED",
  });
}

/** For a caller whose rows could not be read. */
export function unreadRefusal(failure: unknown): Refusal {
  return isCorruption(failure)
    ? corruptRefusal()
    : refuse("UNAVAILABLE", "the tables did not answer", { retryAfterMs: 1_000 });
}
