import { crc32c } from "@node-rs/crc32";
import { limits } from "#base";

/**
 * Estimates the sizes of buckets from what is written to them, and says when one should be measured. A bucket is
 * tracked with a probability in proportion to the bytes written to it. So small buckets, which are most of them, take
 * no memory here.
 */
export class Growth {
  readonly #bucketBytesMax: number;
  readonly #buckets = new Map<string, { bytes: number; lookAt: number }>();

  constructor(bucketBytesMax: number) {
    this.#bucketBytesMax = bucketBytesMax;
  }

  /** True: the bucket should be measured. `salt` differs from flush to flush. */
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

  /** Upper bound of a bucket's bytes if only this worker writes to it; 0 if the bucket is not tracked. */
  bytes(bucket: string): number {
    return this.#buckets.get(bucket)?.bytes ?? 0;
  }

  /** Whether the bucket should be measured before this many more bytes are written to it. */
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

/**
 * Fractions of a bucket's size: bytes after which a bucket is tracked, on average; bytes until it is measured first;
 * and until it is measured again when it is full.
 */
const entryParts = 64;
const firstParts = 4;
const againParts = 8;
