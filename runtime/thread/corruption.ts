import { corruptRefusal } from "../refusals.ts";
import type { Host } from "../shard/shard.ts";

/** Shards of a thread in which something stored is corrupt. Each is logged once, and shown until the thread ends. */
export class Corruption {
  readonly #thread: Host;
  readonly #shards = new Set<number>();
  readonly #closed = new Set<number>();

  constructor(thread: Host) {
    this.#thread = thread;
  }

  get shards(): readonly number[] {
    return [...this.#shards].sort((a, b) => a - b);
  }

  /** Some rows of this shard cannot be read: its other entities go on. */
  found(shard: number, failure: unknown): void {
    if (this.#shards.has(shard)) return;
    this.#shards.add(shard);
    this.#thread.logger?.error({ err: failure, shard }, "the stored data of a shard is corrupt: restore it");
    this.#thread.health.look();
  }

  /** This shard cannot be opened or written: it is given up, and not tried again. */
  givesUp(shard: number, failure: unknown): void {
    this.found(shard, failure);
    this.#closed.add(shard);
    this.#thread.lose(shard, corruptRefusal());
  }

  hasClosed(shard: number): boolean {
    return this.#closed.has(shard);
  }
}
