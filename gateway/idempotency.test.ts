import test from "ava";
import type { Call } from "./call.ts";
import { idempotencyOf } from "./idempotency.ts";

const call = {
  method: { idempotent: true, name: "RoutingService.Route" },
  headers: { get: () => "k" },
  tenant: "t",
} as unknown as Call;
const fingerprint = (message: unknown) => idempotencyOf(call, message)!.fingerprint;

test("a message is the same in another order of members, and with members that are not set", (t) => {
  const message = { key: "k", attributes: { a: [1, { x: null, y: "é" }], b: true } };
  const same = { attributes: { b: true, a: [1, { y: "é", x: null }] }, key: "k", cost: undefined };
  t.is(fingerprint(message), fingerprint(same));
});

test("another message is another one", (t) => {
  const messages = [
    {},
    { a: null },
    { a: "" },
    { a: "1" },
    { a: 1 },
    { a: [1] },
    { a: { b: 1 } },
    { a: [] },
    { a: ["b", 1] },
    { b: 1 },
  ];
  t.is(new Set(messages.map(fingerprint)).size, messages.length);
});
