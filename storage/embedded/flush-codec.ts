import { isRangeDeleted, type ShardFlush } from "../tables.ts";
import { rangeKeys, rowKey } from "./row-key.ts";
import { rowChecksumBytes, sealRow } from "./row-value.ts";

/**
 * A flush as one transferable buffer, on its way from a worker to the tables writer:
 *   parts u32, each part: shard u32 · watermark f64 · ranges u32 · changes u32
 *     range:  start (length u16 · bytes) · end (length u16 · bytes)
 *     change: key (length u16 · bytes) · value length u32, or 0xffffffff for a delete · bytes · checksum
 */
export interface FlushPart {
  readonly shard: number;
  readonly watermark: number;
  readonly ranges: readonly { readonly start: string; readonly end: string }[];
  /** `stored` is the value and its checksum; absent: deleted. */
  readonly changes: readonly { readonly key: string; readonly stored: Buffer | undefined }[];
}

const headerBytes = 4;
const partHeaderBytes = 20;
const deleted = 0xffffffff;

export function encodeFlush(flush: readonly ShardFlush[]): ArrayBuffer {
  const parts = flush.map(keyed);
  let bytes = headerBytes;
  for (const { ranges, changes } of parts) {
    bytes += partHeaderBytes;
    for (const { start, end } of ranges) bytes += 4 + start.length + end.length;
    for (const { key, value } of changes)
      bytes += 6 + key.length + (value ? value.length + rowChecksumBytes : 0);
  }
  const buffer = new ArrayBuffer(bytes);
  const into = Buffer.from(buffer);
  let at = into.writeUInt32LE(parts.length, 0);
  const putKey = (key: string) => {
    at = into.writeUInt16LE(key.length, at);
    at += into.write(key, at, "latin1");
  };
  for (const { shard, watermark, ranges, changes } of parts) {
    at = into.writeUInt32LE(shard, at);
    at = into.writeDoubleLE(watermark, at);
    at = into.writeUInt32LE(ranges.length, at);
    at = into.writeUInt32LE(changes.length, at);
    for (const { start, end } of ranges) {
      putKey(start);
      putKey(end);
    }
    for (const { key, value } of changes) {
      putKey(key);
      at = into.writeUInt32LE(value ? value.length : deleted, at);
      if (!value) continue;
      into.set(value, at);
      at = sealRow(into, at, at + value.length, key);
    }
  }
  return buffer;
}

/** The part with the keys of the environment, without puts that its own range deletes remove. */
function keyed(part: ShardFlush) {
  const { shard, watermark } = part;
  const ranges = part.deletedRanges.map(({ partition, from, to }) => rangeKeys(shard, partition, from, to));
  const changes =
    ranges.length === 0 ? part.changes : part.changes.filter((change) => !isRangeDeleted(part, change));
  return {
    shard,
    watermark,
    ranges,
    changes: changes.map(({ partition, key, value }) => ({ key: rowKey(shard, partition, key), value })),
  };
}

export function* decodeFlush(buffer: ArrayBuffer): Generator<FlushPart> {
  const from = Buffer.from(buffer);
  let at = headerBytes;
  const take = (bytes: number) => {
    at += bytes;
    return from.subarray(at - bytes, at);
  };
  const takeKey = () => {
    const start = at + 2;
    at = start + from.readUInt16LE(at);
    return from.toString("latin1", start, at);
  };
  for (let part = 0; part < from.readUInt32LE(0); part++) {
    const shard = from.readUInt32LE(at);
    const watermark = from.readDoubleLE(at + 4);
    const rangeCount = from.readUInt32LE(at + 12);
    const changeCount = from.readUInt32LE(at + 16);
    at += partHeaderBytes;
    const ranges = Array.from({ length: rangeCount }, () => ({ start: takeKey(), end: takeKey() }));
    const changes = Array.from({ length: changeCount }, () => {
      const key = takeKey();
      const length = from.readUInt32LE(at);
      at += 4;
      return { key, stored: length === deleted ? undefined : take(length + rowChecksumBytes) };
    });
    yield { shard, watermark, ranges, changes };
  }
}
