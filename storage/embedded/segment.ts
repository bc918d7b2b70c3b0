import { randomBytes } from "node:crypto";
import { limits } from "#base";
import { corrupt } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { frameAlignment, frameEnd, frameGroups, frameMark, type Group } from "./frame.ts";

/** A segment file: one header block, then frames, then zeros or leftovers of an earlier use. */
export const segmentHeaderBytes = 4_096;
const saltBytes = 8;
const magic = Buffer.from("SYJRNL01", "latin1");

export function newSalt(): Buffer {
  return randomBytes(saltBytes);
}

/**
 * magic 8 · salt 8 · shard count u32 · recycled u32 · CRC32C u32. A segment gets its name only after its header is synced, so a bad
 * header under a segment's name is corruption, never a torn write.
 */
export function encodeSegmentHeader(salt: Buffer, recycled: boolean): Buffer {
  const block = Buffer.alloc(segmentHeaderBytes);
  block.set(magic, 0);
  block.set(salt, 8);
  block.writeUInt32LE(limits.shardCount, 16);
  block.writeUInt32LE(recycled ? 1 : 0, 20);
  block.writeUInt32LE(crc32c(block, 0, 24), 24);
  return block;
}

function decodeSegmentHeader(file: string, bytes: Buffer): SegmentHeader {
  const whole = bytes.length >= segmentHeaderBytes && bytes.subarray(0, 8).equals(magic);
  if (!whole || bytes.readUInt32LE(24) !== crc32c(bytes, 0, 24))
    throw corrupt(`${file}: the segment header at offset 0 is corrupt`);
  const shards = bytes.readUInt32LE(16);
  if (shards !== limits.shardCount)
    throw corrupt(`${file} was written for ${shards} shards, this build has ${limits.shardCount}`);
  return { salt: Buffer.from(bytes.subarray(8, 16)), recycled: bytes.readUInt32LE(20) === 1 };
}

interface SegmentHeader {
  readonly salt: Buffer;
  /** Frames of an earlier use, with another salt, may follow the end. */
  readonly recycled: boolean;
}

export interface SegmentContent {
  readonly salt: Buffer;
  readonly groups: readonly Group[];
  /** Where the last valid frame ends. */
  readonly end: number;
  /** True: an incomplete frame follows the end, which was being written when the power failed. */
  readonly torn: boolean;
}

/**
 * Reads all frames. A frame is written only after the one before it is synced. So a valid frame after an invalid one
 * proves corruption, which is an error with file and offset. `live`: another owner is still writing the file, so what
 * follows the end is ignored.
 */
export function readSegment(file: string, bytes: Buffer, live = false): SegmentContent {
  const { salt, recycled } = decodeSegmentHeader(file, bytes);
  const groups: Group[] = [];
  let at = segmentHeaderBytes;
  for (;;) {
    const end = frameEnd(bytes, at, { salt, offset: at });
    if (end === undefined) break;
    const found = frameGroups(bytes, at);
    if (!found) throw corrupt(`${file}: the frame at offset ${at} has a good checksum and bad content`);
    groups.push(...found);
    at = end;
  }
  if (live) return { salt, groups, end: at, torn: false };
  const later = nextFrame(bytes, at, salt);
  if (later !== undefined)
    throw corrupt(
      `${file}: the frame at offset ${at} is corrupt, because a valid one follows at offset ${later}`,
    );
  const torn = recycled ? hasMark(bytes, at, salt) : hasContent(bytes, at);
  return { salt, groups, end: at, torn };
}

function nextFrame(bytes: Buffer, after: number, salt: Buffer): number | undefined {
  for (let at = after + frameAlignment; at < bytes.length; at += frameAlignment) {
    // Most of the rest of a segment was never written.
    while (at % zeros.length === 0 && at < bytes.length && isZero(bytes, at)) at += zeros.length;
    if (hasMark(bytes, at, salt) && frameEnd(bytes, at, { salt, offset: at }) !== undefined) return at;
  }
  return;
}

function hasMark(bytes: Buffer, at: number, salt: Buffer): boolean {
  return at + 4 <= bytes.length && bytes.readUInt32LE(at) === frameMark(salt, at);
}

/** After the end of a new file there are only the zeros with which it was made. */
function hasContent(bytes: Buffer, start: number): boolean {
  for (let at = start; at < bytes.length; at += zeros.length) if (!isZero(bytes, at)) return true;
  return false;
}

const zeros = Buffer.alloc(4_096);

function isZero(bytes: Buffer, at: number): boolean {
  const end = Math.min(at + zeros.length, bytes.length);
  return bytes.compare(zeros, 0, end - at, at, end) === 0;
}
