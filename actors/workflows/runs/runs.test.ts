import test from "ava";
import { handleOf, limits } from "#base";
import { EntityDriver } from "../../../test/support/entity.ts";
import { modules } from "../../../test/support/module-parts.ts";
import { indexOfRun, runAt, runIndexOf } from "../../shared/workflow-run.ts";
import type { Body } from "../body/body.ts";
import { problemsOf } from "../body/check.ts";
import type { CallResult } from "./answers.ts";
import { nextDue, type Run } from "./run.ts";
import { bytesOf } from "./state.ts";

type Message = Record<string, unknown>;

const tenant = "01JD0000000000000000000001";
const definition = { id: "01JD0000000000000000000002", key: "flow", environment: "production" };
const pool = "01JD0000000000000000000003";

function startDriver() {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const index = (key: string) => runIndexOf(tenant, key);
  const start = (body: object, input: unknown = {}, runKey = "") => {
    const request = { type: "start", definition, version: 1, body: body as Body, input, runKey };
    return driver.ask(index(runKey), "WorkflowRunService.StartRun", request) as {
      run: Message;
      started: boolean;
    };
  };
  const begin = (...steps: object[]) => {
    const body = { steps };
    if (problemsOf(body).length > 0) throw new Error(JSON.stringify(problemsOf(body)));
    return start(body, { n: 1 }).run.id as string;
  };
  const ask = (id: string, method: string, request: Message = {}) =>
    driver.ask(
      runAt(tenant, id),
      method === "Signal" ? "WorkflowRun.Signal" : `WorkflowRunService.${method}`,
      { run_id: id, ...request },
    ) as Message;
  const run = (id: string) => ask(id, "GetRun");
  const steps = (id: string) =>
    Object.fromEntries((ask(id, "ListSteps").steps as Message[]).map((step) => [step.id, step.status]));
  const calls = (id: string) => driver.effects(runAt(tenant, id)).map((effect) => effect.id);
  const answer = (id: string, effect: string, result: CallResult) =>
    driver.stepEffect(runAt(tenant, id), { type: "done", id: effect, attempt: 1, result });
  const finish = (id: string, ref: string, finished: Message) =>
    driver.tell(runAt(tenant, id), { type: "finished", ref, finished });
  return { driver, start, begin, ask, run, steps, calls, answer, finish };
}

const wait = (id: string, seconds = 10) => ({ id, type: "wait", seconds });
const route = (id: string) => ({ id, type: "route", pool_id: pool });
const item = (id: string) => ({ id, type: "enqueue", pool_id: pool, wait: true });
const event = (id: string, more: object = {}) => ({ id, type: "wait_event", event_key: "paid", ...more });
const routed: CallResult = {
  answer: { id: "r1", pool_id: pool, recipient_id: "p1", strategy: "round_robin" },
};
const enqueued: CallResult = {
  answer: { item: { id: "i1", pool_id: pool }, admission: { outcome: "enqueued" } },
};
const busy: CallResult = { refused: { code: "RATE_LIMITED", detail: "busy", retryable: true } };
const bad: CallResult = { refused: { code: "NOT_FOUND", detail: "no pool", retryable: false } };

test("steps run in order, outputs are seen by later ones, and the run ends with its output", (t) => {
  const { driver, start, run, calls, answer } = startDriver();
  const body = {
    steps: [
      wait("a"),
      route("b"),
      { id: "c", type: "branch", cases: [{ when: "input.n == 1", steps: [wait("d")] }] },
    ],
    output: { to: "${steps.b.output.recipient_id}", text: "n=${input.n}" },
  };
  t.deepEqual(problemsOf(body), []);
  const { run: started, started: fresh } = start(body, { n: 1 });
  const id = started.id as string;
  t.true(fresh);
  t.like(run(id), { status: "running", waiting_for: [{ step_id: "a", kind: "timer" }] });
  driver.advance(10_000);
  t.like(run(id), { waiting_for: [{ step_id: "b", kind: "call" }] });
  t.deepEqual(calls(id), ["b/1"]);
  driver.restart();
  answer(id, "b/1", routed);
  t.like(run(id), { waiting_for: [{ step_id: "d", kind: "timer" }] });
  driver.advance(10_000);
  t.like(run(id), { status: "succeeded", output: { to: "p1", text: "n=1" }, waiting_for: [] });
  t.deepEqual(driver.timers(runAt(tenant, id)), ["forget"]);
  driver.advance(limits.workflowKeptMs);
  t.like(run(id), { code: "NOT_FOUND" });
});

