/** Upper bounds of the buckets of `Durations`: a hand-over takes tens of milliseconds, a take-over seconds. */
export const moveBucketsMs = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** How often something took how long: counts by bucket, the last of them above all bounds. */
interface Durations {
  readonly count: number;
  readonly sumMs: number;
  readonly buckets: readonly number[];
}

/** What a node has done with shards since it started, as plain data. */
export interface MoveStats {
  readonly given: number;
  /** From asking another node for a shard until it was open here. */
  readonly moves: Durations;
  /** From the moment in which no node was known to hold a shard until it was open here. */
  readonly takeOvers: Durations;
}

export class MoveClock {
  readonly #unheldMs = new Map<number, number>();
  readonly #askedMs = new Map<number, number>();
  readonly #moves = new Sums();
  readonly #takeOvers = new Sums();
  given = 0;

  get stats(): MoveStats {
    return { given: this.given, moves: this.#moves.plain, takeOvers: this.#takeOvers.plain };
  }

  unheld(shard: number, nowMs: number): void {
    if (!this.#unheldMs.has(shard)) this.#unheldMs.set(shard, nowMs);
  }

  asked(shard: number, nowMs: number): void {
    if (!this.#askedMs.has(shard)) this.#askedMs.set(shard, nowMs);
  }

  heldElsewhere(shard: number): void {
    this.#unheldMs.delete(shard);
  }

  notAsked(shard: number): void {
    this.#askedMs.delete(shard);
  }

  /** It is open here. */
  arrived(shard: number, nowMs: number): void {
    const [askedMs, unheldMs] = [this.#askedMs.get(shard), this.#unheldMs.get(shard)];
    this.#askedMs.delete(shard);
    this.#unheldMs.delete(shard);
    if (askedMs !== undefined) this.#moves.took(nowMs - askedMs);
    else if (unheldMs !== undefined) this.#takeOvers.took(nowMs - unheldMs);
  }
}

class Sums {
  #count = 0;
  #sumMs = 0;
  readonly #buckets = new Array<number>(moveBucketsMs.length + 1).fill(0);

  get plain(): Durations {
    return { count: this.#count, sumMs: this.#sumMs, buckets: [...this.#buckets] };
  }

  took(ms: number): void {
    const bucket = moveBucketsMs.findIndex((bound) => ms <= bound);
    this.#count++;
    this.#sumMs += ms;
    this.#buckets[bucket < 0 ? moveBucketsMs.length : bucket]!++;
  }
}
