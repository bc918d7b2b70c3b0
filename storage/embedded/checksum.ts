/**
 * CRC32C (Castagnoli), sixteen tables so that sixteen bytes cost sixteen independent look-ups. `seed` is an earlier
 * checksum to go on from: checksumming two parts in turn equals checksumming them joined.
 */
export function crc32c(bytes: Buffer, start: number, end: number, seed = 0): number {
  let crc = ~seed;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    const a = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      tables[3840 + (a & 0xff)]! ^
      tables[3584 + ((a >>> 8) & 0xff)]! ^
      tables[3328 + ((a >>> 16) & 0xff)]! ^
      tables[3072 + (a >>> 24)]! ^
      tables[2816 + bytes[at + 4]!]! ^
      tables[2560 + bytes[at + 5]!]! ^
      tables[2304 + bytes[at + 6]!]! ^
      tables[2048 + bytes[at + 7]!]! ^
      tables[1792 + bytes[at + 8]!]! ^
      tables[1536 + bytes[at + 9]!]! ^
      tables[1280 + bytes[at + 10]!]! ^
      tables[1024 + bytes[at + 11]!]! ^
      tables[768 + bytes[at + 12]!]! ^
      tables[512 + bytes[at + 13]!]! ^
      tables[256 + bytes[at + 14]!]! ^
      tables[bytes[at + 15]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}

const polynomial = 0x82f63b78;
const tables = makeTables();

function makeTables(): Int32Array {
  const made = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!;
    made[at] = (before >>> 8) ^ made[before & 0xff]!;
  }
  return made;
}
