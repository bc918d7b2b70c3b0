import test from "ava";
import { isRefusal, type Refusal } from "#base";
import { cutOff, RequestBody } from "./body.ts";

const source = { pause: () => undefined, resume: () => undefined };
const open = () => new RequestBody(source, { bodyBytesMax: 10, bodyTimeoutMs: 60_000 });
const bytes = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;

/** What the body came to, as text or the code of its refusal. */
function taken(body: RequestBody): string[] {
  const came: string[] = [];
  body.take((whole: Buffer | Refusal) => came.push(isRefusal(whole) ? whole.code : whole.toString()));
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

test("a body in pieces is joined, whether somebody waits for it or asks later", (t) => {
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
