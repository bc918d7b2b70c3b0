import { corrupt, type StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { rowName } from "./row-key.ts";

/**
 * A value in the environment: the value · CRC32C u32. The checksum is seeded with a hash of the row's key, so that a
 * correct value under another key is rejected like a changed one.
 */
export const rowChecksumBytes = 4;

/** Writes the checksum after the value in `bytes` from `start` to `end`; returns where it ends. */
export function sealRow(bytes: Buffer, start: number, end: number, key: string): number {
  return bytes.writeUInt32LE(crc32c(bytes, start, end, keyHash(key)), end);
}

/** The value inside the stored bytes; undefined if it is corrupt. */
export function openRow(key: string, stored: Buffer): Buffer | undefined {
  const at = stored.length - rowChecksumBytes;
  if (at < 0) return;
  return crc32c(stored, 0, at, keyHash(key)) === stored.readUInt32LE(at) ? stored.subarray(0, at) : undefined;
}

/** The checksum that a row was stored with. */
export function checksumOf(stored: Buffer): number {
  const at = stored.length - rowChecksumBytes;
  return at < 0 ? 0 : stored.readUInt32LE(at);
}

export function corruptRow(shard: number, key: string): StorageError {
  const message = `${rowName(key)} of shard ${shard} is corrupt: its checksum does not match`;
  return corrupt(message, { shard });
}

/** FNV-1a: one multiplication per byte. */
export function keyHash(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
