import { type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import test from "ava";
import { limits, Random } from "#base";
import { contractBytes, loadRegistry } from "#protos";
import { fromPlain, toPlain } from "../../contract/index.ts";
import { loadShapes, shapes } from "../../contract/shapes.cases.ts";
import { plainDecoder } from "./decode.ts";
import { plainEncoder } from "./encode.ts";

const { input } = loadShapes().descriptor;

function expected(desc: DescMessage, plain: unknown): string {
  return Buffer.from(toBinary(desc, fromPlain(desc, plain))).toString("hex");
}

const messages: readonly object[] = [
  {},
  shapes,
  { ...shapes, text: "", flag: false, small: 0, large: 0, color: "COLOR_UNSPECIFIED", fraction: 0, data: "" },
  { text: "x".repeat(127), maybe_text: "" },
  { text: "x".repeat(128), inner: { name: "y".repeat(200), needed: "z".repeat(20_000) } },
  { text: "ä€😀".repeat(30), texts: ["", "a".repeat(60), "é".repeat(60)] },
  { small: 2_147_483_647, large: 9_007_199_254_740_991, natural_large: 4_294_967_296, larges: [] },
  { small: -2_147_483_648, large: -1, larges: [0, 127, 128, 16_384, -16_385, 9_007_199_254_740_991] },
  { inners: Array.from({ length: 300 }, (_, n) => ({ name: `n${n}`, needed: "q".repeat(n) })) },
];

test("plain messages become the bytes that protobuf-es makes of them", (t) => {
  const encode = plainEncoder(input);
  for (const message of messages)
    t.is(encode(message).toString("hex"), expected(input, message), JSON.stringify(message).slice(0, 80));
});

test("payloads and attributes become the bytes that protobuf-es makes of them", (t) => {
  const item = loadRegistry(contractBytes()).getMessage("service.api.QueueItem")!;
  const encode = plainEncoder(item);
  const nested = {
    list: [1, -0.5, "ä".repeat(80), [], {}, [null]],
    none: null,
    yes: true,
    no: false,
    "": "",
  };
  for (const payload of [null, 0, 1e300, "", "x".repeat(500), true, false, [], {}, [[nested]], nested]) {
    const message = {
      id: "i",
      payload,
      attributes: { ...nested, payload },
      created_at: "2026-01-02T03:04:05.678Z",
    };
    t.is(encode(message).toString("hex"), expected(item, message), JSON.stringify(payload));
  }
});

test("times that share their last digits keep their own", (t) => {
  const item = loadRegistry(contractBytes()).getMessage("service.api.QueueItem")!;
  const encode = plainEncoder(item);
  for (const created_at of ["2026-01-02T03:04:05.678Z", "2027-01-02T03:04:05.678Z", "1970-01-01T00:00:00Z"])
    t.is(encode({ created_at }).toString("hex"), expected(item, { created_at }));
});

test("bytes become the plain messages that protobuf-es and toPlain make of them", (t) => {
  const decode = plainDecoder(input);
  for (const message of messages) {
    const bytes = Buffer.from(toBinary(input, fromPlain(input, message)));
    t.deepEqual(
      decode(bytes),
      toPlain(input, fromBinary(input, bytes)),
      JSON.stringify(message).slice(0, 80),
    );
    // The same fields twice: the last one counts, messages merge, lists go on.
    const twice = Buffer.concat([bytes, bytes]);
    t.deepEqual(decode(twice), toPlain(input, fromBinary(input, twice)));
  }
});

test("random bytes are read alike or refused alike, and never run away", (t) => {
  const decode = plainDecoder(input);
  const random = new Random(7);
  const whole = Buffer.from(toBinary(input, fromPlain(input, shapes)));
  let read = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = Buffer.from(whole.subarray(0, random.int(whole.length + 1)));
    for (let flips = random.int(3); flips > 0 && bytes.length > 0; flips--)
      bytes[random.int(bytes.length)] = random.int(256);
    const theirs = attempt(() => toPlain(input, fromBinary(input, bytes)));
    const ours = attempt(() => decode(bytes));
    if (ours === undefined) continue;
    read++;
    if (theirs !== undefined) t.deepEqual(ours, theirs, bytes.toString("hex"));
  }
  t.true(read > 100, `${read} were read`);
});

test("JSON is read as deep as REST takes it, and no deeper", (t) => {
  const request = loadRegistry(contractBytes()).getMessage("service.api.EnqueueRequest")!;
  const [encode, decode] = [plainEncoder(request), plainDecoder(request)];
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const payload = nested(limits.jsonDepthMax);
  t.deepEqual((decode(encode({ payload })) as { payload: unknown }).payload, payload);
  t.throws(() => decode(encode({ payload: nested(limits.jsonDepthMax + 1) })));
});

test("a member named __proto__ is refused, in JSON and in maps", (t) => {
  const request = loadRegistry(contractBytes()).getMessage("service.api.CreateRecipientRequest")!;
  for (const message of [{ labels: { __protx__: "x" } }, { metadata: { a: [{ __protx__: 1 }] } }]) {
    const text = plainEncoder(request)(message).toString("latin1").replace("__protx__", "__proto__");
    const bytes = Buffer.from(text, "latin1");
    t.throws(() => plainDecoder(request)(bytes), { message: /the key __proto__ is not allowed/ });
  }
});

test("what protobuf-es refuses is refused", (t) => {
  const decode = plainDecoder(input);
  for (const bytes of [[255], [10, 5, 97], [10, 1, 255], [8], [12], [15, 0], [0x0b, 0x0b]])
    t.throws(() => decode(Buffer.from(bytes)), undefined, String(bytes));
});

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
