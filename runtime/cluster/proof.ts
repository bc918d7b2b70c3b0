import { ownersOf } from "./rendezvous.ts";
import type { View } from "./view.ts";

/**
 * What the main thread knows from its heartbeats and every worker needs for each read: memory they share. The clock is
 * `process.hrtime`, which all threads of a process have in common.
 */
export class ProofWriter {
  readonly buffer = new SharedArrayBuffer(24);
  readonly #values = new Float64Array(this.buffer);

  constructor() {
    this.write({ ageMs: Number.POSITIVE_INFINITY, reachesStore: true, version: 0 });
  }

  write({ ageMs, reachesStore, version }: Proof): void {
    this.#values[2] = version;
    this.#values[0] = hrtimeMs() - ageMs;
    this.#values[1] = reachesStore ? 1 : 0;
  }
}

interface Proof {
  /** Since the last heartbeat began that proves this node's part in the cluster. */
  readonly ageMs: number;
  readonly reachesStore: boolean;
  /** Of the list of nodes that was read with that heartbeat. */
  readonly version: number;
}

/**
 * A heartbeat proves that this node owns the shards that the list of nodes gives to it. The others it holds only until
 * their next owner takes them, which may happen without a word where the two cannot reach each other.
 */
export class ProofReader {
  readonly #values: Float64Array;
  readonly #self: string;
  readonly #shardCount: number;
  #owners: readonly (string | undefined)[] = [];
  #version = 0;

  constructor(buffer: SharedArrayBuffer, self: string, shardCount: number) {
    this.#values = new Float64Array(buffer);
    this.#self = self;
    this.#shardCount = shardCount;
  }

  setView({ version, members }: View): void {
    this.#version = version;
    this.#owners = ownersOf(members, this.#shardCount);
  }

  get reachesStore(): boolean {
    return this.#values[1] === 1;
  }

  /** When the last heartbeat began that found this node in the list, on the monotonic clock of this thread. */
  listedMs(nowMs: number): number {
    return nowMs - (hrtimeMs() - this.#values[0]!);
  }

  /** When the last heartbeat began that proves it, on that clock. */
  provenMs(shard: number, nowMs: number): number {
    const isGiven = this.#owners[shard] === this.#self && this.#values[2]! <= this.#version;
    return isGiven ? this.listedMs(nowMs) : Number.NEGATIVE_INFINITY;
  }
}

function hrtimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
