import { assert, limits } from "#base";

/**
 * A row's key in the environment: shard u16 · partition length u16 · partition · key, as a string of one character per
 * byte. The rows of one partition are adjacent, in the order of their keys. Watermarks come after all rows.
 */
const prefixBytes = 4;
const watermarkShard = 0xffff;

export function rowKey(shard: number, partition: string, key: string): string {
  assert(key.length <= limits.keyBytesMax, "a row's key fits keyBytesMax");
  return partitionPrefix(shard, partition) + key;
}

/** The common prefix of the keys of all rows of a partition. */
function partitionPrefix(shard: number, partition: string): string {
  assert(partition.length <= limits.partitionBytesMax, "a partition's name fits partitionBytesMax");
  return twoBytes(shard) + twoBytes(partition.length) + partition;
}

/** Start (inclusive) and end (exclusive) of a range. Either may be one character longer than the longest key. */
export function rangeKeys(
  shard: number,
  partition: string,
  from: string | undefined,
  to: string | undefined,
): { readonly start: string; readonly end: string } {
  const prefix = partitionPrefix(shard, partition);
  return { start: prefix + bound(from ?? ""), end: prefix + bound(to ?? afterAllKeys) };
}

/** Greater than every key: all keys are shorter than this run of 0xff. */
const afterAllKeys = "\xff".repeat(limits.keyBytesMax + 1);

function bound(key: string): string {
  assert(key.length <= afterAllKeys.length, "an end of a range fits keyBytesMax and one more");
  return key;
}

export function keyOf(stored: string, partition: string): string {
  return stored.slice(prefixBytes + partition.length);
}

/** False for a watermark. */
export function isRowKey(stored: string): boolean {
  return readTwoBytes(stored, 0) !== watermarkShard;
}

/** The partition of a stored row, and the common prefix of its keys. */
export function partitionOf(stored: string): { readonly partition: string; readonly prefix: string } {
  const prefix = stored.slice(0, prefixBytes + readTwoBytes(stored, 2));
  return { partition: prefix.slice(prefixBytes), prefix };
}

/** The first possible key of partitions of the same shard and the same length as this one, from `from` on. */
export function partitionsFrom(prefix: string, from: string): string {
  return prefix.slice(0, prefixBytes) + from;
}

/** The first possible key after all partitions of this length, of this shard. */
export function afterLength(prefix: string): string {
  const length = readTwoBytes(prefix, 2) + 1;
  return prefix.slice(0, 2) + twoBytes(length);
}

/** For an operator: printable characters as they are, others as \\x and two digits. */
export function rowName(stored: string): string {
  if (stored.length === prefixBytes) return "the watermark";
  return `the row ${stored.slice(prefixBytes).replace(/[^\x21-\x7e]/g, escaped)}`;
}

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

export function watermarkKey(shard: number): string {
  return twoBytes(watermarkShard) + twoBytes(shard);
}

/** The shard whose watermark has this key. */
export function watermarkedShard(stored: string): number {
  return readTwoBytes(stored, 2);
}

function twoBytes(value: number): string {
  return String.fromCharCode(value >>> 8, value & 0xff);
}

/** The shard of a stored row, `watermarkShard` for a watermark, undefined for a key that is neither. */
export function shardOf(stored: string): number | undefined {
  if (stored.length < prefixBytes) return;
  const shard = readTwoBytes(stored, 0);
  if (shard === watermarkShard) return stored.length === prefixBytes ? shard : undefined;
  const isWhole = readTwoBytes(stored, 2) + prefixBytes <= stored.length;
  return shard < limits.shardCount && isWhole ? shard : undefined;
}

function readTwoBytes(text: string, at: number): number {
  return (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
}
