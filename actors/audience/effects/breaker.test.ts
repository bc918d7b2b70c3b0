import test from "ava";
import { type Clock, limits } from "#base";
import type { SendResult } from "../deliveries/dispatch.ts";
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
  const of = (integration: string, to = "x") => ({ tenant: "t", integration, to });
  const note = (result: SendResult, times = 1, integration = "a", to = "x") => {
    for (let n = 0; n < times; n++) breaker.note(of(integration, to), result);
  };
  const isOpen = (integration: string, to = "x") => breaker.waitMs(of(integration, to)) > 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { isOpen, note, pass };
}

test("given an integration, when it fails five times in a row, then it is left alone for half a minute, and others are not", (t) => {
  const { isOpen, note, pass } = start();
  note(failed(), 4);
  note(failed(), 1, "b");
  t.false(isOpen("a"));
  note(maybe);
  t.true(isOpen("a"), "an answer that does not come counts too");
  t.false(isOpen("b"));
  pass(limits.breakerOpenMs - 1);
  t.true(isOpen("a"));
  pass(1);
  t.false(isOpen("a"));
});

test("given a breaker whose half minute is over, when the next attempt fails, then the next half minute begins; a good one ends it", (t) => {
  const { isOpen, note, pass } = start();
  note(failed(), limits.breakerFailures);
  pass(limits.breakerOpenMs);
  note(failed());
  t.true(isOpen("a"));
  pass(limits.breakerOpenMs);
  note(accepted);
  note(failed(), limits.breakerFailures - 1);
  t.false(isOpen("a"), "it is counted from the start again");
});

test("given results that say nothing of the integration, when they come, then they do not count, and a refusal is an answer", (t) => {
  const { isOpen, note } = start();
  const others: SendResult[] = [
    { type: "unrendered", code: "TIMEOUT", message: "", retryable: true },
    { type: "slot_lost" },
    { type: "breaker_open", waitMs: 1 },
    { ...maybe, code: "INTERRUPTED" },
  ];
  for (const result of others) note(result, limits.breakerFailures);
  t.false(isOpen("a"));
  note(failed(), limits.breakerFailures - 1);
  const refused = { type: "refused", phase: "provider", code: "PROVIDER_REFUSED", message: "" } as const;
  note(refused);
  note({ ...refused, providerStatus: 400 });
  note(failed());
  t.false(isOpen("a"));
});

test("given more integrations than it remembers, when another one fails, then the oldest is forgotten", (t) => {
  const { isOpen, note } = start();
  note(failed(), limits.breakerFailures, "first");
  for (let n = 1; n <= limits.breakersMax; n++) note(failed(), 1, `other-${n}`);
  t.false(isOpen("first"));
});

test("given an address that fails, when it has failed five times, then only it is left alone, and no more than it", (t) => {
  const { isOpen, note, pass } = start();
  const result = { ...failed(), about: "endpoint" } as SendResult;
  note(result, limits.breakerFailures);
  t.true(isOpen("a"));
  t.false(isOpen("a", "y"));
  t.false(isOpen("b"), "the same address by another integration");
  note(failed(), limits.breakerFailures - 1);
  note(accepted, 1, "a", "y");
  note(failed(), 1, "a", "y");
  t.false(isOpen("a", "y"), "the integration has its own count");
  pass(limits.breakerOpenMs);
  t.false(isOpen("a"));
});
