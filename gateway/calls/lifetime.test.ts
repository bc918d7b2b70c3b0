import test from "ava";
import type { Call } from "./call.ts";
import { CallerSignal } from "./lifetime.ts";

test("as many as like may listen to one call: all are told of its end, and Node has nothing to warn of", async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on("warning", onWarning);
  t.teardown(() => process.off("warning", onWarning));
  const caller = new AbortController();
  const call = { signal: caller.signal, deadlineMs: Date.now() + 60_000, hurry: () => undefined };
  const signal = new CallerSignal(call as Call);
  t.teardown(() => signal.end());
  let told = 0;
  for (let i = 0; i < 100; i++) signal.addEventListener("abort", () => told++);
  caller.abort();
  t.true(signal.aborted);
  t.is(told, 100);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(warnings, []);
});
