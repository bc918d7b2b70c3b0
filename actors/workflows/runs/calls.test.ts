import test from "ava";
import { limits } from "#base";
import {
  busy,
  enqueued,
  item,
  type Message,
  pool,
  route,
  routed,
  startRuns,
  tenant,
} from "../../../test/support/workflow-runs.ts";
import { runAt } from "../../kit/workflow-run.ts";
import type { CallResult } from "./answers.ts";
import { nextDue, type Run } from "./run.ts";

const action = (id: string, more: object = {}) => ({
  id,
  type: "action",
  action_key: "http.request",
  connection_id: pool,
  input: { n: "${input.n}" },
  ...more,
});
const executing: CallResult = { answer: { id: "e1", connection_id: pool, status: "queued" } };

test("a refusal that may succeed later is retried with a new key, and an answer of an older attempt changes nothing", (t) => {
  const { driver, begin, run, calls, answer } = startRuns();
  const id = begin({ ...route("a"), retry: { max_attempts: 2, initial_ms: 500 } });
  answer(id, "a/1", busy);
  t.like(run(id), { waiting_for: [{ kind: "retry" }] });
  t.deepEqual(calls(id), []);
  driver.advance(500);
  t.deepEqual(calls(id), ["a/2"]);
  driver.tell(runAt(tenant, id), {
    type: "effect",
    step: { type: "done", id: "a/1", attempt: 1, result: routed },
  });
  t.like(run(id), { status: "running" });
  answer(id, "a/2", busy);
  t.like(run(id), { status: "failed", error: { code: "RATE_LIMITED", step_id: "a" } });
});

test("an action waits for its execution and has its output; the call names the step as its origin", (t) => {
  const { driver, begin, run, answer, finish, ask } = startRuns();
  const id = begin(action("pay", { timeout_seconds: 90 }));
  const [effect] = driver.effects(runAt(tenant, id));
  t.like(effect, {
    id: "pay/1",
    body: {
      call: {
        method: "ConnectorService.ExecuteAction",
        request: { key: "http.request", input: { n: 1 }, wait_seconds: 0, deadline_seconds: 90 },
        origin: true,
      },
    },
  });
  answer(id, "pay/1", executing);
  t.like(run(id), { waiting_for: [{ kind: "execution", execution_id: "e1" }] });
  driver.restart();
  finish(id, "pay/1", { ok: true, state: "succeeded", id: "e1", result: { paid: 5 } });
  t.like(run(id), { status: "succeeded" });
  t.like((ask(id, "ListSteps").steps as Message[])[0], {
    output: { execution_id: "e1", connection_id: pool, result: { paid: 5 } },
  });
});

test("an execution that may be repeated is, with a new key; an unknown outcome fails the step at once", (t) => {
  const { driver, begin, run, calls, answer, finish } = startRuns();
  const failed = { ok: false, state: "failed", code: "PROVIDER_ERROR", error: "503", retryable: true };
  const id = begin(action("pay"));
  answer(id, "pay/1", executing);
  finish(id, "pay/1", failed);
  t.like(run(id), { waiting_for: [{ kind: "retry" }] });
  driver.advance(1_000);
  t.deepEqual(calls(id), ["pay/2"]);
  answer(id, "pay/2", executing);
  finish(id, "pay/2", { ...failed, state: "outcome_unknown", code: "OUTCOME_UNKNOWN", outcomeUnknown: true });
  t.like(run(id), {
    status: "failed",
    error: { code: "OUTCOME_UNKNOWN", outcome_unknown: true, step_id: "pay" },
  });
  driver.advance(600_000);
  t.deepEqual(calls(id), []);
});

test("a run that is cancelled cancels its open execution; a step whose time is over does not know the outcome", (t) => {
  const { driver, begin, run, calls, answer, ask } = startRuns();
  const cancelled = begin(action("pay"));
  answer(cancelled, "pay/1", executing);
  ask(cancelled, "CancelRun");
  t.deepEqual(calls(cancelled), ["pay/1/undo"]);
  t.like(driver.effects(runAt(tenant, cancelled))[0], {
    body: { call: { method: "ConnectorService.CancelExecution", request: { execution_id: "e1" } } },
  });
  const late = begin(action("pay", { timeout_seconds: 60 }));
  answer(late, "pay/1", executing);
  driver.advance(60_000);
  t.like(run(late), { status: "failed", error: { code: "TIMEOUT", outcome_unknown: true } });
  t.deepEqual(calls(late), ["pay/1/undo"]);
});

test("a call without an answer is asked for again with the same key, and fails as unknown at its timeout, once", (t) => {
  const { driver, begin, run, calls } = startRuns();
  const id = begin({ ...route("a"), timeout_seconds: 600 });
  driver.advance(limits.workflowIdleMs);
  t.truthy(run(id).idle_since);
  t.deepEqual(calls(id), ["a/1"]);
  driver.advance(300_000);
  t.like(run(id), { status: "failed", error: { code: "TIMEOUT", outcome_unknown: true } });
});

test("an item's end is the step's end: its result, its failure, also where it comes before the answer", (t) => {
  const { begin, run, answer, finish } = startRuns();
  const body = [item("a"), { id: "b", type: "end", output: "${steps.a.output.result}" }];
  const first = begin(...body);
  answer(first, "a/1", enqueued);
  t.like(run(first), { waiting_for: [{ kind: "item", queue_item_id: "i1" }] });
  finish(first, "a/9", { ok: true, state: "completed", result: "wrong" });
  t.like(run(first), { status: "running" });
  finish(first, "a/1", { ok: true, state: "completed", result: { x: 1 } });
  finish(first, "a/1", { ok: false, state: "dead" });
  t.like(run(first), { status: "succeeded", output: { x: 1 } });
  const early = begin(...body);
  finish(early, "a/1", { ok: true, state: "completed", result: 7 });
  answer(early, "a/1", enqueued);
  t.like(run(early), { status: "succeeded", output: 7 });
  const dead = begin(...body);
  answer(dead, "a/1", enqueued);
  finish(dead, "a/1", { ok: false, state: "dead", error: "broken" });
  t.like(run(dead), { status: "failed", error: { code: "ITEM_DEAD", detail: "broken", step_id: "a" } });
});

test("the calls of a run share a timer, which rings in time for the first timeout", (t) => {
  const minute = limits.workflowLookMs;
  const now = 1_700_000_000_000 - (1_700_000_000_000 % minute);
  const dueAt = (at: number, seconds: number) => {
    const call = { method: "RoutingService.Route", request: {} };
    const step = {
      id: "a",
      type: "route",
      status: "running",
      attempt: 1,
      startedAt: at,
      endedAt: 0,
    } as const;
    const waiting = { ...step, wait: { on: "call", call, timeoutAt: at + seconds * 1_000 } as const };
    const run = { status: "running", deadlineAt: now * 2, progressAt: at, idleSince: 0 } as Run;
    return nextDue({ run, steps: new Map([["a", waiting]]) }, at);
  };
  t.is(dueAt(now + 1, 300), now + 5 * minute);
  t.is(dueAt(now + minute - 1, 300), now + 5 * minute);
  t.is(dueAt(now + 1, 90), now + 1 + 90_000);
  t.is(dueAt(now + 1, 125), now + 2 * minute);
});
