import { decodeTuple } from "#base";
import type { Row } from "#storage";
import type { ShardStatus } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { inboxHoursPartition, inboxShape, lowWatermarksPartition } from "./inbox.ts";
import { type JoiningShard, joinSystem } from "./join.ts";
import { entityPartition, keyOf } from "./partition.ts";
import type { Reader } from "./reader.ts";
import { type Change, deletion } from "./recorder.ts";
import type { ThreadParts } from "./thread-parts.ts";

const intervalMs = 60_000;
/** Entities of one sweep. */
const pageRows = 64;
/** More than an installation has shards: an entity has one row for each that told it something. */
const sourcesMax = 4_096;

/** What a sweep needs of its shard. */
interface SweepingShard extends JoiningShard {
  readonly status: ShardStatus;
  readonly congested: boolean;
  readonly reader: Reader;
  readonly thread: Pick<ThreadParts, "limits" | "settled" | "storage">;
}

/** An entity that applied messages in a period that is over. */
interface Listed {
  readonly hour: number;
  readonly kind: string;
  readonly tenant: string;
  readonly key: string;
}

/**
 * Deletes rows of `~inbox`. A row can go when its source shard says that all of its messages up to that number were applied. In the
 * same commit that number becomes the low watermark of the source shard here: a message up to the low watermark is known as a repeat without the row,
 * however late it comes.
 */
export class InboxSweep {
  readonly #shard: SweepingShard;
  #nextMs = 0;
  #running = false;

  constructor(shard: SweepingShard) {
    this.#shard = shard;
  }

  sweep(nowMs: number): void {
    const { thread, reader } = this.#shard;
    if (this.#running || nowMs < this.#nextMs || thread.settled.size === 0) return;
    const { inboxListedMs } = thread.limits;
    this.#nextMs = nowMs + Math.min(intervalMs, inboxListedMs);
    this.#running = true;
    const hour = Math.floor(nowMs / inboxListedMs);
    const over = { from: undefined, to: keyOf([hour]), limit: pageRows, reverse: false };
    reader.scan(inboxHoursPartition, over, (failure, listed) => {
      if (failure !== undefined || listed.length === 0) {
        this.#running = false;
        return;
      }
      if (listed.length === pageRows) this.#nextMs = 0;
      this.#readLowWatermarks((lowWatermarks) => this.#sweepNext(listed, 0, lowWatermarks, hour));
    });
  }

  /** Floors are written by this sweep only: they stay as they are until it goes on. */
  #readLowWatermarks(then: (lowWatermarks: Map<number, number>) => void): void {
    const all = { from: undefined, to: undefined, limit: sourcesMax, reverse: false };
    this.#shard.reader.scan(lowWatermarksPartition, all, (failure, rows) => {
      if (failure !== undefined) {
        this.#running = false;
        return;
      }
      then(new Map(rows.map(numberOf)));
    });
  }

  #sweepNext(listed: readonly Row[], index: number, lowWatermarks: Map<number, number>, hour: number): void {
    const row = listed[index];
    if (row === undefined || this.#shard.status !== "ready" || this.#shard.congested) {
      this.#running = false;
      return;
    }
    const [of, kind, tenant, key] = unpackValue(row.value, inboxHoursPartition) as [
      number,
      string,
      string,
      string,
    ];
    const all = { from: undefined, to: undefined, limit: sourcesMax, reverse: false };
    const inbox = entityPartition({ kind, tenant, key }, inboxShape);
    this.#shard.reader.scan(inbox, all, (failure, rows) => {
      if (failure !== undefined || this.#shard.status !== "ready") {
        this.#running = false;
        return;
      }
      const changes = this.changes({ hour: of, kind, tenant, key }, rows, lowWatermarks, hour);
      if (changes.length > 0) joinSystem(this.#shard, changes);
      this.#sweepNext(listed, index + 1, lowWatermarks, hour);
    });
  }

  /** What goes of one entity's rows, and the low watermarks that make that harmless. An entity that keeps a row is listed again, for the current period. */
  changes(listed: Listed, rows: readonly Row[], lowWatermarks: Map<number, number>, hour: number): Change[] {
    const { kind, tenant, key } = listed;
    const inbox = entityPartition(listed, inboxShape);
    const changes: Change[] = [];
    let keeps = false;
    let waits = false;
    for (const row of rows) {
      const [source, number] = numberOf(row);
      const known = lowWatermarks.get(source) ?? 0;
      const lowWatermark = Math.max(known, this.#shard.thread.settled.of(source));
      if (number > lowWatermark) {
        keeps = true;
        waits ||= this.#shard.thread.settled.of(source) === 0;
        continue;
      }
      changes.push(deletion(inbox, row.key));
      if (lowWatermark === known) continue;
      lowWatermarks.set(source, lowWatermark);
      changes.push({ type: "row", partition: lowWatermarksPartition, key: row.key, value: lowWatermark });
    }
    if (waits) {
      // Its owner has told nothing yet, as after a start: it is asked again soon, at the same place.
      this.#nextMs = Math.min(this.#nextMs, this.#shard.now() + this.#shard.thread.limits.settledToldMs);
      return changes;
    }
    changes.push(deletion(inboxHoursPartition, keyOf([listed.hour, kind, tenant, key])));
    const next = [hour, kind, tenant, key];
    if (keeps) changes.push({ type: "row", partition: inboxHoursPartition, key: keyOf(next), value: next });
    return changes;
  }
}

/** Of `~inbox` or `~floor`: both are numbers by source shard. */
function numberOf({ key, value }: Row): [source: number, number: number] {
  return [decodeTuple(key)[0] as number, unpackValue(value, inboxShape) as number];
}
