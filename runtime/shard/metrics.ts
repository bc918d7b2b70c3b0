import type { Batch } from "./commit.ts";

/** Upper bounds of the buckets of commit latency and timer lateness. */
export const latencyBucketsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

/** Failures of a shard that are further apart are taken for different ones. */
const failuresInRowMs = 60_000;

/** Counters of one shard; they outlive its ownership terms. */
export class ShardMetrics {
  commits = 0;
  committedCommands = 0;
  committedBytes = 0;
  commitMs = 0;
  readonly commitBuckets: number[] = new Array(latencyBucketsMs.length + 1).fill(0);
  timerLateMs = 0;
  readonly timerBuckets: number[] = new Array(latencyBucketsMs.length + 1).fill(0);
  terms = 0;
  /** Ownership terms that ended by an error of our own. */
  failures = 0;
  activations = 0;
  restarts = 0;

  #failedMs = Number.NEGATIVE_INFINITY;
  #failuresInRow = 0;

  /** An ownership term ended by an error of our own. Returns how many have in a row, none a minute after the one before. */
  failed(nowMs: number): number {
    this.failures++;
    this.#failuresInRow = nowMs - this.#failedMs < failuresInRowMs ? this.#failuresInRow + 1 : 1;
    this.#failedMs = nowMs;
    return this.#failuresInRow;
  }

  committed(batch: Batch, nowMs: number): void {
    this.commits++;
    this.committedCommands += batch.commands;
    this.committedBytes += batch.bytes;
    this.commitMs += nowMs - batch.beganMs;
    this.commitBuckets[bucketOf(nowMs - batch.beganMs)]!++;
  }

  timerFired(lateMs: number): void {
    this.timerLateMs += lateMs;
    this.timerBuckets[bucketOf(lateMs)]!++;
  }
}

function bucketOf(ms: number): number {
  let bucket = 0;
  while (bucket < latencyBucketsMs.length && ms > latencyBucketsMs[bucket]!) bucket++;
  return bucket;
}
