import { crc32c as native } from "@node-rs/crc32";

/** Up to this many bytes, computing the checksum here is cheaper than a call into the package. */
const nativeBytesMin = 128;

/** The effect of a byte on the checksum. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  return sum;
});

/**
 * CRC32C (Castagnoli) of `bytes` from `start` to `end`. `seed` is an earlier checksum to continue from: the checksum of
 * two parts, one after the other, equals that of the parts joined.
 */
export function crc32c(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  if (end - start >= nativeBytesMin) return native(bytes.subarray(start, end), seed);
  let sum = ~seed;
  for (let at = start; at < end; at++) sum = table[(sum ^ bytes[at]!) & 255]! ^ (sum >>> 8);
  return ~sum >>> 0;
}
