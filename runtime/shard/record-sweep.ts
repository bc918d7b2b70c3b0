import { unpackValue } from "./codec.ts";
import { hourMs, recordCollection, recordedAtMs, recordHoursPartition } from "./idempotency.ts";
import { joinSystem } from "./join.ts";
import { entityPartition, keyOf, type Partition } from "./partition.ts";
import { type Change, deletion } from "./recorder.ts";
import type { Shard } from "./shard.ts";

const intervalMs = 60_000;
const pageRows = 1_000;
/** Until a shard that has too much to write is looked at again. */
const congestedMs = 1_000;

/** Deletes idempotency records that are past their time: per hour and entity that took any, a page at a time. */
export class RecordSweep {
  readonly #shard: Shard;
  #nextMs = 0;
  #running = false;

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  sweep(nowMs: number): void {
    if (this.#running || nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + intervalMs;
    const oldestHour = Math.floor((nowMs - this.#shard.thread.limits.idempotencyKeptMs) / hourMs);
    const order = { from: undefined, to: keyOf([Math.max(0, oldestHour)]), limit: 1, reverse: false };
    this.#running = true;
    this.#shard.reader.scan(recordHoursPartition, order, (failure, [row]) => {
      if (failure !== undefined || row === undefined || this.#shard.status !== "ready") {
        this.#running = false;
        return;
      }
      const [, kind, tenant, key] = unpackValue(row.value) as [number, string, string, string];
      const records = entityPartition({ kind, tenant, key }, recordCollection);
      this.#sweepEntity(records, undefined, nowMs, () => {
        joinSystem(this.#shard, [deletion(recordHoursPartition, row.key)]);
        this.#nextMs = 0;
      });
    });
  }

  #sweepEntity(records: Partition, from: string | undefined, nowMs: number, done: () => void): void {
    const goOn = (next: string | undefined, delayMs: number) =>
      void this.#shard.setTimer(delayMs, () => this.#sweepEntity(records, next, nowMs, done));
    if (this.#shard.status === "ready" && this.#shard.congested) {
      goOn(from, congestedMs);
      return;
    }
    const order = { from, to: undefined, limit: pageRows, reverse: false };
    this.#shard.reader.scan(records, order, (failure, rows) => {
      if (failure !== undefined || this.#shard.status !== "ready") {
        this.#running = false;
        return;
      }
      const changes: Change[] = [];
      for (const row of rows) {
        if (nowMs - recordedAtMs(row.value) < this.#shard.thread.limits.idempotencyKeptMs) continue;
        changes.push(deletion(records, row.key));
      }
      if (changes.length > 0) joinSystem(this.#shard, changes);
      if (rows.length === pageRows) {
        goOn(`${rows.at(-1)!.key}\0`, 0);
        return;
      }
      this.#running = false;
      done();
    });
  }
}
