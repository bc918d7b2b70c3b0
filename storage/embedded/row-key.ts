import { assert, limits } from "#base";

/**
 * A row's key in the environment: shard u16 · partition length u16 · partition · key. Rows of one partition stand
 * together in the order of their keys. Watermarks stand behind all rows.
 */
const prefixBytes = 4;
const watermarkShard = 0xffff;

export function rowKey(shard: number, partition: Uint8Array, key: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(rowKeyBytes(partition, key));
  putRowKey(bytes, 0, shard, partition, key);
  return bytes;
}

export function rowKeyBytes(partition: Uint8Array, key: Uint8Array): number {
  return prefixBytes + partition.length + key.length;
}

/** Puts a row's key at a place of `into`; returns where it ends. */
export function putRowKey(
  into: Buffer,
  at: number,
  shard: number,
  partition: Uint8Array,
  key: Uint8Array,
): number {
  assert(key.length <= limits.keyBytesMax, "a row's key fits keyBytesMax");
  assert(partition.length <= limits.partitionBytesMax, "a partition's name fits partitionBytesMax");
  putPrefix(into, at, shard, partition);
  into.set(key, at + prefixBytes + partition.length);
  return at + rowKeyBytes(partition, key);
}

/** Both ends of a range: the first inclusive, the second exclusive. */
export function rangeKeys(
  shard: number,
  partition: Uint8Array,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
): { readonly start: Buffer; readonly end: Buffer } {
  const start = rowKey(shard, partition, from ?? nothing);
  return { start, end: to === undefined ? partitionEnd(shard, partition) : rowKey(shard, partition, to) };
}

export function keyOf(stored: Buffer, partition: Uint8Array): Buffer {
  return stored.subarray(prefixBytes + partition.length);
}

export function watermarkKey(shard: number): Buffer {
  const bytes = Buffer.allocUnsafe(prefixBytes);
  bytes.writeUInt16BE(watermarkShard, 0);
  bytes.writeUInt16BE(shard, 2);
  return bytes;
}

const nothing = new Uint8Array(0);

/** No key of the partition is as great: all of them are shorter than this run of 0xff. */
function partitionEnd(shard: number, partition: Uint8Array): Buffer {
  const bytes = Buffer.alloc(prefixBytes + partition.length + limits.keyBytesMax + 1, 0xff);
  putPrefix(bytes, 0, shard, partition);
  return bytes;
}

function putPrefix(bytes: Buffer, at: number, shard: number, partition: Uint8Array): void {
  bytes.writeUInt16BE(shard, at);
  bytes.writeUInt16BE(partition.length, at + 2);
  bytes.set(partition, at + prefixBytes);
}

/** The shard of a stored row, `watermarkShard` for a watermark; undefined where the key is neither's. */
export function shardOf(stored: Buffer): number | undefined {
  if (stored.length < prefixBytes) return;
  const shard = stored.readUInt16BE(0);
  if (shard === watermarkShard) return stored.length === prefixBytes ? shard : undefined;
  return shard < limits.shardCount && stored.readUInt16BE(2) + prefixBytes <= stored.length
    ? shard
    : undefined;
}
