import { decodeTuple } from "#base";
import { type Row, StorageError } from "#storage";
import type { ScanOrder } from "./buffer.ts";
import { unpackValue } from "./codec.ts";
import { type Listed, listedIn, listing, unlisting } from "./hours.ts";
import { hourMs, recordedAtMs, recordHoursPartition, recordShape } from "./idempotency.ts";
import { inboxHoursPartition, inboxShape, lowWatermarksPartition } from "./inbox.ts";
import { joinSystem } from "./join.ts";
import { entityPartition, keyOf, type Partition } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import { isStorageFailure } from "./reader.ts";
import { type Change, deletion } from "./recorder.ts";

const intervalMs = 60_000;
/** Records read at once. */
const pageRows = 1_000;
/** Until a shard that has too much to write is looked at again. */
const congestedMs = 1_000;
/** Entities of one sweep of `~inbox`. */
const entitiesMax = 64;
/** More than an installation has shards: an entity has one row for each that told it something. */
const sourcesMax = 4_096;

/** Forgets rows now and then; one sweep at a time. A failed read ends it until the next. */
export class Sweep {
  readonly #shard: ShardParts;
  readonly #run: (shard: ShardParts, nowMs: number) => Promise<number>;
  #nextMs = 0;
  #running = false;

  /** `run` returns when the next is due. */
  constructor(shard: ShardParts, run: (shard: ShardParts, nowMs: number) => Promise<number>) {
    this.#shard = shard;
    this.#run = run;
  }

  look(nowMs: number): void {
    if (this.#running || nowMs < this.#nextMs) return;
    this.#running = true;
    this.#nextMs = nowMs + intervalMs;
    this.#run(this.#shard, nowMs)
      .then(
        (nextMs) => {
          this.#nextMs = nextMs;
        },
        (failure: unknown) => {
          if (!isStorageFailure(failure)) this.#shard.failed(failure);
        },
      )
      .finally(() => {
        this.#running = false;
      });
  }
}

/**
 * Deletes idempotency records that are past their time, a page at a time. Records of one entity lie in no order of time, so that
 * a sweep reads those that stay as well. It therefore leaves the entity one row of `~once-hours`, that of its newest record:
 * when that hour is over, all that stayed are. So a record is read twice at most, however many hours have records.
 */
export async function sweepRecords(shard: ShardParts, nowMs: number): Promise<number> {
  const { idempotencyKeptMs } = shard.thread.limits;
  const oldestHour = Math.floor((nowMs - idempotencyKeptMs) / hourMs);
  const to = keyOf([Math.max(0, oldestHour)]);
  const [first] = await read(shard, recordHoursPartition, { to, limit: 1 });
  if (first === undefined) return nowMs + intervalMs;
  const listed = listedIn(first.value, recordHoursPartition);
  const records = entityPartition(listed, recordShape);
  let newestHour = -1;
  let from: string | undefined;
  do {
    while (shard.status === "ready" && shard.congested) await pause(shard, congestedMs);
    const rows = await read(shard, records, { from, limit: pageRows });
    const changes: Change[] = [];
    for (const row of rows) {
      const atMs = recordedAtMs(row.value);
      if (nowMs - atMs >= idempotencyKeptMs) changes.push(deletion(records, row.key));
      else newestHour = Math.max(newestHour, Math.floor(atMs / hourMs));
    }
    if (changes.length > 0) joinSystem(shard, changes);
    from = rows.length === pageRows ? `${rows.at(-1)!.key}\0` : undefined;
    if (from !== undefined) await pause(shard, 0);
  } while (from !== undefined);
  const changes = [unlisting(recordHoursPartition, listed)];
  for (let hour = listed.hour + 1; hour < newestHour; hour++)
    changes.push(unlisting(recordHoursPartition, { ...listed, hour }));
  joinSystem(shard, changes);
  return 0;
}

/**
 * Deletes rows of `~inbox`. A row can go when its source shard says that all of its messages up to that number were applied. In the
 * same commit that number becomes the low watermark of the source shard here: a message up to the low watermark is known as a repeat without the row,
 * however late it comes.
 */
export async function sweepInboxes(shard: ShardParts, nowMs: number): Promise<number> {
  const { limits, settled } = shard.thread;
  if (settled.size === 0) return nowMs;
  const hour = Math.floor(nowMs / limits.inboxListedMs);
  const over = await read(shard, inboxHoursPartition, { to: keyOf([hour]), limit: entitiesMax });
  let nextMs = over.length === entitiesMax ? 0 : nowMs + Math.min(intervalMs, limits.inboxListedMs);
  if (over.length === 0) return nextMs;
  // They are written by this sweep only: they stay as they are until it goes on.
  const known = await read(shard, lowWatermarksPartition, { limit: sourcesMax });
  const lowWatermarks = new Map(known.map(numberOf));
  for (const { value } of over) {
    if (shard.congested) break;
    const listed = listedIn(value, inboxHoursPartition);
    const rows = await read(shard, entityPartition(listed, inboxShape), { limit: sourcesMax });
    const { changes, waits } = forget(shard, listed, rows, lowWatermarks, hour);
    if (changes.length > 0) joinSystem(shard, changes);
    // An owner has told nothing yet, as after a start: it is asked again soon, at the same place.
    if (waits) nextMs = Math.min(nextMs, shard.now() + limits.settledToldMs);
  }
  return nextMs;
}

/** What goes of one entity's rows, and the low watermarks that make that harmless. An entity that keeps a row is listed again, for the current period. */
function forget(
  shard: ShardParts,
  listed: Listed,
  rows: readonly Row[],
  lowWatermarks: Map<number, number>,
  hour: number,
): { readonly changes: Change[]; readonly waits: boolean } {
  const { settled } = shard.thread;
  const inbox = entityPartition(listed, inboxShape);
  const changes: Change[] = [];
  const kept: number[] = [];
  for (const row of rows) {
    const [source, number] = numberOf(row);
    const known = lowWatermarks.get(source) ?? 0;
    const lowWatermark = Math.max(known, settled.of(source));
    if (number > lowWatermark) {
      kept.push(source);
      continue;
    }
    changes.push(deletion(inbox, row.key));
    if (lowWatermark === known) continue;
    lowWatermarks.set(source, lowWatermark);
    changes.push({ type: "row", partition: lowWatermarksPartition, key: row.key, value: lowWatermark });
  }
  const waits = kept.some((source) => settled.of(source) === 0);
  if (!waits) {
    changes.push(unlisting(inboxHoursPartition, listed));
    if (kept.length > 0) changes.push(listing(inboxHoursPartition, { ...listed, hour }));
  }
  return { changes, waits };
}

/** Of `~inbox` or `~floor`: both are numbers by source shard. */
function numberOf({ key, value }: Row): [source: number, number: number] {
  return [decodeTuple(key)[0] as number, unpackValue(value, inboxShape) as number];
}

/** Throws where the ownership term has ended meanwhile. */
async function read(shard: ShardParts, partition: Partition, order: ScanOrder): Promise<readonly Row[]> {
  const rows = await new Promise<readonly Row[]>((resolve, reject) =>
    shard.reader.scan(partition, order, (failure, found) =>
      failure === undefined ? resolve(found) : reject(failure),
    ),
  );
  if (shard.status !== "ready") throw new StorageError("closed", "the ownership term is over");
  return rows;
}

function pause(shard: ShardParts, delayMs: number): Promise<void> {
  return new Promise((resolve) => void shard.setTimer(delayMs, resolve));
}
