import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { within } from "../../../../test/support/queue-model/memory.ts";

const key = "item.key";
const admission = {
  singleton: { key, mode: "skip" },
  debounce: { key, period_ms: 100 },
  throttle: { key, limit: 10, period_ms: 1_000, burst: 1 },
  concurrency: [{ key, limit: 2 }],
};
const indexes = ["group", "due", "ready", "parked"];

function rowsOf(queue: QueueBench, collections: readonly string[] = indexes): number {
  return collections.reduce((sum, collection) => sum + queue.rows(collection), 0);
}

function outcomeOf(queue: QueueBench, request: Record<string, unknown> = { key: "k" }): unknown {
  return queue.enqueue(request).admission.outcome;
}

test("a short life under all four controls leaves no row of its keys, and one that says who became ready", (t) => {
  const queue = new QueueBench({ admission });
  for (const key of ["a", "b"]) queue.enqueue({ key });
  t.is(rowsOf(queue), 0);
  queue.driver.advance(100);
  t.is(queue.rows("fired"), 1);
  const leased = queue.claim(2);
  t.is(leased.length, 2);
  t.is(rowsOf(queue, [...indexes, "fired"]), 0);
  queue.driver.advance(200);
  for (const one of leased) queue.settle("complete", one);
  t.is(rowsOf(queue, [...indexes, "fired", "lease", "item"]), 0);
  t.deepEqual(queueProblems(queue), []);
});

test("a restart finds a singleton key that only its item tells of, in line, at work and given back", (t) => {
  const queue = new QueueBench({ admission: { singleton: { key, mode: "skip" } } });
  queue.enqueue({ key: "k" });
  t.is(rowsOf(queue), 0);
  queue.driver.restart();
  t.is(outcomeOf(queue), "skipped", "in line");
  const [leased] = queue.claim();
  queue.driver.restart();
  t.is(outcomeOf(queue), "skipped", "at work");
  t.is(rowsOf(queue), 0);
  queue.settle("release", leased!);
  t.is(queue.rows("group"), 1);
  queue.driver.restart();
  t.is(outcomeOf(queue), "skipped", "given back");
  queue.settle("complete", queue.claim()[0]!);
  t.is(outcomeOf(queue), "enqueued");
  t.deepEqual(queueProblems(queue), []);
});

test("who waits longer gets rows for its key and its window, and keeps both", (t) => {
  const debounce = { key, period_ms: 9_000, max_wait_ms: 60_000 };
  const queue = new QueueBench({ admission: { singleton: { key, mode: "skip" }, debounce } });
  const { item } = queue.enqueue({ key: "k" });
  for (let i = 0; i < 3; i++) {
    t.is(rowsOf(queue), i < 2 ? 0 : 3, `${i}`);
    queue.driver.advance(6_000);
    t.is(outcomeOf(queue), "debounced");
    queue.driver.restart();
  }
  queue.driver.advance(9_000);
  t.like(queue.get(item.id), { state: "ready", coalesced: 3 });
  t.is(outcomeOf(queue), "skipped");
  t.deepEqual(queueProblems(queue), []);
});

test("a restart goes on with an open window, and its item fires once", (t) => {
  const queue = new QueueBench({ admission: { debounce: { key, period_ms: 1_000 } } });
  const { item } = queue.enqueue({ key: "k", payload: 1 });
  t.is(rowsOf(queue), 0);
  queue.driver.restart();
  queue.driver.advance(900);
  t.is(outcomeOf(queue, { key: "k", payload: 2 }), "debounced");
  queue.driver.restart();
  queue.driver.advance(1_000);
  t.like(queue.get(item.id), { state: "ready", payload: 2 });
  t.is(outcomeOf(queue, { key: "k", payload: 3 }), "enqueued", "the window is over");
  t.deepEqual(queueProblems(queue), []);
});

test("an item whose delay is over is the same after a restart, and once it has waited for its rows", (t) => {
  const queue = new QueueBench();
  const soon = () => new Date(queue.driver.now + 1_000).toISOString();
  queue.enqueue({ key: "a", payload: { n: 1 }, not_before: soon() });
  queue.enqueue({ key: "b" });
  queue.driver.advance(500);
  const { item } = queue.enqueue({ key: "c", payload: { n: 2 }, not_before: soon() });
  queue.driver.advance(1_000);
  t.is(rowsOf(queue), 0);
  // How many stand before it is not known until a claim has read the line.
  const shown = () => ({ ...queue.get(item.id), wait: undefined });
  const before = shown();
  t.like(before, { state: "ready", record_version: 2, payload: { n: 2 } });
  queue.driver.restart();
  t.deepEqual(shown(), before);
  t.deepEqual(queueProblems(queue), []);
  queue.driver.advance(limits.queueLineAfterMs);
  t.is(queue.rows("fired"), 0);
  t.is(queue.rows("ready"), 3);
  queue.driver.restart();
  t.deepEqual(shown(), before);
  const leased = queue.claim(3).map((one) => one.item);
  t.deepEqual(
    leased.map((one) => [one.key, one.payload]),
    [
      ["b", undefined],
      ["a", { n: 1 }],
      ["c", { n: 2 }],
    ],
  );
  t.deepEqual(queueProblems(queue), []);
});

