import { assert, limits } from "#base";

/**
 * A row's key in the environment: shard u16 · partition length u16 · partition · key, as a text of one character a byte.
 * Rows of one partition stand together in the order of their keys. Watermarks stand behind all rows.
 */
const prefixBytes = 4;
const watermarkShard = 0xffff;

export function rowKey(shard: number, partition: string, key: string): string {
  return partitionPrefix(shard, partition) + fitting(key);
}

export function rowKeyBytes(partition: string, key: string): number {
  return prefixBytes + partition.length + key.length;
}

/** Puts a row's key at a place of `into`, behind the prefix of its partition; returns where it ends. */
export function putRowKey(into: Buffer, at: number, prefix: string, key: string): number {
  const keyAt = at + into.write(prefix, at, "latin1");
  return keyAt + into.write(fitting(key), keyAt, "latin1");
}

function fitting(key: string): string {
  assert(key.length <= limits.keyBytesMax, "a row's key fits keyBytesMax");
  return key;
}

/** What the keys of all rows of a partition begin with. */
export function partitionPrefix(shard: number, partition: string): string {
  assert(partition.length <= limits.partitionBytesMax, "a partition's name fits partitionBytesMax");
  return twoBytes(shard) + twoBytes(partition.length) + partition;
}

/** Both ends of a range: the first inclusive, the second exclusive. Either may be a character behind the longest key. */
export function rangeKeys(
  shard: number,
  partition: string,
  from: string | undefined,
  to: string | undefined,
): { readonly start: string; readonly end: string } {
  const prefix = partitionPrefix(shard, partition);
  return { start: prefix + bound(from ?? ""), end: prefix + bound(to ?? afterAllKeys) };
}

/** No key is as great: all of them are shorter than this run of 0xff. */
const afterAllKeys = "\xff".repeat(limits.keyBytesMax + 1);

function bound(key: string): string {
  assert(key.length <= afterAllKeys.length, "an end of a range fits keyBytesMax and one more");
  return key;
}

export function keyOf(stored: string, partition: string): string {
  return stored.slice(prefixBytes + partition.length);
}

/** Not a watermark's: those stand behind all rows. */
export function isRowKey(stored: string): boolean {
  return readTwoBytes(stored, 0) !== watermarkShard;
}

/** The partition of a stored row, and what the keys of its rows begin with. */
export function partitionOf(stored: string): { readonly partition: string; readonly prefix: string } {
  const prefix = stored.slice(0, prefixBytes + readTwoBytes(stored, 2));
  return { partition: prefix.slice(prefixBytes), prefix };
}

/** Where partitions that are as long as this one's, of its shard, begin with `from`, or are greater. */
export function partitionsFrom(prefix: string, from: string): string {
  return prefix.slice(0, prefixBytes) + from;
}

/** Behind all partitions of this length, of this shard. */
export function afterLength(prefix: string): string {
  const length = readTwoBytes(prefix, 2) + 1;
  return prefix.slice(0, 2) + twoBytes(length);
}

/** For an operator: what can be printed as it is, the rest as \\x and two digits. */
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

/** Whose watermark has this key. */
export function watermarkedShard(stored: string): number {
  return readTwoBytes(stored, 2);
}

function twoBytes(value: number): string {
  return String.fromCharCode(value >>> 8, value & 0xff);
}

/** The shard of a stored row, `watermarkShard` for a watermark; undefined where the key is neither's. */
export function shardOf(stored: string): number | undefined {
  if (stored.length < prefixBytes) return;
  const shard = readTwoBytes(stored, 0);
  if (shard === watermarkShard) return stored.length === prefixBytes ? shard : undefined;
  return shard < limits.shardCount && readTwoBytes(stored, 2) + prefixBytes <= stored.length
    ? shard
    : undefined;
}

function readTwoBytes(text: string, at: number): number {
  return (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
}
