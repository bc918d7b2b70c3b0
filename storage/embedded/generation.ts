import { constants } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { assert, limits } from "#base";
import { corrupt, StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { syncFolder, withFile, writeAll } from "./durable.ts";

/**
 * The facts about a folder that must not be lost: for each shard the last epoch that opened it, the head at that time
 * and the entries dropped from the journal; and the segments of the journal. Entries of an earlier epoch after the head
 * of an open were never acknowledged and never will be. The file has two slots of fixed size, written in turn: a torn
 * write corrupts only the older one, and writing needs no new room on the disk.
 *   slot: magic 8 · generation f64 · shard count u32 · segment count u32 · version f64 · … · at 64: (epoch f64 · head f64 · dropped f64)*
 *         · (segment number f64 · salt 8 · bytes u32 · end u32)* · CRC32C u32
 */
export interface Generation {
  number: number;
  readonly epochs: Float64Array;
  /** The head at which the epoch began. */
  readonly heads: Float64Array;
  /** Entries up to here were dropped from the journal, because the tables have them. */
  readonly dropped: Float64Array;
  /** By number: the segments that must exist. */
  readonly segments: Map<number, ListedSegment>;
  /** Counts the writes: of the two slots, the one with the higher version is newer. */
  version: number;
  /**
   * The slot that has the newest version. It does not follow from the version: a failed write uses up a version and no
   * slot.
   */
  slot: number;
}

export interface ListedSegment {
  readonly salt: Buffer;
  /** The length of the file. */
  readonly bytes: number;
  /** The end of its last frame; 0 while frames may still be added. */
  readonly end: number;
}

/** Data format of the whole folder. */
const dataFormat = 1;
const magicText = "SYGENER";
const magic = Buffer.from(`${magicText}${dataFormat}`, "latin1");
const slotBytes = 64 * 1_024;
const tableStart = 64;
const shardBytes = 24;
const segmentBytes = 24;

export async function readGeneration(
  path: string,
): Promise<{ generation: Generation; spoiledSlots: number }> {
  const bytes = await readFile(path);
  requireKnownFormat(path, bytes);
  const slots = [0, 1].map((slot) => decodeSlot(bytes, slot));
  const valid = slots.filter((slot) => slot !== undefined);
  if (valid.length === 0)
    throw corrupt(`${path}: both slots are corrupt, so the owners of the shards are not known`);
  const generation = valid.reduce((a, b) => (a.version > b.version ? a : b));
  return { generation, spoiledSlots: slots.length - valid.length };
}

/** Throws for a format of a later build. */
function requireKnownFormat(path: string, bytes: Buffer): void {
  // One of the two slots may be corrupt. In every format the second begins in the middle of the file.
  for (const at of [0, Math.floor(bytes.length / 2)]) {
    const text = bytes.toString("latin1", at, at + 8);
    if (!/^SYGENER\d$/.test(text)) continue;
    const format = Number(text.slice(magicText.length));
    if (format <= dataFormat) return;
    throw new StorageError(
      "unavailable",
      `${path}: the folder has data format ${format}, this build reads formats up to ${dataFormat}: start the version that wrote it, or choose another storage.dir`,
    );
  }
}

export function newGeneration(): Generation {
  return {
    number: 0,
    epochs: new Float64Array(limits.shardCount),
    heads: new Float64Array(limits.shardCount),
    dropped: new Float64Array(limits.shardCount),
    segments: new Map(),
    version: 0,
    slot: 0,
  };
}

/**
 * Written under another name and renamed: a first start that is cut off leaves no file, instead of one with two
 * unreadable slots.
 */
export async function createGeneration(path: string): Promise<Generation> {
  const generation = newGeneration();
  const slot = Buffer.alloc(slotBytes);
  encodeSlot(generation).copy(slot);
  const made = `${path}.new`;
  await withFile(made, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, async (handle) => {
    await writeAll(handle, Buffer.concat([slot, slot]), 0);
    await handle.sync();
  });
  await rename(made, path);
  await syncFolder(dirname(path));
  return generation;
}

/** Durable when it resolves. */
export async function writeGeneration(path: string, generation: Generation): Promise<void> {
  const slot = 1 - generation.slot;
  generation.version++;
  await withFile(path, constants.O_RDWR | constants.O_DSYNC, (handle) =>
    writeAll(handle, encodeSlot(generation), slot * slotBytes),
  );
  generation.slot = slot;
}

function encodeSlot({ number, epochs, heads, dropped, segments, version }: Generation): Buffer {
  assert(segments.size <= limits.segmentsMax, "the list of segments fits its slot");
  const slot = Buffer.alloc(usedBytes(epochs.length, segments.size));
  slot.set(magic, 0);
  slot.writeDoubleLE(number, 8);
  slot.writeUInt32LE(epochs.length, 16);
  slot.writeUInt32LE(segments.size, 20);
  slot.writeDoubleLE(version, 24);
  let at = tableStart;
  for (let shard = 0; shard < epochs.length; shard++) {
    at = slot.writeDoubleLE(epochs[shard]!, at);
    at = slot.writeDoubleLE(heads[shard]!, at);
    at = slot.writeDoubleLE(dropped[shard]!, at);
  }
  for (const [segment, { salt, bytes, end }] of segments) {
    at = slot.writeDoubleLE(segment, at);
    slot.set(salt, at);
    at = slot.writeUInt32LE(bytes, at + salt.length);
    at = slot.writeUInt32LE(end, at);
  }
  slot.writeUInt32LE(crc32c(slot, 0, at), at);
  return slot;
}

function usedBytes(shards: number, segments: number): number {
  return tableStart + shards * shardBytes + segments * segmentBytes + 4;
}

function decodeSlot(bytes: Buffer, place: number): Generation | undefined {
  const slot = bytes.subarray(place * slotBytes, (place + 1) * slotBytes);
  if (slot.length < slotBytes || !slot.subarray(0, 8).equals(magic)) return;
  const shards = slot.readUInt32LE(16);
  const segmentCount = slot.readUInt32LE(20);
  const crcAt = usedBytes(shards, segmentCount) - 4;
  if (crcAt > slotBytes - 4 || slot.readUInt32LE(crcAt) !== crc32c(slot, 0, crcAt)) return;
  if (shards !== limits.shardCount)
    throw corrupt(`the folder was made for ${shards} shards, this build has ${limits.shardCount}`);
  const [number, version] = [slot.readDoubleLE(8), slot.readDoubleLE(24)];
  const generation = { ...newGeneration(), number, version, slot: place };
  let at = tableStart;
  for (let shard = 0; shard < shards; shard++, at += shardBytes) {
    generation.epochs[shard] = slot.readDoubleLE(at);
    generation.heads[shard] = slot.readDoubleLE(at + 8);
    generation.dropped[shard] = slot.readDoubleLE(at + 16);
  }
  for (let segment = 0; segment < segmentCount; segment++, at += segmentBytes)
    generation.segments.set(slot.readDoubleLE(at), {
      salt: Buffer.from(slot.subarray(at + 8, at + 16)),
      bytes: slot.readUInt32LE(at + 16),
      end: slot.readUInt32LE(at + 20),
    });
  return generation;
}