test("a refusal that may succeed later is retried with a new key, and an answer of an older attempt changes nothing", (t) => {
  const { driver, begin, run, calls, answer } = startDriver();
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

const action = (id: string, more: object = {}) => ({
  id,
  type: "action",
  action_key: "http.request",
  connection_id: pool,
  input: { n: "${input.n}" },
  ...more,
});
const executing: CallResult = { answer: { id: "e1", connection_id: pool, status: "queued" } };

test("an action waits for its execution and has its output; the call names the step as its origin", (t) => {
  const { driver, begin, run, answer, finish, ask } = startDriver();
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
  const { driver, begin, run, calls, answer, finish } = startDriver();
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
  const { driver, begin, run, calls, answer, ask } = startDriver();
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
  const { driver, begin, run, calls } = startDriver();
  const id = begin({ ...route("a"), timeout_seconds: 600 });
  driver.advance(limits.workflowIdleMs);
  t.truthy(run(id).idle_since);
  t.deepEqual(calls(id), ["a/1"]);
  driver.advance(300_000);
  t.like(run(id), { status: "failed", error: { code: "TIMEOUT", outcome_unknown: true } });
});

test("an item's end is the step's end: its result, its failure, also where it comes before the answer", (t) => {
  const { begin, run, answer, finish } = startDriver();
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

test("a signal counts once, also one that came early or after a timeout", (t) => {
  const { driver, begin, ask, run } = startDriver();
  const id = begin(wait("a"), event("b"), event("c", { timeout_seconds: 5 }), event("d"));
  const signal = (event_id: string, payload: unknown) =>
    ask(id, "Signal", { event_key: "paid", event_id, payload });
  t.like(signal("e1", 1), { duplicate: false });
  t.like(signal("e1", 1), { duplicate: true });
  ask(id, "Signal", { event_key: "other", payload: 0 });
  driver.advance(10_000);
  t.like(run(id), { waiting_for: [{ step_id: "c", kind: "event", event_key: "paid" }] });
  driver.advance(5_000);
  t.like(run(id), { waiting_for: [{ step_id: "d" }] });
  driver.restart();
  signal("e1", 1);
  t.like(run(id), { status: "running" });
  signal("e2", 2);
  t.like(run(id), { status: "succeeded" });
  const { steps } = ask(id, "ListSteps") as { steps: Message[] };
  t.deepEqual(
    steps.map(({ output }) => output),
    [
      undefined,
      { timed_out: false, event_id: "e1", payload: 1 },
      { timed_out: true },
      { timed_out: false, event_id: "e2", payload: 2 },
    ],
  );
  t.like(ask(id, "Signal", { event_key: "paid" }), { code: "STATE_CONFLICT" });
});

test("more signals than a run keeps are refused", (t) => {
  const { begin, ask } = startDriver();
  const id = begin(wait("a"));
  for (let n = 0; n < limits.workflowEventsMax; n++) ask(id, "Signal", { event_key: "x" });
  t.like(ask(id, "Signal", { event_key: "x" }), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
});

test("parallel: all waits for all, any for the first, and what is left is taken back", (t) => {
  const { driver, begin, run, steps, calls, answer } = startDriver();
  const all = begin({ id: "p", type: "parallel", branches: [[wait("a", 1)], [wait("b", 2)]] });
  driver.advance(1_000);
  t.like(run(all), { waiting_for: [{ step_id: "b" }] });
  driver.advance(1_000);
  t.like(run(all), { status: "succeeded" });
  const any = begin({
    id: "p",
    type: "parallel",
    until: "any",
    branches: [[wait("a", 1)], [item("b")], [route("c")]],
  });
  answer(any, "b/1", enqueued);
  driver.advance(1_000);
  t.deepEqual(steps(any), { p: "succeeded", a: "succeeded", b: "cancelled", c: "cancelling" });
  t.like(run(any), { status: "running" });
  t.deepEqual(calls(any), ["c/1", "b/1/undo"]);
  answer(any, "c/1", routed);
  t.like(run(any), { status: "succeeded" });
  const failing = begin({ id: "p", type: "parallel", branches: [[route("a")], [wait("b")]] });
  answer(failing, "a/1", bad);
  t.deepEqual(steps(failing), { p: "failed", a: "failed", b: "cancelled" });
});

test("cancel ends waits, cancels items, and waits for a call under way to take back what that starts", (t) => {
  const { driver, begin, ask, run, calls, answer, finish } = startDriver();
  const id = begin({ id: "p", type: "parallel", branches: [[wait("a")], [item("b")], [item("c")]] });
  answer(id, "b/1", enqueued);
  t.like(ask(id, "CancelRun"), { status: "cancelling" });
  t.like(ask(id, "CancelRun"), { status: "cancelling" });
  t.deepEqual(calls(id), ["c/1", "b/1/undo"]);
  driver.restart();
  answer(id, "c/1", enqueued);
  t.like(run(id), { status: "cancelled", waiting_for: [] });
  t.deepEqual(calls(id), ["b/1/undo", "c/1/undo"]);
  finish(id, "b/1", { ok: true, state: "completed" });
  t.like(run(id), { status: "cancelled" });
  t.like(ask(id, "RetryRun"), { code: "STATE_CONFLICT" });
});

test("retry runs the failed step again with a new key; on_error continue goes on; dismissed runs are no dead letters", (t) => {
  const { begin, ask, run, calls, answer, steps } = startDriver();
  const id = begin(
    { ...route("a"), on_error: "continue" },
    { id: "b", type: "branch", cases: [{ when: "true", steps: [route("c")] }] },
  );
  answer(id, "a/1", bad);
  answer(id, "c/1", bad);
  t.like(run(id), { status: "failed", error: { step_id: "c" } });
  t.like(ask(id, "DismissRun"), { status: "failed" });
  t.truthy(run(id).dismissed_at);
  t.like(ask(id, "RetryRun"), { status: "running" });
  t.deepEqual(calls(id), ["c/2"]);
  answer(id, "c/2", routed);
  t.like(run(id), { status: "succeeded" });
  t.deepEqual(steps(id), { a: "failed", b: "succeeded", c: "succeeded" });
});

test("an expression that fails, an output that is too large and a run that takes too long fail the run", (t) => {
  const { driver, start, begin, run, answer } = startDriver();
  t.like(run(begin({ ...wait("a"), when: "input.missing == 1" })), {
    status: "failed",
    error: { code: "EXPRESSION_FAILED", step_id: "a" },
  });
  const large = begin({ ...route("a"), select: "{'x': output.recipient_id + output.recipient_id}" });
  answer(large, "a/1", { answer: { recipient_id: "x".repeat(40_000) } });
  t.like(run(large), { status: "failed", error: { code: "OUTPUT_TOO_LARGE" } });
  const late = start({ steps: [event("a")], timeout_seconds: 60 }).run.id as string;
  driver.advance(60_000);
  t.like(run(late), { status: "failed", error: { code: "TIMEOUT", step_id: "" } });
});

test("an open run with the same key is that run, and its key is free when it has ended", (t) => {
  const { driver, start, run } = startDriver();
  const body = { steps: [wait("a")] };
  const first = start(body, {}, "k");
  t.like(start(body, {}, "k"), { started: false, run: { id: first.run.id } });
  driver.advance(10_000);
  t.like(run(first.run.id as string), { status: "succeeded" });
  const second = start(body, {}, "k");
  t.true(second.started && second.run.id !== first.run.id);
  t.is((first.run.id as string)[10], runIndexOf(tenant, "k").key);
});

test("a body of a later build is left alone, counted, keeps what happens, and goes on after the upgrade", (t) => {
  const { driver, start, ask, run, calls } = startDriver();
  const id = start({ schema: 2, steps: [event("a"), wait("b", 1)] }).run.id as string;
  t.like(run(id), { status: "pending", incompatible: true });
  ask(id, "Signal", { event_key: "paid" });
  driver.advance(3_600_000);
  t.deepEqual(calls(id), []);
  t.like(run(id), { status: "pending", incompatible: true });
  const figures = () => driver.ask(runIndexOf(tenant, ""), "WorkflowIndex.Figures", { windowMs: 3_600_000 });
  t.like(figures(), { incompatible: 1 });
  // The upgrade: the same run, and a build that knows its body.
  const state = driver.state<{ body: Body }>(runAt(tenant, id));
  state.body = { ...state.body, schema: 1 };
  driver.advance(limits.workflowIdleMs + 1_000);
  t.like(run(id), { status: "succeeded" });
  t.like(figures(), { incompatible: 0, terminals: 1 });
});

test("given a start, when the run exists, then its index lists it as running, and next hears of its end", (t) => {
  const { driver, start } = startDriver();
  const { run } = start({ steps: [wait("a"), wait("b")] });
  t.is(run.status, "pending");
  const listed = () =>
    driver.rows(indexOfRun(tenant, run.id as string), "entries").scan({ collection: "entries", limit: 2 });
  t.like(listed(), [{ value: { id: run.id, status: "running", recordVersion: 1 } }]);
  driver.advance(10_000);
  t.like(listed(), [{ value: { status: "running", recordVersion: 1 } }]);
  driver.advance(10_000);
  t.like(listed(), [{ value: { status: "succeeded" } }]);
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

test("the memory of a run counts its body and its input, also after a restart", (t) => {
  const { driver, start } = startDriver();
  const id = start({ steps: [event("a")] }, { text: "x".repeat(100_000) }).run.id as string;
  for (let restarts = 0; restarts < 2; restarts++, driver.restart()) {
    driver.ask(runAt(tenant, id), "WorkflowRunService.GetRun", { run_id: id });
    t.true(bytesOf(driver.state(runAt(tenant, id))) > 100_000);
  }
});

test("a purge of the tenant leaves nothing of its runs", (t) => {
  const { driver, begin, start } = startDriver();
  begin(route("a"), wait("b"));
  const id = start({ steps: [event("a")] }, {}, "k").run.id as string;
  for (const root of modules.flatMap(({ tenantRoots }) => tenantRoots?.(tenant) ?? []))
    driver.tell(root, { type: "purge" });
  driver.advance(5_000);
  t.deepEqual(driver.rowsOf(tenant), []);
  t.is(handleOf(id).length, 8);
});
