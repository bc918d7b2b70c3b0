import { constants } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { syncFolder, withFile, writeAll } from "./durable.ts";

/**
 * Who opened each shard last, and at which head. Entries of an earlier epoch behind that head were never acknowledged
 * and never will be. Two slots of fixed size, written in turn: a torn write spoils only the older one, and a full disk
 * cannot get in the way.
 *
 *   slot: magic 8 · generation f64 · shard count u32 · … · at 64: (epoch f64 · head f64)* · CRC32C u32
 */
export interface Generation {
  number: number;
  readonly epochs: Float64Array;
  /** The head at which the epoch began. */
  readonly heads: Float64Array;
  /** Which slot has it. Not told by the number: one that could not be written has none, and the next has its turn. */
  slot: number;
}

const magic = Buffer.from("SYGENER1", "latin1");
const slotBytes = 8_192;
const tableStart = 64;
const crcAt = slotBytes - 4;

export async function readGeneration(
  path: string,
): Promise<{ generation: Generation; spoiledSlots: number }> {
  const bytes = await readFile(path);
  const slots = [0, 1].map((slot) => decodeSlot(bytes, slot));
  const valid = slots.filter((slot) => slot !== undefined);
  if (valid.length === 0)
    throw new StorageError(
      "corrupt",
      `${path}: both slots are damaged, so the owners of the shards are not known`,
    );
  const generation = valid.reduce((a, b) => (a.number > b.number ? a : b));
  return { generation, spoiledSlots: slots.length - valid.length };
}

/** Made beside its place: a first start that ends in between leaves none, instead of one whose slots nobody can read. */
export async function createGeneration(path: string): Promise<Generation> {
  const generation: Generation = {
    number: 0,
    epochs: new Float64Array(limits.shardCount),
    heads: new Float64Array(limits.shardCount),
    slot: 0,
  };
  const slot = encodeSlot(generation);
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
  await withFile(path, constants.O_RDWR | constants.O_DSYNC, (handle) =>
    writeAll(handle, encodeSlot(generation), slot * slotBytes),
  );
  generation.slot = slot;
}

function encodeSlot({ number, epochs, heads }: Generation): Buffer {
  const slot = Buffer.alloc(slotBytes);
  slot.set(magic, 0);
  slot.writeDoubleLE(number, 8);
  slot.writeUInt32LE(epochs.length, 16);
  for (let shard = 0; shard < epochs.length; shard++) {
    slot.writeDoubleLE(epochs[shard]!, tableStart + shard * 16);
    slot.writeDoubleLE(heads[shard]!, tableStart + shard * 16 + 8);
  }
  slot.writeUInt32LE(crc32c(slot, 0, crcAt), crcAt);
  return slot;
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
  const epochs = new Float64Array(shards);
  const heads = new Float64Array(shards);
  for (let shard = 0; shard < shards; shard++) {
    epochs[shard] = slot.readDoubleLE(tableStart + shard * 16);
    heads[shard] = slot.readDoubleLE(tableStart + shard * 16 + 8);
  }
  return { number: slot.readDoubleLE(8), epochs, heads, slot: place };
}
