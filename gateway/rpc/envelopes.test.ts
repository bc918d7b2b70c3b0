import test from "ava";
import fc from "fast-check";
import { RefusalError } from "#base";
import { HeldBytes } from "../http/bounds.ts";
import { Envelopes } from "./envelopes.ts";

function envelope(message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(5 + message.byteLength);
  bytes.writeUInt32BE(message.byteLength, 1);
  bytes.set(message, 5);
  return bytes;
}

test("messages cut into any pieces come out whole, in order, and nothing stays counted", (t) => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 });
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(messages, cuts, (sent, lengths) => {
      const memory = new HeldBytes(10_000);
      const envelopes = new Envelopes(40, memory);
      const body = Buffer.concat(sent.map(envelope));
      const came: Buffer[] = [];
      for (let at = 0, piece = 0; at < body.byteLength; piece++) {
        const length = lengths[piece % lengths.length]!;
        came.push(...envelopes.add(body.subarray(at, at + length)));
        at += length;
      }
      t.deepEqual(Buffer.concat(came), body);
      for (const one of came) t.true(isWhole(one));
      t.is(envelopes.end().byteLength, 0);
      t.is(memory.bytes, 0);
    }),
  );
});

test("a message over the bound is passed on as it comes, for the library to refuse", (t) => {
  const envelopes = new Envelopes(10, new HeldBytes(10_000));
  const large = envelope(new Uint8Array(11));
  const came = [...large].flatMap((byte) => [...envelopes.add(Buffer.from([byte]))]);
  t.deepEqual(Buffer.concat(came), large);
  t.is(came[0]?.byteLength, 5);
});

test("a message that ends early is passed on at the end", (t) => {
  const envelopes = new Envelopes(10, new HeldBytes(10_000));
  t.deepEqual([...envelopes.add(Buffer.from([0, 0, 0, 0, 2, 7]))], []);
  t.deepEqual([...envelopes.end()], [0, 0, 0, 0, 2, 7]);
});

test("a message for which there is no memory is refused, and what was held of it is given back", (t) => {
  const memory = new HeldBytes(2_000);
  const envelopes = new Envelopes(10_000, memory);
  const large = envelope(new Uint8Array(5_000));
  t.deepEqual([...envelopes.add(large.subarray(0, 100))], []);
  t.true(memory.bytes > 0);
  const error = t.throws(() => [...envelopes.add(large.subarray(100, 4_000))], { instanceOf: RefusalError });
  t.like(error?.refusal, { code: "UNAVAILABLE", reason: "REQUEST_MEMORY", retryAfterMs: 1_000 });
  t.is(memory.bytes, 0);
});

function isWhole(bytes: Buffer): boolean {
  let end = 0;
  while (end < bytes.byteLength) end += 5 + bytes.readUInt32BE(end + 1);
  return end === bytes.byteLength;
}
