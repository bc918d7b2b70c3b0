import test from "ava";
import { type Clock, limits } from "#base";
import type { SendResult } from "../dispatch.ts";
import { Breaker } from "./breaker.ts";

const failed = (code = "NETWORK"): SendResult => ({
  type: "not_sent",
  phase: "connect",
  code,
  message: "as the test asks",
});
const maybe: SendResult = {
  type: "maybe_sent",
  phase: "provider",
  code: "TIMEOUT",
  message: "as the test asks",
  keyed: false,
};
const accepted: SendResult = { type: "accepted", providerMessageId: "1" };

function start() {
  let now = 1_000_000;
  const breaker = new Breaker({ now: () => now } as Clock);
  const note = (result: SendResult, times = 1, integration = "a") => {
    for (let n = 0; n < times; n++) breaker.note(integration, result);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { breaker, note, pass };
}

test("given an integration, when it fails five times in a row, then it is left alone for half a minute, and others are not", (t) => {
  const { breaker, note, pass } = start();
  note(failed(), 4);
  note(failed(), 1, "b");
  t.false(breaker.isOpen("a"));
  note(maybe);
  t.true(breaker.isOpen("a"), "an answer that does not come counts too");
  t.false(breaker.isOpen("b"));
  pass(limits.breakerOpenMs - 1);
  t.true(breaker.isOpen("a"));
  pass(1);
  t.false(breaker.isOpen("a"));
});

test("given a breaker whose half minute is over, when the next attempt fails, then the next half minute begins; a good one ends it", (t) => {
  const { breaker, note, pass } = start();
  note(failed(), limits.breakerFailures);
  pass(limits.breakerOpenMs);
  note(failed());
  t.true(breaker.isOpen("a"));
  pass(limits.breakerOpenMs);
  note(accepted);
  note(failed(), limits.breakerFailures - 1);
  t.false(breaker.isOpen("a"), "it is counted from the start again");
});

test("given results that say nothing of the integration, when they come, then they do not count, and a refusal is an answer", (t) => {
  const { breaker, note } = start();
  const others: SendResult[] = [
    { type: "unrendered", code: "TIMEOUT", message: "", retryable: true },
    { type: "slot_lost" },
    failed("BREAKER_OPEN"),
    { ...maybe, code: "INTERRUPTED" },
  ];
  for (const result of others) note(result, limits.breakerFailures);
  t.false(breaker.isOpen("a"));
  note(failed(), limits.breakerFailures - 1);
  note({ type: "refused", phase: "provider", code: "PROVIDER_REFUSED", message: "" });
  note(failed());
  t.false(breaker.isOpen("a"));
});

test("given more integrations than it remembers, when another one fails, then the oldest is forgotten", (t) => {
  const { breaker, note } = start();
  note(failed(), limits.breakerFailures, "first");
  for (let n = 1; n <= limits.breakersMax; n++) note(failed(), 1, `other-${n}`);
  t.false(breaker.isOpen("first"));
});
