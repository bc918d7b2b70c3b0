import { StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { rowName } from "./row-key.ts";

/**
 * A value in the environment: the value · CRC32C u32. The checksum is seeded with a hash of the row's key, so that a
 * correct value under another key is rejected like a changed one.
 */
export const rowChecksumBytes = 4;

/** Writes the checksum after the value in `bytes` from `start` to `end`; returns where it ends. */
export function sealRow(bytes: Buffer, start: number, end: number, hash: number): number {
  return bytes.writeUInt32LE(crc32c(bytes, start, end, hash), end);
}

const nothing = Buffer.alloc(0);

/**
 * Splits a stored value into value and checksum. A reader has one decoder and checks each value before it reads the
 * next.
 */
export class RowDecoder {
  #checksum = 0;
  /** True: only the `length` of decoded values is needed. */
  measures = false;
  /** Length of the value decoded last, while `measures` is set. */
  length = 0;

  /** The driver reuses its buffer, so the value is copied: into Node's pool, which saves an allocation per value. */
  decode(room: Buffer): Buffer {
    // The driver sets the `length` of its buffer to that of the value.
    const { length } = room;
    if (this.measures) {
      this.length = length - rowChecksumBytes;
      return nothing;
    }
    if (length < rowChecksumBytes) {
      this.#checksum = -1;
      return nothing;
    }
    const end = length - rowChecksumBytes;
    const value = Buffer.allocUnsafe(end);
    value.set(new Uint8Array(room.buffer, room.byteOffset, end));
    this.#checksum =
      (room[end]! | (room[end + 1]! << 8) | (room[end + 2]! << 16) | (room[end + 3]! << 24)) >>> 0;
    return value;
  }

  /**
   * Whether the value decoded last is the one stored under this key. A scan computes the hash of the common prefix once
   * (`begun`).
   */
  isSound(key: string, value: Buffer, begun = noKey): boolean {
    return crc32c(value, 0, value.length, keyHash(key, begun)) === this.#checksum;
  }
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
  return new StorageError("corrupt", message, { shard });
}

/** The hash of the first characters of a key. */
interface BegunHash {
  readonly length: number;
  readonly hash: number;
}

export const noKey: BegunHash = { length: 0, hash: 0x811c9dc5 };

export function beginHash(prefix: string): BegunHash {
  return { length: prefix.length, hash: keyHash(prefix) };
}

/** FNV-1a: one multiplication per byte. */
export function keyHash(key: string, begun = noKey): number {
  let { hash } = begun;
  for (let at = begun.length; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The same for a key in `bytes` from `start` to `end`. */
export function keyHashIn(bytes: Uint8Array, start: number, end: number, begun: BegunHash): number {
  let { hash } = begun;
  for (let at = start + begun.length; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}
