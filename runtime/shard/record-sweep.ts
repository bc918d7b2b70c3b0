import { unpackValue } from "./codec.ts";
import { periodKey, periodOf, recordCollection, recordPeriodsPartition } from "./idempotency.ts";
import { joinSystem } from "./join.ts";
import { entityPartition, keyOf, type Partition } from "./partition.ts";
import { deletion } from "./recorder.ts";
import type { Shard } from "./shard.ts";

const intervalMs = 60_000;
const pageRows = 1_000;
/** Until a shard that has too much to write is looked at again. */
const congestedMs = 1_000;

/** Where the records of one entity and period lie. */
interface Records {
  readonly partition: Partition;
  readonly from: string;
  readonly to: string;
}

/**
 * Deletes idempotency records that are past their time: per period and entity that took any, a page at a time. All records of
 * a period that is over are past their time, and none of another lies between them: each is read once.
 */
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
    const oldest = Math.max(0, periodOf(nowMs - this.#shard.thread.limits.idempotencyKeptMs));
    const order = { from: undefined, to: keyOf([oldest]), limit: 1, reverse: false };
    this.#running = true;
    this.#shard.reader.scan(recordPeriodsPartition, order, (failure, [row]) => {
      if (failure !== undefined || row === undefined || this.#shard.status !== "ready") {
        this.#running = false;
        return;
      }
      const [period, kind, tenant, key] = unpackValue(row.value) as [number, string, string, string];
      const partition = entityPartition({ kind, tenant, key }, recordCollection);
      this.#sweepEntity({ partition, from: periodKey(period), to: periodKey(period + 1) }, () => {
        joinSystem(this.#shard, [deletion(recordPeriodsPartition, row.key)]);
        this.#nextMs = 0;
      });
    });
  }

  #sweepEntity(records: Records, done: () => void): void {
    const goOn = (from: string, delayMs: number) =>
      void this.#shard.setTimer(delayMs, () => this.#sweepEntity({ ...records, from }, done));
    const { partition, from, to } = records;
    if (this.#shard.status === "ready" && this.#shard.congested) {
      goOn(from, congestedMs);
      return;
    }
    this.#shard.reader.scan(partition, { from, to, limit: pageRows, reverse: false }, (failure, rows) => {
      if (failure !== undefined || this.#shard.status !== "ready") {
        this.#running = false;
        return;
      }
      if (rows.length > 0)
        joinSystem(
          this.#shard,
          rows.map(({ key }) => deletion(partition, key)),
        );
      if (rows.length === pageRows) {
        goOn(`${rows.at(-1)!.key}\0`, 0);
        return;
      }
      this.#running = false;
      done();
    });
  }
}
