import type { Shard } from "../shard/shard.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";

/** A trim is a durable write of its own on some engines. */
const intervalMs = 2_000;

/**
 * Has the journal forget what the tables have: of each shard now and then, and the last of it too. A shard that falls
 * silent would else keep a whole file that holds entries of many.
 */
export class Trims {
  readonly #thread: ThreadParts;
  readonly #lastMs = new Map<number, number>();
  readonly #waiting = new Map<Shard, number>();

  constructor(thread: ThreadParts) {
    this.#thread = thread;
  }

  /** The tables have all of the shard up to here. */
  stored(shard: Shard, upTo: number): void {
    const waits = this.#waiting.has(shard);
    this.#waiting.set(shard, upTo);
    if (waits) return;
    const lastMs = this.#lastMs.get(shard.number) ?? Number.NEGATIVE_INFINITY;
    const delayMs = lastMs + intervalMs - this.#thread.world.clock.monotonic();
    if (delayMs <= 0) this.#trim(shard);
    else shard.setTimer(delayMs, () => this.#trim(shard));
  }

  /** An ownership term begins: what the tables had before may not have been trimmed by the owner that stored it. */
  opened(shard: Shard, watermark: number): void {
    if (watermark === 0) return;
    // Not at once: all the shards of a thread begin together, and their first callers wait already.
    this.#lastMs.set(shard.number, this.#thread.world.clock.monotonic());
    this.stored(shard, watermark);
  }

  #trim(shard: Shard): void {
    const upTo = this.#waiting.get(shard);
    this.#waiting.delete(shard);
    if (upTo === undefined || shard.status === "dropped") return;
    const { world, storage, logger } = this.#thread;
    this.#lastMs.set(shard.number, world.clock.monotonic());
    storage.journal.trim(shard.number, shard.epoch, upTo).catch((failure: unknown) => {
      logger?.warn({ err: failure, shard: shard.number }, "a journal could not be trimmed");
    });
  }
}
