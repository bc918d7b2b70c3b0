import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";

/**
 * Estimates the bytes of buckets by what is written to them, and tells when one should be measured. A bucket that is not
 * known yet enters by chance, in proportion to what is written to it, so that the small ones, which are most, take no room here.
 */
export class Growth {
  readonly #bucketBytesMax: number;
  readonly #buckets = new Map<string, { bytes: number; lookAt: number }>();

  constructor(bucketBytesMax: number) {
    this.#bucketBytesMax = bucketBytesMax;
  }

  /** True: measure it. `salt` differs from flush to flush. */
  wrote(bucket: string, bytes: number, salt: number): boolean {
    let known = this.#buckets.get(bucket);
    if (known === undefined) {
      const chance = bytes / (this.#bucketBytesMax / entryParts);
      if (crc32c(`${bucket}/${salt}`) / 2 ** 32 >= chance) return false;
      known = { bytes: this.#bucketBytesMax * (1 - 1 / firstParts), lookAt: this.#bucketBytesMax };
      this.#makeRoom();
      this.#buckets.set(bucket, known);
    }
    known.bytes += bytes;
    return known.bytes >= known.lookAt;
  }

  /** What a bucket has at most, if only this worker writes to it; 0: it is not known. */
  bytes(bucket: string): number {
    return this.#buckets.get(bucket)?.bytes ?? 0;
  }

  /** Whether it should be measured before so much more is written to it. */
  isDue(bucket: string, bytes: number): boolean {
    const known = this.#buckets.get(bucket);
    return known !== undefined && known.bytes + bytes >= known.lookAt;
  }

  measured(bucket: string, bytes: number): void {
    const lookAt = Math.max(this.#bucketBytesMax, bytes + this.#bucketBytesMax / againParts);
    this.#buckets.delete(bucket);
    this.#makeRoom();
    this.#buckets.set(bucket, { bytes, lookAt });
  }

  #makeRoom(): void {
    if (this.#buckets.size < limits.cassandraGrowthMax) return;
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}

/** Parts of a full bucket: written by chance before it is known here; until it is first measured; and again when it is full. */
const entryParts = 64;
const firstParts = 4;
const againParts = 8;
