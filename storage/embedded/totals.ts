import { limits } from "#base";

/**
 * Per shard, over all of its rows: their number, the sum of the hashes of their keys and the sum of their checksums. They are stored with the
 * shard's watermark, in every transaction that changes its rows. A row that was lost or replaced by an older one changes a sum.
 */
export class Totals {
  readonly counts = new Float64Array(limits.shardCount);
  readonly keys = new Uint32Array(limits.shardCount);
  readonly sums = new Uint32Array(limits.shardCount);

  /** Threads hand them over as plain arrays. */
  static of({ counts, keys, sums }: Pick<Totals, "counts" | "keys" | "sums">): Totals {
    const totals = new Totals();
    totals.counts.set(counts);
    totals.keys.set(keys);
    totals.sums.set(sums);
    return totals;
  }

  added(shard: number, keyHash: number, checksum: number): void {
    this.counts[shard]!++;
    this.keys[shard]! += keyHash;
    this.sums[shard]! += checksum;
  }

  removed(shard: number, keyHash: number, checksum: number): void {
    this.counts[shard]!--;
    this.keys[shard]! -= keyHash;
    this.sums[shard]! -= checksum;
  }

  replaced(shard: number, before: number, checksum: number): void {
    this.sums[shard]! += checksum - before;
  }

  /** Sets the shard's totals to what they are in `from`. */
  take(shard: number, from: Totals): void {
    this.counts[shard] = from.counts[shard]!;
    this.keys[shard] = from.keys[shard]!;
    this.sums[shard] = from.sums[shard]!;
  }

  hasSameRows(shard: number, other: Totals): boolean {
    return this.counts[shard] === other.counts[shard] && this.keys[shard] === other.keys[shard];
  }

  hasSameSum(shard: number, other: Totals): boolean {
    return this.sums[shard] === other.sums[shard];
  }
}

/** The value of a watermark's row: sequence f64 · rows f64 · sum of key hashes u32 · sum of checksums u32. */
export const watermarkBytes = 24;

export function putWatermark(into: Buffer, shard: number, sequence: number, totals: Totals): number {
  into.writeDoubleBE(sequence, 0);
  into.writeDoubleBE(totals.counts[shard]!, 8);
  into.writeUInt32BE(totals.keys[shard]!, 16);
  return into.writeUInt32BE(totals.sums[shard]!, 20);
}

export function isWatermark(value: Buffer): boolean {
  return value.length === watermarkBytes;
}

/** Puts the totals of a watermark's row into `totals`. */
export function readTotals(value: Buffer, shard: number, totals: Totals): void {
  totals.counts[shard] = value.readDoubleBE(8);
  totals.keys[shard] = value.readUInt32BE(16);
  totals.sums[shard] = value.readUInt32BE(20);
}
