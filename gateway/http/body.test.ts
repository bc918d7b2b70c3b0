import test from "ava";
import { isRefusal, limits, type Refusal } from "#base";
import { testBounds } from "../../test/support/bounds.ts";
import { cutOff, RequestBody } from "./body.ts";
import { HeldBytes } from "./bounds.ts";

const source = { pause: () => undefined, resume: () => undefined };
const open = () => new RequestBody(source, { bodyBytesMax: 10, bodyTimeoutMs: 60_000, bounds: testBounds() });
const bytes = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;

/** What the body came to, as text or the code of its refusal. */
function taken(body: RequestBody): string[] {
  const came: string[] = [];
  body.readBody((whole: Buffer | Refusal) => came.push(isRefusal(whole) ? whole.code : whole.toString()));
  return came;
}

test("a body that comes whole is handed over as it lies, and only once", (t) => {
  const body = open();
  const came = taken(body);
  body.lend(bytes("whole"), true);
  body.lend(bytes("more"), true);
  body.fail(cutOff);
  t.deepEqual(came, ["whole"]);
  t.true(body.ended);
});

test("a body in pieces is joined, whether a reader waits for it or asks later", (t) => {
  const waited = open();
  const came = taken(waited);
  waited.lend(bytes("two "), false);
  t.deepEqual(came, []);
  waited.lend(bytes("parts"), true);
  t.deepEqual(came, ["two parts"]);

  const early = open();
  early.lend(bytes("early"), true);
  t.deepEqual(taken(early), ["early"]);
});

test("a body over the bound is refused, in one piece, in several, or before anybody asks", (t) => {
  const whole = open();
  const came = taken(whole);
  whole.lend(bytes("01234567890"), true);
  t.deepEqual(came, ["PAYLOAD_TOO_LARGE"]);

  const pieces = open();
  const joined = taken(pieces);
  pieces.lend(bytes("0123456789"), false);
  pieces.lend(bytes("0"), true);
  t.deepEqual(joined, ["PAYLOAD_TOO_LARGE"]);

  const early = open();
  early.lend(bytes("01234567890"), true);
  t.deepEqual(taken(early), ["PAYLOAD_TOO_LARGE"]);
});

test("a client that goes away before its body is complete is told of, at once or to who asks later", (t) => {
  const waited = open();
  const came = taken(waited);
  waited.lend(bytes("half"), false);
  waited.fail(cutOff);
  t.deepEqual(came, ["CANCELLED"]);

  const early = open();
  early.fail(cutOff);
  t.deepEqual(taken(early), ["CANCELLED"]);
});

test("a body for which the thread has no memory left is refused with a hint, and what was held is given back", (t) => {
  const requests = new HeldBytes(3_000);
  const options = { bodyBytesMax: 10_000, bodyTimeoutMs: 60_000, bounds: { requests } };
  const first = new RequestBody(source, options);
  const second = new RequestBody(source, options);
  const refused: (Buffer | Refusal)[] = [];
  second.readBody((body) => refused.push(body));
  first.lend(new ArrayBuffer(2_000), false);
  t.is(requests.bytes, 2_000);
  second.lend(new ArrayBuffer(1_500), false);
  t.like(refused, [{ code: "UNAVAILABLE", reason: "REQUEST_MEMORY", retryAfterMs: 1_000 }]);
  first.fail(cutOff);
  t.is(requests.bytes, 0);
});

test("a body that comes whole needs none of that memory", (t) => {
  const full = { bodyBytesMax: 10_000, bodyTimeoutMs: 60_000, bounds: { requests: new HeldBytes(0) } };
  const body = new RequestBody(source, full);
  const came = taken(body);
  body.lend(bytes("whole"), true);
  t.deepEqual(came, ["whole"]);
});

test("a body in pieces is counted as one buffer, and all of it is given back", (t) => {
  const requests = new HeldBytes(1_000_000);
  const body = new RequestBody(source, {
    bodyBytesMax: 100_000,
    bodyTimeoutMs: 60_000,
    bounds: { requests },
  });
  const came: (Buffer | Refusal)[] = [];
  body.readBody((whole) => came.push(whole));
  for (let i = 1; i <= 999; i++) body.lend(bytes("x".repeat(100)), false);
  t.true(requests.bytes >= 99_900 && requests.bytes <= 2 * 100_000);
  body.lend(bytes("x".repeat(100)), true);
  t.is((came[0] as Buffer).toString(), "x".repeat(100_000));
  t.is(requests.bytes, 0);
});

test("a body in thousands of pieces of one byte is refused", (t) => {
  const crumbs = new RequestBody(source, {
    bodyBytesMax: 10_000,
    bodyTimeoutMs: 60_000,
    bounds: testBounds(),
  });
  const came = taken(crumbs);
  for (let i = 0; i < limits.piecesMax; i++) crumbs.lend(bytes("x"), false);
  t.deepEqual(came, []);
  for (let i = 0; i < 100; i++) crumbs.lend(bytes("x"), false);
  t.deepEqual(came, ["INVALID_ARGUMENT"]);
});
