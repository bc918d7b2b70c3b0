import { crc32c } from "@node-rs/crc32";
import { StorageError } from "../error.ts";
import { rowName } from "./row-key.ts";

/**
 * A value in the environment: the value · CRC32C u32. The checksum begins from a hash of the row's key, so that a sound
 * value under another key is no more believed than a changed one.
 */
export const rowChecksumBytes = 4;

/** Puts the checksum into the last four bytes of `stored`. */
export function sealRow(key: string, stored: Buffer): void {
  const at = stored.length - rowChecksumBytes;
  stored.writeUInt32LE(crc32c(stored.subarray(0, at), keyHash(key)), at);
}

const nothing = Buffer.alloc(0);

/** Splits what the driver found into value and checksum. One reader has one: a value is checked before the next is read. */
export class RowDecoder {
  #checksum = 0;
  /** Only `length` is wanted of what is decoded. */
  measures = false;
  /** Of the value decoded last, while it measures. */
  length = 0;

  /** The driver's room is used again: the value is copied, into Node's pool and not into a block of memory of its own. */
  decode(room: Buffer): Buffer {
    // The driver tells by its room's `length` how much of it is the value.
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

  /** Whether the value decoded last is what was stored under this key. A scan hashes what its keys begin with once. */
  isSound(key: string, value: Buffer, begun = noKey): boolean {
    return crc32c(value, keyHash(key, begun)) === this.#checksum;
  }
}

/** The value of what the driver gave whole; undefined: it is damaged. */
export function openRow(key: string, stored: Buffer): Buffer | undefined {
  const at = stored.length - rowChecksumBytes;
  if (at < 0) return;
  const value = stored.subarray(0, at);
  return crc32c(value, keyHash(key)) === stored.readUInt32LE(at) ? value : undefined;
}

export function damagedRow(shard: number, key: string): StorageError {
  const message = `${rowName(key)} of shard ${shard} is damaged: its checksum does not match`;
  return new StorageError("corrupt", message, { shard });
}

/** The hash of the first characters of a key. */
interface BegunHash {
  readonly length: number;
  readonly hash: number;
}

const noKey: BegunHash = { length: 0, hash: 0x811c9dc5 };

export function beginHash(prefix: string): BegunHash {
  return { length: prefix.length, hash: keyHash(prefix) };
}

/** FNV-1a: a byte costs one multiplication, and a second call into the checksum's package would cost more than all of them. */
function keyHash(key: string, begun = noKey): number {
  let { hash } = begun;
  for (let at = begun.length; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
