import { limits } from "#base";
import type { DeletedRange, RowChange, ShardFlush } from "../tables.ts";
import { blobOf } from "./blob.ts";
import type { Statement } from "./session.ts";
import { tableStatements } from "./statements.ts";

/**
 * The plain writes of a flush, grouped by partition into small batches. Their order does not matter: every cell carries
 * the time of its event. At one time a deletion wins, and an event may clear a range and then put into it; so a
 * sequence has two instants, the ranges first, the rows after them.
 */
export function rowWrites({ shard, deletedRanges, changes }: ShardFlush): Statement[][] {
  const batches: Statement[][] = [];
  const open = new Map<string, { statements: Statement[]; bytes: number }>();
  const add = (partition: string, statement: Statement, bytes: number) => {
    let batch = open.get(partition);
    if (batch === undefined || batch.bytes + bytes > limits.cassandraRowBatchBytesMax) {
      batch = { statements: [], bytes: 0 };
      open.set(partition, batch);
      batches.push(batch.statements);
    }
    batch.statements.push(statement);
    batch.bytes += bytes;
  };
  for (const range of deletedRanges) add(range.partition, rangeStatement(shard, range), rowOverheadBytes);
  for (const change of changes) {
    const bytes = change.key.length + (change.value?.length ?? 0) + rowOverheadBytes;
    add(change.partition, rowStatement(shard, change), bytes);
  }
  return batches;
}

const rowOverheadBytes = 48;

function rowStatement(shard: number, { partition, key, value, seq }: RowChange): Statement {
  const time = 2 * seq + 1;
  if (value === undefined)
    return { query: tableStatements.remove, params: [time, shard, blobOf(partition), blobOf(key)] };
  const params = [shard, blobOf(partition), blobOf(key), bufferOf(value), time];
  return { query: tableStatements.put, params };
}

export function rangeStatement(shard: number, { partition, from, to, seq }: DeletedRange): Statement {
  const params = [2 * seq, shard, blobOf(partition), blobOf(from ?? "")];
  if (to === undefined) return { query: tableStatements.removeFrom, params };
  return { query: tableStatements.removeBetween, params: [...params, blobOf(to)] };
}

/** The driver takes Buffers only. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
