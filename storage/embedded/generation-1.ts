import { readFile } from "node:fs/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { type Generation, newGeneration } from "./generation.ts";

/**
 * The generation file of data format 1, which is only read. It has no list of segments, and does not say which entries
 * of a shard were dropped from the journal.
 *   slot of 8 KiB: magic 8 · generation f64 · shard count u32 · … · at 64: (epoch f64 · head f64)* · at the end: CRC32C u32
 */
const magic = Buffer.from("SYGENER1", "latin1");
const slotBytes = 8_192;
const tableStart = 64;
const crcAt = slotBytes - 4;

export async function readFirstGeneration(path: string): Promise<Generation> {
  const bytes = await readFile(path);
  const valid = [0, 1].map((slot) => decodeSlot(bytes, slot)).filter((slot) => slot !== undefined);
  if (valid.length === 0)
    throw new StorageError(
      "corrupt",
      `${path}: both slots are damaged, so the owners of the shards are not known`,
    );
  return valid.reduce((a, b) => (a.number > b.number ? a : b));
}

function decodeSlot(bytes: Buffer, place: number): Generation | undefined {
  const slot = bytes.subarray(place * slotBytes, (place + 1) * slotBytes);
  if (slot.length < slotBytes || !slot.subarray(0, 8).equals(magic)) return;
  if (slot.readUInt32LE(crcAt) !== crc32c(slot, 0, crcAt)) return;
  const shards = slot.readUInt32LE(16);
  if (shards !== limits.shardCount)
    throw new StorageError(
      "corrupt",
      `the folder was made for ${shards} shards, this build has ${limits.shardCount}`,
    );
  const generation = { ...newGeneration(), number: slot.readDoubleLE(8) };
  for (let shard = 0; shard < shards; shard++) {
    generation.epochs[shard] = slot.readDoubleLE(tableStart + shard * 16);
    generation.heads[shard] = slot.readDoubleLE(tableStart + shard * 16 + 8);
  }
  return generation;
}
