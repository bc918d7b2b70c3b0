import test from "ava";
import { openReceipt, sealReceipt, unitKeyOf } from "./receipt.ts";

const experiment = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
const other = "01J9ZC5T8N4W0QK7V3M2B6XH1E";
const proven = { variant: 19, phase: 65_535, exposedAt: 1_800_000_000_123 };
const { key, shard } = unitKeyOf("secret", experiment, "ünit");
const receipt = sealReceipt("secret", experiment, key, proven);

test("a receipt opens as what it was made of", (t) => {
  t.is(receipt.length, 80);
  t.deepEqual(openReceipt("secret", experiment, receipt), { key, shard, proven });
});

test("a receipt begins with the 128 bits of the experiment's id", (t) => {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  for (const id of [experiment, other, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "00000000000000000000000001"]) {
    const value = [...id].reduce((sum, one) => sum * 32n + BigInt(alphabet.indexOf(one)), 0n);
    const bytes = Buffer.from(sealReceipt("secret", id, key, proven).slice(4), "base64url");
    t.is(bytes.toString("hex", 0, 16), value.toString(16).padStart(32, "0"));
  }
});

test("a receipt of another experiment or another tenant is refused", (t) => {
  t.is(openReceipt("secret", other, receipt), undefined);
  t.is(openReceipt("another secret", experiment, receipt), undefined);
});

test("a receipt with any bit flipped, cut anywhere or written otherwise is refused", (t) => {
  const bytes = Buffer.from(receipt.slice(4), "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    t.is(openReceipt("secret", experiment, `er1_${flipped.toString("base64url")}`), undefined, `bit ${bit}`);
  }
  for (let i = 0; i < receipt.length; i++) {
    t.is(openReceipt("secret", experiment, receipt.slice(0, i)), undefined);
    const changed = receipt[i] === "A" ? "B" : "A";
    t.is(openReceipt("secret", experiment, receipt.slice(0, i) + changed + receipt.slice(i + 1)), undefined);
    t.is(openReceipt("secret", experiment, `${receipt.slice(0, i)} ${receipt.slice(i)}`), undefined);
  }
  for (const more of ["=", "\n", "A"]) t.is(openReceipt("secret", experiment, receipt + more), undefined);
});

test("a key does not lead from one experiment or tenant to another", (t) => {
  const keys = [
    key,
    unitKeyOf("secret", other, "ünit").key,
    unitKeyOf("another secret", experiment, "ünit").key,
    unitKeyOf("secret", experiment, "unit").key,
  ];
  t.is(new Set(keys).size, keys.length);
});
