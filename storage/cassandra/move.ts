import { randomInt } from "node:crypto";
import { assert, limits } from "#base";
import { StorageError } from "../error.ts";
import { arrange } from "./arrange.ts";
import { type Arrangement, bordersOf, type Leftover, type Piece, withPiece } from "./arrangement.ts";
import { blobOf, textOf } from "./blob.ts";
import { forEachBounded } from "./bounded.ts";
import type { Lanes } from "./lanes.ts";
import type { Layout } from "./layouts.ts";
import { clearStatement, RowBatches, rowOverheadBytes } from "./row-writes.ts";
import type { Session } from "./session.ts";
import { tableStatements } from "./statements.ts";

/** What a move needs of its worker. */
export interface Mover {
  readonly session: Session;
  readonly lanes: Lanes;
  /** Ends a move between two pages. */
  readonly closed: boolean;
}

export interface Place {
  readonly layout: Layout;
  readonly partition: string;
}

/**
 * Copies a range of keys, which begins in one piece and ends at a border, into a fresh bucket and lets it be read there. While
 * it is copied every flush writes to both, and all writes carry their own time: so both are the same in the end, in
 * whatever order they arrive. The switch is a conditional write of the owner. An owner that loses the shard before it leaves a
 * bucket that is named as a leftover.
 *
 * An earlier owner does not know the new bucket, and must not be able to write a watermark for rows that it put elsewhere:
 * so a move begins when the owner's own watermark has reached the head it found (`isMovable`).
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
    const moved = withPiece(bordersOf(layout.arrangement, partition), piece);
    const left = sources.map((source): Leftover => ({ partition, ...source }));
    await store({
      borders: new Map(layout.arrangement.borders).set(partition, moved),
      leftovers: [...leftovers, ...left],
    });
    layout.moved();
  } catch (error) {
    // Otherwise it may be read there by now: this owner goes on writing to both, for as long as it is one.
    if (error instanceof StorageError && error.kind === "unavailable") layout.moved();
    throw error;
  }
}

/** Removes the copies that are not read any more: at a time that hides whatever an earlier owner adds to them. */
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

/** All rows of a piece with the times at which they were written. */
export async function* rowsOf(
  mover: Mover,
  shard: number,
  partition: string,
  { bucket, from, to }: Piece,
): AsyncIterable<StoredRow> {
  const params = [shard, blobOf(partition), bucket, blobOf(from)];
  const statement = to === undefined ? tableStatements.copyFrom : tableStatements.copyBetween;
  if (to !== undefined) params.push(blobOf(to));
  for await (const row of mover.session.readAll(statement, params)) {
    if (mover.closed) throw new StorageError("closed", "the tables are closed");
    yield { key: textOf(row.key), value: row.value, time: Number(row.time) };
  }
}
