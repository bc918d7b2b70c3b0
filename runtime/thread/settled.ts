import type { Host } from "../shard/shard.ts";
/** Between threads and nodes: how far the messages of a thread's shards have arrived. */
export const settledTopic = "~settled";

type Told = readonly (readonly [shard: number, number: number])[];

/**
 * For each shard of the installation: the number up to which all its messages were applied, as its owners said. It only
 * rises, so a thread keeps the highest it has heard. If it misses one, rows stay longer and nothing else happens.
 */
export class Settled {
  readonly #thread: Host;
  readonly #numbers = new Map<number, number>();
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(thread: Host) {
    this.#thread = thread;
  }

  get size(): number {
    return this.#numbers.size;
  }

  of(shard: number): number {
    return this.#numbers.get(shard) ?? 0;
  }

  /** Now and then: tells all threads of this one's shards. `nowMs` is monotonic. */
  tell(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#thread.limits.settledToldMs;
    const told: [number, number][] = [];
    for (const { number, status, outbox } of this.#thread.shards.values()) {
      const settled = status === "ready" ? outbox.settled() : 0;
      if (settled > 0) told.push([number, settled]);
    }
    if (told.length > 0) this.#thread.broadcast(settledTopic, told);
  }

  heard(told: Told): void {
    for (const [shard, number] of told)
      if (number > (this.#numbers.get(shard) ?? 0)) this.#numbers.set(shard, number);
  }
}
