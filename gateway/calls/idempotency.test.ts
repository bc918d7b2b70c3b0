import test from "ava";
import type { Call } from "./call.ts";
import { idempotencyOf } from "./idempotency.ts";

const callWith = (headers: Record<string, string>) =>
  ({
    method: { idempotent: true, name: "RoutingService.Route" },
    headers: { get: (name: string) => headers[name] },
    tenant: "t",
  }) as unknown as Call;
const key = { "idempotency-key": "k" };
const fingerprint = (message: unknown) => idempotencyOf(callWith(key), message)!.fingerprint;

test("the same message for another environment is another one", (t) => {
  const environments = ["production", "staging"].map((name) => callWith({ ...key, "x-environment": name }));
  const found = [callWith(key), ...environments].map((call) => idempotencyOf(call, { name: "p" })!);
  t.is(new Set(found.map(({ scope }) => scope)).size, 1);
  t.is(new Set(found.map((one) => one.fingerprint)).size, 3);
});

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

test("the fingerprint of a message with secrets is another one under another key, and is never made without one", (t) => {
  const withKey = (fingerprintKey?: string) =>
    ({
      ...callWith(key),
      method: { idempotent: true, acceptsSecrets: true, name: "ApiKeyService.CreateApiKey" },
      fingerprintKey,
    }) as unknown as Call;
  const message = { password: "guessed" };
  const made = (fingerprintKey: string) => idempotencyOf(withKey(fingerprintKey), message)!.fingerprint;
  t.is(made("a"), made("a"));
  t.not(made("a"), made("b"));
  t.not(made("a"), fingerprint(message));
  t.throws(() => idempotencyOf(withKey(), message));
});
