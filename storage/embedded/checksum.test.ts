import { crc32c as native } from "@node-rs/crc32";
import test from "ava";
import { crc32c } from "./checksum.ts";

test("checksums equal the known answers of CRC32C (RFC 3720, B.4)", (t) => {
  const sum = (bytes: Uint8Array) => crc32c(bytes, 0, bytes.length);
  t.is(sum(new Uint8Array(32)), 0x8a9136aa);
  t.is(sum(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  t.is(sum(Uint8Array.from({ length: 32 }, (_, at) => at)), 0x46dd794e);
  t.is(sum(Uint8Array.from({ length: 32 }, (_, at) => 31 - at)), 0x113fdb5c);
});

test("short and long inputs have the same checksum as the package computes, from every start and with every seed", (t) => {
  const bytes = Buffer.from(Array.from({ length: 1_100 }, (_, at) => (at * 167 + (at >> 3)) & 255));
  for (const length of [0, 1, 7, 8, 9, 15, 16, 63, 64, 200, 511, 512, 513, 1_000])
    for (const start of [0, 1, 3, 8])
      for (const seed of [0, 1, 0x80000000, 0xffffffff]) {
        const part = bytes.subarray(start, start + length);
        t.is(
          crc32c(bytes, start, start + length, seed),
          native(part, seed),
          `${length} from ${start}, ${seed}`,
        );
      }
});
