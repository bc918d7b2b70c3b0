import test from "ava";
import type { Ask } from "../ask.ts";
import { packAsk, unpackAsk } from "./ask-codec.ts";
import { RemoteCancellation } from "./link.ts";

const signal = new RemoteCancellation();
const asked: Ask = {
  to: { kind: "pool", tenant: "t", key: "k" },
  method: "PoolService.GetPool",
  request: { pool_id: "p" },
  deadlineMs: 7,
  bytes: 9,
  caller: {
    tenant: "t",
    principalKind: "api_key",
    subject: "s",
    owner: "o",
    requestId: "r",
    environment: "staging",
    environmentMode: "any",
    platform: false,
  },
  idempotency: undefined,
  signal,
};

for (const [what, idempotency] of [
  ["without a key", undefined],
  ["with a key", { scope: "s", fingerprint: "f" }],
  ["with a key and members that are not kept", { scope: "s", fingerprint: "f", omit: ["secret"] }],
] as const)
  test(`an ask ${what} is the same in another thread`, (t) => {
    const ask = { ...asked, idempotency };
    t.deepEqual(unpackAsk(packAsk(ask, 9), signal), ask);
    const origin = { kind: "workflow_run", key: "r", ref: "a/1" };
    const ofModule = { ...ask, caller: { ...ask.caller, origin } };
    t.deepEqual(unpackAsk(packAsk(ofModule, 9), signal), ofModule);
    const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (const { caller } of [ask, ofModule]) {
      const traced = { ...ask, caller: { ...caller, trace } };
      t.deepEqual(unpackAsk(packAsk(traced, 9), signal), traced);
    }
  });
