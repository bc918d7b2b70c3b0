import type { ShardStatus } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { hourMs, recordedAtMs, recordHoursPartition, recordShape } from "./idempotency.ts";
import { type JoiningShard, joinSystem } from "./join.ts";
import { entityPartition, keyOf, type Partition } from "./partition.ts";
import type { Reader } from "./reader.ts";
import { type Change, deletion } from "./recorder.ts";
import type { ThreadParts } from "./thread-parts.ts";

const intervalMs = 60_000;
const pageRows = 1_000;
/** Until a shard that has too much to write is looked at again. */
const congestedMs = 1_000;

/** What a sweep needs of its shard. */
interface SweepingShard extends JoiningShard {
  readonly status: ShardStatus;
  readonly congested: boolean;
  readonly reader: Reader;
  readonly thread: Pick<ThreadParts, "limits">;
  setTimer(delayMs: number, step: () => void): () => void;
}

/** What a sweep of one entity's records goes by. */
interface EntitySweep {
  readonly records: Partition;
  readonly nowMs: number;
  /** The hour of the newest record that stays; -1: none does. */
  newestHour: number;
  readonly done: () => void;
}

/**
 * Deletes idempotency records that are past their time, a page at a time. Records of one entity lie in no order of time, so that
 * a sweep reads those that stay as well. It therefore leaves the entity one row of `~once-hours`, that of its newest record:
 * when that hour is over, all that stayed are. So a record is read twice at most, however many hours have records.
 */
export class RecordSweep {
  readonly #shard: SweepingShard;
  #nextMs = 0;
  #running = false;

  constructor(shard: SweepingShard) {
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
      const [hour, kind, tenant, key] = unpackValue(row.value, recordHoursPartition) as [
        number,
        string,
        string,
        string,
      ];
      const sweep: EntitySweep = {
        records: entityPartition({ kind, tenant, key }, recordShape),
        nowMs,
        newestHour: -1,
        done: () => {
          const changes = [deletion(recordHoursPartition, row.key)];
          for (let passed = hour + 1; passed < sweep.newestHour; passed++)
            changes.push(deletion(recordHoursPartition, keyOf([passed, kind, tenant, key])));
          joinSystem(this.#shard, changes);
          this.#nextMs = 0;
        },
      };
      this.#sweepEntity(sweep, undefined);
    });
  }

  #sweepEntity(sweep: EntitySweep, from: string | undefined): void {
    const { records, nowMs, done } = sweep;
    const goOn = (next: string | undefined, delayMs: number) =>
      void this.#shard.setTimer(delayMs, () => this.#sweepEntity(sweep, next));
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
        const atMs = recordedAtMs(row.value);
        if (nowMs - atMs >= this.#shard.thread.limits.idempotencyKeptMs)
          changes.push(deletion(records, row.key));
        else sweep.newestHour = Math.max(sweep.newestHour, Math.floor(atMs / hourMs));
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
