import { type Refusal, refuse } from "#base";
import { StorageError } from "#storage";
import type { Thread } from "./thread.ts";

/** What is stored contradicts itself: trying again does not help, an operator has to restore it. */
export function isDamage(failure: unknown): boolean {
  return failure instanceof StorageError && failure.kind === "corrupt";
}

/** Without a time after which to repeat: only an operator can end it. */
export function damagedRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the stored data of this shard is damaged; the operator has to restore it", {
    reason: "DATA_DAMAGED",
  });
}

/** For a caller whose rows could not be read. */
export function unreadRefusal(failure: unknown): Refusal {
  return isDamage(failure)
    ? damagedRefusal()
    : refuse("UNAVAILABLE", "the tables did not answer", { retryAfterMs: 1_000 });
}

/** Shards of a thread in which something stored is damaged. Each is logged once, and shown until the thread ends. */
export class Damage {
  readonly #thread: Thread;
  readonly #shards = new Set<number>();
  /** Those that were given up. */
  readonly #closed = new Set<number>();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  get shards(): readonly number[] {
    return [...this.#shards].sort((a, b) => a - b);
  }

  /** Some rows of this shard cannot be read: its other entities go on. */
  found(shard: number, failure: unknown): void {
    if (this.#shards.has(shard)) return;
    this.#shards.add(shard);
    this.#thread.logger?.error({ err: failure, shard }, "the stored data of a shard is damaged: restore it");
    this.#thread.health.look();
  }

  /** This shard cannot be opened or written: it is given up, and not tried again. */
  givesUp(shard: number, failure: unknown): void {
    this.found(shard, failure);
    this.#closed.add(shard);
    this.#thread.lose(shard, damagedRefusal());
  }

  /** Whether requests for this shard are refused for good. */
  hasClosed(shard: number): boolean {
    return this.#closed.has(shard);
  }
}
