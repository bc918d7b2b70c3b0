import { limits } from "#base";
import type { DeletedRange, RowChange, ShardFlush } from "../tables.ts";
import type { Piece } from "./arrangement.ts";
import type { Layout } from "./layouts.ts";
import type { Statement } from "./session.ts";
import { blobOf, tableStatements } from "./statements.ts";

/** What a flush writes to one bucket of a collection. */
export interface BucketWrites {
  readonly partition: string;
  readonly bucket: number;
  putBytes: number;
}

/**
 * The plain writes of a flush, in small batches by bucket. Their order does not matter: every cell carries the time of
 * its event. Cassandra lets a deletion win over a put of the same time, and one event may delete a range and then put
 * into it. So a sequence has two write times: the first for its range deletes, the second for its puts.
 */
export function rowWrites(
  { shard, deletedRanges, changes }: ShardFlush,
  layout: Layout,
): { readonly batches: Statement[][]; readonly buckets: readonly BucketWrites[] } {
  const batches = new RowBatches();
  const buckets = new Map<string, BucketWrites>();
  for (const range of deletedRanges)
    for (const piece of layout.piecesToClear(range.partition, range.from ?? "", range.to))
      batches.add(bucketName(shard, range.partition, piece.bucket), rangeStatement(shard, range, piece), 0);
  for (const change of changes) {
    const { partition, key, value } = change;
    for (const bucket of layout.bucketsFor(partition, key)) {
      const name = bucketName(shard, partition, bucket);
      const bytes = key.length + (value?.length ?? 0);
      batches.add(name, rowStatement(shard, change, bucket), bytes);
      if (value === undefined) continue;
      const writes = buckets.get(name);
      if (writes === undefined) buckets.set(name, { partition, bucket, putBytes: bytes + rowOverheadBytes });
      else writes.putBytes += bytes + rowOverheadBytes;
    }
  }
  return { batches: batches.all, buckets: [...buckets.values()] };
}

/** Packs statements into batches of one bucket each, below the size at which servers warn. */
export class RowBatches {
  readonly all: Statement[][] = [];
  readonly #open = new Map<string, { statements: Statement[]; bytes: number }>();

  add(bucket: string, statement: Statement, valueBytes: number): void {
    const bytes = valueBytes + rowOverheadBytes;
    let batch = this.#open.get(bucket);
    if (batch === undefined || batch.bytes + bytes > limits.cassandraRowBatchBytesMax) {
      batch = { statements: [], bytes: 0 };
      this.#open.set(bucket, batch);
      this.all.push(batch.statements);
    }
    batch.statements.push(statement);
    batch.bytes += bytes;
  }
}

export const rowOverheadBytes = 48;

export function bucketName(shard: number, partition: string, bucket: number): string {
  return `${shard}/${bucket}/${partition}`;
}

function rowStatement(shard: number, { partition, key, value, seq }: RowChange, bucket: number): Statement {
  const time = 2 * seq + 1;
  const place = [shard, blobOf(partition), bucket, blobOf(key)];
  if (value === undefined) return { query: tableStatements.remove, params: [time, ...place] };
  return { query: tableStatements.put, params: [...place, bufferOf(value), time] };
}

function rangeStatement(shard: number, { partition, seq }: DeletedRange, piece: Piece): Statement {
  return clearStatement({ shard, partition, piece, time: 2 * seq });
}

/** Deletes all rows of a piece up to a write time. */
export function clearStatement(what: {
  readonly shard: number;
  readonly partition: string;
  readonly piece: Piece;
  readonly time: number;
}): Statement {
  const { shard, partition, piece, time } = what;
  const params = [time, shard, blobOf(partition), piece.bucket, blobOf(piece.from)];
  if (piece.to === undefined) return { query: tableStatements.removeFrom, params };
  return { query: tableStatements.removeBetween, params: [...params, blobOf(piece.to)] };
}

/** The driver accepts only Buffers. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
