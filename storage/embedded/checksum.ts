import { crc32c as native } from "@node-rs/crc32";

/** Up to this many bytes, computing the checksum here is cheaper than a call into the package. */
const nativeBytesMin = 512;

/**
 * The effect of a byte on the checksum from one to eight positions later ("slicing by 8"). `slices[0]` is the ordinary
 * table.
 */
const slices = Array.from({ length: 8 }, () => new Uint32Array(256));
const [s0, s1, s2, s3, s4, s5, s6, s7] = slices as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];
for (let byte = 0; byte < 256; byte++) {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  s0[byte] = sum;
}
for (let slice = 1; slice < 8; slice++)
  for (let byte = 0; byte < 256; byte++) {
    const sum = slices[slice - 1]![byte]!;
    slices[slice]![byte] = (sum >>> 8) ^ s0[sum & 255]!;
  }

/**
 * CRC32C (Castagnoli) of `bytes` from `start` to `end`. `seed` is an earlier checksum to continue from: the checksum of
 * two parts, one after the other, equals that of the parts joined.
 */
export function crc32c(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  if (end - start >= nativeBytesMin) return native(bytes.subarray(start, end), seed);
  let sum = ~seed;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const word = sum ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    sum =
      s7[word & 255]! ^
      s6[(word >>> 8) & 255]! ^
      s5[(word >>> 16) & 255]! ^
      s4[word >>> 24]! ^
      s3[bytes[at + 4]!]! ^
      s2[bytes[at + 5]!]! ^
      s1[bytes[at + 6]!]! ^
      s0[bytes[at + 7]!]!;
  }
  for (; at < end; at++) sum = s0[(sum ^ bytes[at]!) & 255]! ^ (sum >>> 8);
  return ~sum >>> 0;
}
