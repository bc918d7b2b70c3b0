import { getEventListeners } from "node:events";
import test from "ava";
import { RefusalError } from "#base";
import type { Cancellation } from "#runtime";
import type { ContractMethod } from "../contract/method.ts";
import type { Call } from "./call.ts";
import { CallerSignal, Lifetime } from "./lifetime.ts";
import { Stopping } from "./stopping.ts";

test("as many as like may listen to one call: all are told of its end, and Node has nothing to warn of", async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on("warning", onWarning);
  t.teardown(() => process.off("warning", onWarning));
  const caller = new AbortController();
  const signal = new CallerSignal(callOf(caller.signal));
  t.teardown(() => signal.end());
  let told = 0;
  for (let i = 0; i < 100; i++) signal.addEventListener("abort", () => told++);
  caller.abort();
  t.true(signal.aborted);
  t.is(told, 100);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(warnings, []);
});

test("who only looks whether a call is over makes nothing listen to its caller", (t) => {
  const caller = new AbortController();
  const signal = new CallerSignal(callOf(caller.signal));
  t.false(signal.aborted);
  t.is(getEventListeners(caller.signal, "abort").length, 0);
  caller.abort();
  t.true(signal.aborted, "its caller has gone");
  const answered = new CallerSignal(callOf(new AbortController().signal));
  answered.end();
  t.true(answered.aborted, "it has its answer");
});

for (const kind of ["server_streaming", "bidi_streaming"] as const)
  test(`an answer that is not read to its end ends as its reader would have been told: ${kind}`, async (t) => {
    const stopping = new Stopping();
    const unread = (signal: AbortSignal, stop: () => void, leftMs?: number) => {
      const lifetime = new Lifetime(callOf(signal, leftMs));
      const sent = stopping.messages({ kind } as ContractMethod, endless(), lifetime);
      return endOf(lifetime.each(sent), stop);
    };
    const [caller, late, slow] = [new AbortController(), new AbortController(), new AbortController()];
    const stopAndCut = () => {
      stopping.begin();
      slow.abort();
    };
    t.is(await unread(caller.signal, () => undefined), "CANCELLED", "nobody says why it is left");
    t.is(await unread(caller.signal, () => caller.abort()), "CANCELLED", "it goes away");
    t.is(await unread(late.signal, () => late.abort(), 0), "TIMEOUT", "it goes away at its deadline");
    t.is(await unread(slow.signal, stopAndCut), "UNAVAILABLE", "we stop, and wait for it no longer");
  });

test("an answer that is left before its first message is over, and one that is at its end cannot be left any more", async (t) => {
  let stopped = 0;
  async function* source(count: number) {
    try {
      for (let i = 0; i < count; i++) yield i;
    } finally {
      stopped++;
    }
  }
  const unread = new Lifetime(callOf(new AbortController().signal));
  const left = unread.each(source(1))[Symbol.asyncIterator]();
  await t.throwsAsync(left.return!(), { instanceOf: RefusalError });
  t.true(unread.signal.aborted);
  t.like(await left.next(), { done: true });
  const read = new Lifetime(callOf(new AbortController().signal));
  const items = read.each(source(1))[Symbol.asyncIterator]();
  t.deepEqual(
    [await items.next(), await items.next()],
    [
      { done: false, value: 0 },
      { done: true, value: undefined },
    ],
  );
  t.true(read.signal.aborted);
  t.like(await items.return!(), { done: true });
  t.is(stopped, 1);
});

/** With what an answer ends that is left after its first message, `meanwhile` something happens. */
async function endOf(answer: AsyncIterable<unknown>, meanwhile: () => void): Promise<string> {
  try {
    for await (const _message of answer) {
      meanwhile();
      break;
    }
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown.refusal.code;
    throw thrown;
  }
  return "OK";
}

async function* endless() {
  for (;;) yield {};
}

function callOf(signal: AbortSignal, leftMs = 60_000): Call {
  const deadlineMs = Date.now() + leftMs;
  return { signal, cancellation: signal as Cancellation, deadlineMs, hurry: () => undefined } as Call;
}
