import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";

/**
 * Tells when a bucket should be measured: by what was written to it since it was measured last. A bucket that is not
 * known yet enters by chance, in proportion to what is written to it, so that the small ones, which are most, take no room here.
 */
export class Growth {
  readonly #bucketBytesMax: number;
  /** What a bucket may still take until it is measured. */
  readonly #left = new Map<string, number>();

  constructor(bucketBytesMax: number) {
    this.#bucketBytesMax = bucketBytesMax;
  }

  /** True: measure it. `salt` differs from flush to flush. */
  wrote(bucket: string, bytes: number, salt: number): boolean {
    let left = this.#left.get(bucket);
    if (left === undefined) {
      const chance = bytes / (this.#bucketBytesMax / entryParts);
      if (crc32c(`${bucket}/${salt}`) / 2 ** 32 >= chance) return false;
      left = this.#bucketBytesMax / firstParts;
      this.#makeRoom();
    }
    this.#left.set(bucket, left - bytes);
    return left <= bytes;
  }

  measured(bucket: string, bytes: number): void {
    const left = Math.max(this.#bucketBytesMax - bytes, this.#bucketBytesMax / againParts);
    this.#left.delete(bucket);
    this.#makeRoom();
    this.#left.set(bucket, left);
  }

  #makeRoom(): void {
    if (this.#left.size < limits.cassandraGrowthMax) return;
    for (const oldest of this.#left.keys()) {
      this.#left.delete(oldest);
      return;
    }
  }
}

/** Parts of a full bucket: written by chance before it is known here; until it is first measured; and again when it is full. */
const entryParts = 64;
const firstParts = 4;
const againParts = 8;
