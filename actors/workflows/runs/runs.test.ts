import test from "ava";
import { handleOf, limits } from "#base";
import { modules } from "../../../test/support/module-parts.ts";
import {
  bad,
  enqueued,
  event,
  item,
  type Message,
  route,
  routed,
  startRuns,
  tenant,
  wait,
} from "../../../test/support/workflow-runs.ts";
import { indexOfRun, runAt, runIndexOf } from "../../kit/workflow-run.ts";
import type { Body } from "../body/body.ts";
import { problemsOf } from "../body/check.ts";
import { getStats } from "../run-index/service.ts";
import { bytesOf } from "./state.ts";

test("steps run in order, outputs are seen by later ones, and the run ends with its output", (t) => {
  const { driver, start, run, calls, answer } = startRuns();
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

test("a signal counts once, also one that came early or after a timeout", (t) => {
  const { driver, begin, ask, run } = startRuns();
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
  const { begin, ask } = startRuns();
  const id = begin(wait("a"));
  for (let n = 0; n < limits.workflowEventsMax; n++) ask(id, "Signal", { event_key: "x" });
  t.like(ask(id, "Signal", { event_key: "x" }), { code: "FAILED_PRECONDITION", reason: "LIMIT_REACHED" });
});

test("parallel: all waits for all, any for the first, and what is left is taken back", (t) => {
  const { driver, begin, run, steps, calls, answer } = startRuns();
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
  const { driver, begin, ask, run, calls, answer, finish } = startRuns();
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
  const { begin, ask, run, calls, answer, steps } = startRuns();
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
  const { driver, start, begin, run, answer } = startRuns();
  t.like(run(begin({ ...wait("a"), when: "input.missing == 1" })), {
    status: "failed",
    error: { code: "EXPRESSION_FAILED", step_id: "a" },
  });
  const large = begin({ ...route("a"), select: "{'x': output.recipient_id + output.recipient_id}" });
  answer(large, "a/1", { answer: { recipient_id: "x".repeat(40_000) } });
  t.like(run(large), { status: "failed", error: { code: "OUTPUT_TOO_LARGE" } });
  const late = start({ steps: [event("a")], timeout_seconds: 60 }).run.id as string;
  driver.advance(60_000);
  t.like(run(late), { status: "failed", error: { code: "TIMEOUT" } });
});

test("an open run with the same key is that run, and its key is free when it has ended", (t) => {
  const { driver, start, run } = startRuns();
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
  const { driver, start, ask, run, calls } = startRuns();
  const id = start({ schema: 2, steps: [event("a"), wait("b", 1)] }).run.id as string;
  t.like(run(id), { status: "pending", incompatible: true });
  ask(id, "Signal", { event_key: "paid" });
  driver.advance(3_600_000);
  t.deepEqual(calls(id), []);
  t.like(run(id), { status: "pending", incompatible: true });
  const stats = () => driver.ask(runIndexOf(tenant, ""), getStats.name, { windowMs: 3_600_000 });
  t.like(stats(), { incompatible: 1 });
  // The upgrade: the same run, and a build that knows its body.
  const state = driver.state<{ body: Body }>(runAt(tenant, id));
  state.body = { ...state.body, schema: 1 };
  driver.advance(limits.workflowIdleMs + 1_000);
  t.like(run(id), { status: "succeeded" });
  t.like(stats(), { incompatible: 0, terminals: 1 });
});

test("given a start, when the run exists, then its index lists it as running, and next hears of its end", (t) => {
  const { driver, start } = startRuns();
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

test("the memory of a run counts its body and its input, also after a restart", (t) => {
  const { driver, start } = startRuns();
  const id = start({ steps: [event("a")] }, { text: "x".repeat(100_000) }).run.id as string;
  for (let restarts = 0; restarts < 2; restarts++, driver.restart()) {
    driver.ask(runAt(tenant, id), "WorkflowRunService.GetRun", { run_id: id });
    t.true(bytesOf(driver.state(runAt(tenant, id))) > 100_000);
  }
});

test("a purge of the tenant leaves nothing of its runs", (t) => {
  const { driver, begin, start } = startRuns();
  begin(route("a"), wait("b"));
  const id = start({ steps: [event("a")] }, {}, "k").run.id as string;
  for (const root of modules.flatMap(({ tenantRoots }) => tenantRoots?.(tenant) ?? []))
    driver.tell(root, { type: "purge" });
  driver.advance(5_000);
  t.deepEqual(driver.rowsOf(tenant), []);
  t.is(handleOf(id).length, 8);
});
