import { crc32c as native } from "@node-rs/crc32";

/**
 * CRC32C (Castagnoli) of `bytes` from `start` to `end`. `seed` is an earlier checksum to go on from: checksumming two
 * parts in turn equals checksumming them joined.
 */
export function crc32c(bytes: Buffer, start: number, end: number, seed = 0): number {
  return native(bytes.subarray(start, end), seed);
}
