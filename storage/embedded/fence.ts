import { assert, limits } from "#base";

/**
 * Which epoch may write a shard, and up to where it is durable: one word per shard, in memory that all threads of the
 * process share. Epoch and head are in the same word, so that "this epoch still owns the shard" and "durable up to
 * here" are one atomic step. Either the owner's advance comes first and its successor starts from the new head, or the
 * take-over comes first and the advance fails.
 */
export class Fence {
  readonly buffer: SharedArrayBuffer;
  readonly #words: BigUint64Array<SharedArrayBuffer>;
  /** A copy of the epochs that is cheap to read before a write; the word decides. */
  readonly #epochs: Int32Array<SharedArrayBuffer>;
  /** Generation of the folder when this process started. Epochs in words are relative to it. */
  readonly base: number;

  constructor(base: number, buffer = new SharedArrayBuffer(limits.shardCount * 12)) {
    this.base = base;
    this.buffer = buffer;
    this.#words = new BigUint64Array(buffer, 0, limits.shardCount);
    this.#epochs = new Int32Array(buffer, limits.shardCount * 8);
  }

  /** Called before any owner exists, with the head found on disk. */
  setHead(shard: number, head: number): void {
    Atomics.store(this.#words, shard, BigInt(head));
  }

  /** After this call no earlier epoch of the shard can advance. */
  take(shard: number, epoch: number): { readonly head: number } {
    const local = epoch - this.base;
    assert(local > 0 && local < epochsMax, `epoch ${epoch} fits the fence`);
    const high = BigInt(local) << headBits;
    for (;;) {
      const seen = Atomics.load(this.#words, shard);
      const next = high | (seen & headMask);
      assert(next > seen, `epoch ${epoch} of shard ${shard} is above the one in force`);
      if (Atomics.compareExchange(this.#words, shard, seen, next) !== seen) continue;
      Atomics.store(this.#epochs, shard, local);
      return { head: Number(seen & headMask) };
    }
  }

  holds(shard: number, epoch: number): boolean {
    return Atomics.load(this.#epochs, shard) === epoch - this.base;
  }

  head(shard: number): number {
    return Number(Atomics.load(this.#words, shard) & headMask);
  }

  /** False: another owner has taken the shard, and the entries after `from` are not acknowledged. */
  advance(shard: number, epoch: number, from: number, to: number): boolean {
    const high = BigInt(epoch - this.base) << headBits;
    const expected = high | BigInt(from);
    return Atomics.compareExchange(this.#words, shard, expected, high | BigInt(to)) === expected;
  }
}

/** Room for 2^44 entries of a shard (five years at 100,000/s) and a million take-overs per process. */
const headBits = 44n;
const headMask = (1n << headBits) - 1n;
const epochsMax = 2 ** 20;