test("a throttle counts a lease that is open, one that ended early, and neither twice, over restarts", (t) => {
  const queue = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 10_000, burst: 1 } } });
  for (let i = 0; i < 3; i++) queue.enqueue({ key: "k" });
  const [leased] = queue.claim(3);
  t.is(queue.claim().length, 0);
  queue.driver.restart();
  queue.driver.advance(4_000);
  t.is(queue.claim().length, 0, "the lease says it");
  queue.settle("complete", leased!);
  queue.driver.restart();
  queue.driver.advance(5_999);
  t.is(queue.claim().length, 0, "its row says it");
  queue.driver.advance(1);
  t.is(queue.claim(3).length, 1);
  t.deepEqual(queueProblems(queue), []);
});

test("a key that is cleared stays free after a restart, whichever item told of it", (t) => {
  const throttle = { key, limit: 1, period_ms: 10_000, burst: 1 };
  for (const state of ["ready", "leased"]) {
    const queue = new QueueBench({ admission: { singleton: { key, mode: "skip" }, throttle } });
    const first = queue.enqueue({ key: "k" });
    if (state === "leased") queue.claim();
    const { groups } = queue.state.leases.get(first.item.id) ?? queue.state.recent.find(first.item.id)!;
    const clear = (constraint_kind: string, group_id: string) =>
      queue.ask("AdmissionService.ClearAdmissionGroup", { constraint_kind, group_id, reason: "test" });
    t.like(clear("singleton", groups.singleton), { status: "cleared" });
    if (state === "leased") t.like(clear("throttle", groups.throttle), { status: "cleared" });
    queue.driver.restart();
    t.is(outcomeOf(queue), "enqueued", state);
    t.is(queue.claim(2).length, 1, state);
    queue.driver.restart();
    t.deepEqual(queueProblems(queue), []);
  }
});

test("an item whose delay is over and whose key is cleared then leaves no row behind, over a restart", (t) => {
  const queue = new QueueBench({ admission: { singleton: { key, mode: "cancel" } } });
  const not_before = new Date(queue.driver.now + 1_000).toISOString();
  const { item } = queue.enqueue({ key: "k", payload: 1, not_before });
  queue.driver.advance(1_000);
  const { groups } = queue.state.recent.find(item.id)!;
  const group = { constraint_kind: "singleton", group_id: groups.singleton };
  queue.ask("AdmissionService.ClearAdmissionGroup", { ...group, reason: "test" });
  queue.driver.restart();
  const [leased] = queue.claim();
  t.like(leased!.item, { id: item.id, payload: 1 });
  queue.settle("complete", leased!);
  t.is(queue.rows("fired"), 0);
  t.deepEqual(queue.driver.unlikeReplay(queue.at("queue")), []);
});

test("an item whose key is cleared gets into line with a row: a restart knows with which number each recent one came", (t) => {
  within({ queueRecentReach: 4 }, () => {
    const queue = new QueueBench({ admission: { singleton: { key, mode: "cancel" } } });
    const not_before = new Date(queue.driver.now + 1_000).toISOString();
    const { item } = queue.enqueue({ key: "k", not_before });
    queue.enqueue({ key: "other" });
    queue.driver.advance(1_000);
    const { groups } = queue.state.recent.find(item.id)!;
    const group = { constraint_kind: "singleton", group_id: groups.singleton };
    queue.ask("AdmissionService.ClearAdmissionGroup", { ...group, reason: "test" });
    queue.driver.restart();
    for (const key of ["a", "b"]) queue.enqueue({ key });
    t.deepEqual(queue.driver.unlikeReplay(queue.at("queue")), []);
    t.deepEqual(queueProblems(queue), []);
  });
});

test("an item that is held back as it comes into line keeps its key", (t) => {
  const queue = new QueueBench({
    admission: { singleton: { key, mode: "skip" }, concurrency: [{ key: "'all'", limit: 1 }] },
  });
  queue.enqueue({ key: "a" });
  queue.enqueue({ key: "b" });
  queue.claim(2);
  t.is(queue.rows("parked"), 1);
  queue.driver.restart();
  t.is(outcomeOf(queue, { key: "b" }), "skipped");
  t.is(outcomeOf(queue, { key: "a" }), "skipped");
  t.deepEqual(queueProblems(queue), []);
});

test("groups that only items tell of are listed and shown, also after a restart", (t) => {
  const queue = new QueueBench({ admission });
  const { item } = queue.enqueue({ key: "k" });
  const kinds = () => {
    const { admission_groups } = queue.ask("AdmissionService.ListAdmissionGroups") as {
      admission_groups: { constraint_kind: string; status: string }[];
    };
    return admission_groups.map(({ constraint_kind, status }) => `${constraint_kind} ${status}`);
  };
  t.deepEqual(kinds(), ["debounce active", "singleton active"]);
  queue.driver.restart();
  t.deepEqual(kinds(), ["debounce active", "singleton active"]);
  queue.driver.advance(100);
  queue.claim();
  queue.driver.restart();
  t.deepEqual(kinds(), ["concurrency active", "singleton active", "throttle active"]);
  const { groups } = queue.state.leases.get(item.id)!;
  const group = queue.ask("AdmissionService.GetAdmissionGroup", {
    constraint_kind: "throttle",
    group_id: groups.throttle,
  });
  t.like(group, { in_use: 1, limit: 10 });
});
