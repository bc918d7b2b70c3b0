import type { JournalBatch } from "../journal.ts";
import { crc32c } from "./checksum.ts";

/**
 * The unit of the journal: all batches that one sync makes durable. A frame is valid only in its own segment (salt) and
 * at its own place (offset), so that leftovers in a recycled file and copied bytes are never taken for a frame.
 *   mark u32 · payload bytes u32 · groups u32 · CRC32C u32 · payload · zeros up to a multiple of 8
 *   group: shard u32 · entries u32 · epoch f64 · first sequence f64 · (length u32 · bytes)*
 */
const frameHeaderBytes = 16;
const groupHeaderBytes = 24;
export const frameAlignment = 8;

export interface Group {
  readonly shard: number;
  readonly epoch: number;
  readonly firstSeq: number;
  readonly count: number;
  /** Offset of the first entry's length within a group. */
  readonly start: number;
  readonly end: number;
}

export function groupBytes(batch: JournalBatch): number {
  let bytes = groupHeaderBytes;
  for (const entry of batch.entries) bytes += 4 + entry.length;
  return bytes;
}

export function frameBytes(payloadBytes: number): number {
  return Math.ceil((frameHeaderBytes + payloadBytes) / frameAlignment) * frameAlignment;
}

/**
 * A frame without groups ends a segment that is complete. With it, every frame with entries is followed by a valid
 * frame, so that corruption to one of them is recognised as corruption.
 */
const sealPayloadBytes = 8;
export const sealBytes = frameBytes(sealPayloadBytes);

/** Writes the frame at the start of `into`, for the given place in its segment; returns its length. */
export function encodeFrame(into: Buffer, batches: readonly JournalBatch[], place: FramePlace): number {
  let at = frameHeaderBytes;
  for (const batch of batches) {
    into.writeUInt32LE(batch.shard, at);
    into.writeUInt32LE(batch.entries.length, at + 4);
    into.writeDoubleLE(batch.epoch, at + 8);
    into.writeDoubleLE(batch.firstSeq, at + 16);
    at += groupHeaderBytes;
    for (const entry of batch.entries) {
      into.writeUInt32LE(entry.length, at);
      into.set(entry, at + 4);
      at += 4 + entry.length;
    }
  }
  // A frame always has a payload, so that zeros are never a valid frame.
  const payload = Math.max(at - frameHeaderBytes, sealPayloadBytes);
  const end = frameBytes(payload);
  into.fill(0, at, end);
  into.writeUInt32LE(frameMark(place.salt, place.offset), 0);
  into.writeUInt32LE(payload, 4);
  into.writeUInt32LE(batches.length, 8);
  into.writeUInt32LE(checksum(into, 0, payload, place), 12);
  return end;
}

export interface FramePlace {
  readonly salt: Buffer;
  readonly offset: number;
}

/** The end of the valid frame at `at` (offset `place.offset` of its segment), or undefined if there is none. */
export function frameEnd(bytes: Buffer, at: number, place: FramePlace): number | undefined {
  if (at + frameHeaderBytes > bytes.length || bytes.readUInt32LE(at) !== frameMark(place.salt, place.offset))
    return;
  const payload = bytes.readUInt32LE(at + 4);
  const end = at + frameBytes(payload);
  if (payload === 0 || end > bytes.length) return;
  return checksum(bytes, at, payload, place) === bytes.readUInt32LE(at + 12) ? end : undefined;
}

/** The groups of a frame whose checksum is valid. Undefined: the content does not parse all the same. */
export function frameGroups(bytes: Buffer, at: number): Group[] | undefined {
  const payloadEnd = at + frameHeaderBytes + bytes.readUInt32LE(at + 4);
  const groupCount = bytes.readUInt32LE(at + 8);
  if (groupCount === 0) return [];
  const groups: Group[] = [];
  let next = at + frameHeaderBytes;
  for (let i = 0; i < groupCount; i++) {
    if (next + groupHeaderBytes > payloadEnd) return;
    const count = bytes.readUInt32LE(next + 4);
    const start = next + groupHeaderBytes;
    let end = start;
    for (let entry = 0; entry < count; entry++) {
      if (end + 4 > payloadEnd) return;
      end += 4 + bytes.readUInt32LE(end);
    }
    if (end > payloadEnd) return;
    groups.push({
      shard: bytes.readUInt32LE(next),
      epoch: bytes.readDoubleLE(next + 8),
      firstSeq: bytes.readDoubleLE(next + 16),
      count,
      start,
      end,
    });
    next = end;
  }
  return next === payloadEnd ? groups : undefined;
}

/** The mark depends on the place, so that a search for frames after a bad one has few candidates to check. */
export function frameMark(salt: Buffer, offset: number): number {
  return (salt.readUInt32LE(0) ^ Math.imul(offset + 1, 0x9e3779b1)) >>> 0;
}

const prefix = Buffer.alloc(24);

function checksum(bytes: Buffer, at: number, payload: number, { salt, offset }: FramePlace): number {
  prefix.set(salt, 0);
  prefix.writeDoubleLE(offset, 8);
  prefix.writeUInt32LE(payload, 16);
  prefix.writeUInt32LE(bytes.readUInt32LE(at + 8), 20);
  const start = at + frameHeaderBytes;
  return crc32c(bytes, start, start + payload, crc32c(prefix, 0, prefix.length));
}
