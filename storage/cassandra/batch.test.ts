import test from "ava";
import fc from "fast-check";
import { StorageError } from "#storage";
import { decodeBatch, encodeBatch } from "./batch.ts";

test("a batch reads back as it was written", (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (entries) => {
      const read = decodeBatch(encodeBatch(entries), "here").map((entry) => Uint8Array.from(entry));
      t.deepEqual(read, entries);
    }),
  );
});

test("a batch that is cut short or has another version is refused, and the error says where it is stored", (t) => {
  const whole = encodeBatch([Buffer.from("first"), Buffer.from("second")]);
  for (let length = 2; length < whole.length; length++) {
    if (length === 1 + 4 + "first".length) continue; // A batch that is cut after its first entry is a valid batch of one.
    const error = t.throws(() => decodeBatch(whole.subarray(0, length), "shard 3, batch 9"), {
      instanceOf: StorageError,
    });
    t.is(error?.kind, "corrupt");
    t.true(error?.message.startsWith("shard 3, batch 9"));
  }
  t.throws(() => decodeBatch(Buffer.from([9, 0]), "here"), { instanceOf: StorageError });
});
