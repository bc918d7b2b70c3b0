import { randomInt } from "node:crypto";
import { assert, limits } from "#base";
import { StorageError } from "../error.ts";
import { arrange } from "./arrange.ts";
import { type Arrangement, bordersOf, type Leftover, type Piece, withPiece } from "./arrangement.ts";
import { forEachBounded } from "./bounded.ts";
import type { Lanes } from "./lanes.ts";
import type { Layout } from "./layouts.ts";
import { clearStatement, RowBatches, rowOverheadBytes } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { blobOf, endBlob, tableStatements, textOf } from "./statements.ts";

/** What a move needs from its worker. */
export interface Mover {
  readonly session: Session;
  readonly lanes: Lanes;
  /** True: the move ends after the current page. */
  readonly closed: boolean;
}

export interface Place {
  readonly layout: Layout;
  readonly partition: string;
}

/**
 * Copies a range of keys, which begins inside a piece and ends at a border, into a new bucket, from which it is then
 * read. During the copy every flush writes to both buckets. All writes carry the time of their event, so both have the
 * same rows in the end, in whatever order the writes arrive. The switch is a conditional write of the owner. An owner
 * that loses the shard before the switch leaves a bucket that is listed as a leftover.
 * An earlier owner does not know the new bucket. It must not store a watermark for rows that it wrote to the old one.
 * So a move begins only when the owner's own watermark has reached the head that it found (`isMovable`).
 */
export async function move(
  mover: Mover,
  { layout, partition }: Place,
  range: Omit<Piece, "bucket">,
): Promise<void> {
  const handle = layout.handle!;
  assert(layout.isMovable, "rows of earlier owners are stored, and the last move has ended");
  const piece = { ...range, bucket: randomInt(1, 2 ** 31) };
  const sources = layout.pieces(partition, range.from, range.to);
  const store = (next: Arrangement) =>
    mover.lanes.run(handle.shard, () => arrange(mover.session, layout, handle, next));
  const { borders, leftovers } = layout.arrangement;
  await store({ borders, leftovers: [...leftovers, { partition, ...piece }] });
  layout.move = { partition, piece };
  try {
    await layout.flushed();
    for (const source of sources) await copy(mover, { layout, partition }, source, piece.bucket);
  } catch (error) {
    // Nothing was switched, and the new bucket is listed as a leftover: the next move can begin.
    layout.moved();
    throw error;
  }
  try {
    const moved = withPiece(bordersOf(layout.arrangement, partition), piece);
    const left = sources.map((source): Leftover => ({ partition, ...source }));
    await store({
      borders: new Map(layout.arrangement.borders).set(partition, moved),
      leftovers: [...leftovers, ...left],
    });
    layout.moved();
  } catch (error) {
    // Otherwise the switch may have been stored: this owner goes on writing to both buckets as long as it owns the
    // shard.
    if (error instanceof StorageError && error.kind === "unavailable") layout.moved();
    throw error;
  }
}

/**
 * Deletes copies that are no longer read, at a write time that also hides what an earlier owner may still add to them.
 */
export async function removeLeftovers({ session }: Mover, layout: Layout): Promise<void> {
  if (layout.move !== undefined) return;
  const { shard } = layout.handle!;
  const { borders, leftovers } = layout.arrangement;
  await forEachBounded(leftovers, limits.cassandraRequestsMax, async ({ partition, ...piece }) => {
    await session.write([clearStatement({ shard, partition, piece, time: Number.MAX_SAFE_INTEGER })]);
  });
  layout.arrangement = { borders, leftovers: [] };
}

async function copy(
  mover: Mover,
  { layout, partition }: Place,
  source: Piece,
  bucket: number,
): Promise<void> {
  const { shard } = layout.handle!;
  const part = blobOf(partition);
  let batches = new RowBatches();
  let bytes = 0;
  const store = async () => {
    const full = batches.all;
    batches = new RowBatches();
    bytes = 0;
    await forEachBounded(full, limits.cassandraCopyRequestsMax, (batch) => mover.session.write(batch));
  };
  for await (const { key, value, time } of rowsOf(mover, shard, partition, source)) {
    const rowBytes = key.length + value.length + rowOverheadBytes;
    const params = [shard, part, bucket, blobOf(key), value, time];
    batches.add("", { query: tableStatements.put, params }, rowBytes);
    bytes += rowBytes;
    if (bytes >= limits.cassandraReplayBytes) await store();
  }
  await store();
}

export interface StoredRow {
  readonly key: string;
  readonly value: Buffer;
  readonly time: number;
}

/** All rows of a piece with their write times. */
export async function* rowsOf(
  mover: Mover,
  shard: number,
  partition: string,
  { bucket, from, to }: Piece,
): AsyncIterable<StoredRow> {
  const params = [shard, blobOf(partition), bucket, blobOf(from), endBlob(to)];
  for await (const row of mover.session.readAll(tableStatements.copy, params)) {
    if (mover.closed) throw new StorageError("closed", "the tables are closed");
    yield { key: textOf(row.key), value: row.value, time: Number(row.time) };
  }
}
