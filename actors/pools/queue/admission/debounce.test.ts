import test from "ava";
import { key, tell } from "../../../../test/support/admission.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

test("debounce: fires when none has come for the period, with the last payload and the same id", (t) => {
  const bench = new QueueBench({ admission: { debounce: { key, period_ms: 1_000 } } });
  const ids: string[] = [];
  t.is(tell(bench, ids, { key: "k", payload: 1 }), "enqueued 0");
  bench.driver.advance(900);
  t.is(tell(bench, ids, { key: "k", payload: 2 }), "debounced 0");
  t.like(bench.get(ids[0]!), { state: "scheduled", coalesced: 1, wait: { reason: "debounce" } });
  bench.driver.advance(999);
  t.is(bench.claim().length, 0);
  bench.driver.restart();
  bench.driver.advance(1);
  const [leased] = bench.claim();
  t.like(leased!.item, { id: ids[0]!, payload: 2 });
  t.is(tell(bench, ids, { key: "k", payload: 3 }), "enqueued 1", "after the window, during the lease");
});

for (const restarted of [false, true])
  test(`debounce: take last has priority, cost, key, attributes and class of the last${restarted ? ", over a restart too" : ""}`, (t) => {
    const bench = new QueueBench(
      { admission: { debounce: { key: "item.attributes.doc", period_ms: restarted ? 60_000 : 1_000 } } },
      [{}, { labels: { size: "l" } }],
    );
    bench.pool("RuleService.CreateRule", {
      name: "large",
      enabled: true,
      condition: "item.cost > 5",
      action: { restrict: { labels: { size: "l" } } },
    });
    const first = { key: "a", attributes: { doc: "1" }, payload: 1, priority: 4, cost: 1 };
    const last = { key: "b", attributes: { doc: "1", last: true }, payload: 2, priority: 1, cost: 7 };
    const { id } = bench.enqueue(first).item;
    t.like(bench.enqueue(last), { item: { id, ...last }, admission: { outcome: "debounced" } });
    if (restarted) bench.driver.restart();
    bench.driver.advance(60_000);
    t.deepEqual(queueProblems(bench), []);
    t.is(bench.claim().length, 0, "the rule of the last counts");
    const [leased] = bench.claim(1, { recipient_id: bench.recipientIds[1] });
    t.like(leased!.item, { id, ...last, coalesced: 1 });
    bench.settle("complete", leased!);
    t.is([...bench.state.classes].length, 1, "its class went with it");
    t.deepEqual(queueProblems(bench), []);
    t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
  });

test("debounce: the longest period there is holds to the millisecond, over a restart, and so does a delay of months", (t) => {
  const [week, month] = [7 * 86_400_000, 30 * 86_400_000];
  const bench = new QueueBench({
    admission: { debounce: { key, period_ms: week, max_wait_ms: month } },
    retention_seconds: 60,
  });
  const ids: string[] = [];
  const start = bench.driver.now;
  for (let day = 0; day < 28; day += 6) {
    bench.driver.advance(start + day * 86_400_000 - bench.driver.now);
    tell(bench, ids, { key: "k", payload: day });
  }
  t.is(ids.length, 1);
  const { item } = bench.enqueue({ key: "other", not_before: new Date(start + 3 * month).toISOString() });
  bench.driver.restart();
  bench.driver.advance(start + month - 1 - bench.driver.now);
  t.is(bench.claim().length, 0, "not before max_wait");
  bench.driver.advance(1);
  const [leased] = bench.claim();
  t.like(leased!.item, { id: ids[0]!, payload: 24, coalesced: 4 });
  bench.settle("complete", leased!);
  bench.driver.advance(start + 3 * month - 1 - bench.driver.now);
  t.is(bench.claim().length, 0, "not before its time");
  bench.driver.advance(1);
  t.is(bench.claim()[0]!.item.id, item.id);
});

test("debounce: fires at the latest after max_wait, and take first keeps the first payload", (t) => {
  const bench = new QueueBench({
    admission: { debounce: { key, period_ms: 1_000, max_wait_ms: 2_500, take: "first" } },
  });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    tell(bench, ids, { key: "k", payload: i });
    bench.driver.advance(500);
  }
  t.is(ids.length, 1);
  t.like(bench.claim()[0]!.item, { id: ids[0]!, payload: 0, coalesced: 4 });
});

test("debounce: what is merged into a window does not bring it before the time its item asked for", (t) => {
  for (const delayMs of [3_000, 180_000]) {
    const bench = new QueueBench({ admission: { debounce: { key, period_ms: 1_000, max_wait_ms: 2_000 } } });
    const ids: string[] = [];
    const not_before = new Date(bench.driver.now + delayMs).toISOString();
    tell(bench, ids, { key: "k", not_before });
    bench.driver.advance(delayMs - 500);
    t.is(tell(bench, ids), "debounced 0");
    bench.driver.advance(499);
    t.is(bench.claim().length, 0, `${delayMs}`);
    bench.driver.advance(1);
    t.is(bench.claim().length, 1, `${delayMs}`);
  }
});

test("debounce: the group of a window says when it fires, also after another was merged into it", (t) => {
  for (const period_ms of [1_000, 60_000]) {
    const bench = new QueueBench({ admission: { debounce: { key, period_ms } } });
    bench.enqueue({ key: "k" });
    bench.driver.advance(period_ms / 2);
    const { group_id } = bench.enqueue({ key: "k" }).admission;
    const next_eligible_at = new Date(bench.driver.now + period_ms).toISOString();
    const named = { constraint_kind: "debounce", group_id };
    t.like(bench.ask("AdmissionService.GetAdmissionGroup", named), { next_eligible_at });
  }
});

test("debounce: of a batch that ends a window, the items of its key after that are one again", (t) => {
  for (const delayMs of [0, 60_000]) {
    const debounce = { key, period_ms: 1_000 };
    const singleton = { key: "item.attributes.name", mode: "cancel" };
    const bench = new QueueBench({ admission: { debounce, singleton } });
    const named = (key: string, name: string) => ({ key, attributes: { name } });
    const not_before = new Date(bench.driver.now + delayMs).toISOString();
    bench.enqueue({ ...named("k", "a"), ...(delayMs > 0 && { not_before }) });
    const items = [named("other", "a"), named("k", "b"), named("k", "c")];
    const { results } = bench.ask("QueueService.EnqueueBatch", { items }) as {
      results: { item: { id: string } }[];
    };
    t.like(results[0], { admission: { outcome: "replaced" } });
    t.like(results[2], { admission: { outcome: "debounced", existing_item_id: results[1]!.item.id } });
    bench.driver.advance(1_000);
    t.is(bench.claim(5).length, 2);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("debounce: a cancelled window is over, the next item opens another", (t) => {
  const bench = new QueueBench({ admission: { debounce: { key, period_ms: 1_000 } } });
  const ids: string[] = [];
  tell(bench, ids);
  bench.ask("QueueService.Cancel", { queue_item_id: ids[0] });
  t.is(tell(bench, ids), "enqueued 1");
});

test("debounce: a window that has fired is none any more, and leaves no row", (t) => {
  for (const period_ms of [1_000, 60_000]) {
    const bench = new QueueBench({ admission: { debounce: { key, period_ms } } });
    bench.enqueue({ key: "k" });
    bench.driver.advance(period_ms);
    t.is(bench.rows("group"), 0);
    t.deepEqual(bench.ask("AdmissionService.ListAdmissionGroups").admission_groups, []);
    bench.settle("complete", bench.claim()[0]!);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("debounce: an item whose window is cleared while its throttle has no room goes when that has", (t) => {
  const admission = {
    debounce: { key, period_ms: 1_000 },
    throttle: { key, limit: 1, period_ms: 60_000 },
  };
  const bench = new QueueBench({ admission });
  bench.enqueue({ key: "k" });
  bench.driver.advance(1_000);
  bench.settle("complete", bench.claim()[0]!);
  const { item } = bench.enqueue({ key: "k" });
  // Both controls have the same key, and so the same id.
  const { group_id } = bench.enqueue({ key: "k" }).admission;
  bench.ask("AdmissionService.ClearAdmissionGroup", { constraint_kind: "debounce", group_id, reason: "r" });
  t.like(bench.get(item.id), { state: "ready", wait: { reason: "throttle" } });
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(60_000);
  t.is(bench.claim()[0]?.item.id, item.id);
});

test("debounce: a window that is cleared fires at once, but not before the time its item asked for", (t) => {
  for (const delayMs of [0, 10_000]) {
    const bench = new QueueBench({ admission: { debounce: { key, period_ms: 60_000 } } });
    const notBefore = new Date(bench.driver.now + delayMs).toISOString();
    bench.enqueue({ key: "k", ...(delayMs > 0 && { not_before: notBefore }) });
    const { admission_groups: groups } = bench.ask("AdmissionService.ListAdmissionGroups") as {
      admission_groups: { group_id: string }[];
    };
    const { group_id } = groups[0]!;
    bench.ask("AdmissionService.ClearAdmissionGroup", { constraint_kind: "debounce", group_id, reason: "x" });
    const told = bench.driver.published.map(({ kind }) => kind);
    const change = delayMs === 0 ? ["queue_item.ready"] : [];
    t.deepEqual(told.slice(told.indexOf("queue_item.enqueued")), [
      "queue_item.enqueued",
      ...change,
      "admission_group.cleared",
    ]);
    t.is(bench.claim().length, delayMs === 0 ? 1 : 0);
    bench.driver.advance(delayMs);
    t.is(bench.claim().length, delayMs === 0 ? 0 : 1);
  }
});

test("debounce then singleton: a skipped item opens no window", (t) => {
  const bench = new QueueBench({
    admission: { debounce: { key, period_ms: 1_000 }, singleton: { key, mode: "skip" } },
  });
  const ids: string[] = [];
  tell(bench, ids);
  t.is(tell(bench, ids), "debounced 0");
  bench.driver.advance(1_000);
  bench.claim();
  t.is(tell(bench, ids), "skipped 0");
  t.is(tell(bench, ids), "skipped 0");
});

test("debounce: an item that takes others in lives as long as the last of them may", (t) => {
  for (const [first, second, state] of [
    [4_000, 0, "ready"],
    [4_000, 60_000, "ready"],
    [0, 4_000, "ready"],
    [4_000, 5_000, "expired"],
  ] as const) {
    const bench = new QueueBench({ admission: { debounce: { key, period_ms: 3_000 } } });
    const at = (ms: number) =>
      ms === 0 ? {} : { expires_at: new Date(bench.driver.now + ms).toISOString() };
    const { item } = bench.enqueue({ key: "k", ...at(first) });
    bench.driver.advance(2_500);
    bench.enqueue({ key: "k", ...(second && at(second - 2_500)) });
    bench.driver.advance(3_500);
    t.is(bench.get(item.id).state, state, `${first} and ${second}`);
  }
});

test("a request that was merged into an open window is not merged again when it is repeated", (t) => {
  const bench = new QueueBench({
    admission: { debounce: { key, period_ms: 1_000 } },
    retention_seconds: 60,
  });
  const ids: string[] = [];
  t.is(tell(bench, ids, { key: "k", payload: 1, dedup_id: "a" }), "enqueued 0");
  t.is(tell(bench, ids, { key: "k", payload: 2, dedup_id: "b" }), "debounced 0");
  bench.driver.advance(500);
  bench.driver.restart();
  t.is(tell(bench, ids, { key: "k", payload: 2, dedup_id: "b" }), "duplicate 0");
  t.like(bench.get(ids[0]!), { coalesced: 1 });
  bench.driver.advance(500);
  const [leased] = bench.claim();
  t.like(leased!.item, { id: ids[0]!, payload: 2 }, "the repetition has not put it off");
  t.is(tell(bench, ids, { key: "k", payload: 2, dedup_id: "b" }), "duplicate 0", "during the lease");
  bench.driver.advance(70_000);
  t.is(tell(bench, ids, { key: "k", dedup_id: "b" }), "duplicate 0", "while its item can be read");
  bench.settle("complete", bench.claim()[0]!);
  bench.driver.advance(59_000);
  t.is(tell(bench, ids, { key: "k", dedup_id: "b" }), "duplicate 0", "while its item can be read");
  bench.driver.advance(2_000);
  t.is(tell(bench, ids, { key: "k", dedup_id: "b" }), "enqueued 1", "its item is forgotten");
  bench.driver.advance(1_000);
  bench.settle("complete", bench.claim()[0]!);
  bench.driver.advance(59_000);
  t.is(
    tell(bench, ids, { key: "k", dedup_id: "b" }),
    "duplicate 1",
    "the older memory does not end the newer",
  );
  for (let i = 0; i < 5; i++) bench.driver.advance(60_000);
  for (const name of ["dedup", "retain", "done"]) t.is(bench.rows(name), 0, name);
  t.deepEqual(queueProblems(bench), []);
});

test("of a batch, two that are merged with one dedup id count once", (t) => {
  const bench = new QueueBench({ admission: { debounce: { key, period_ms: 1_000 } } });
  const items = [{ key: "k" }, { key: "k", dedup_id: "b" }, { key: "k", dedup_id: "b" }];
  const { results } = bench.ask("QueueService.EnqueueBatch", { items }) as { results: object[] };
  t.like(results[1], { admission: { outcome: "debounced" } });
  t.like(results[2], { admission: { outcome: "duplicate" }, item: { coalesced: 1 } });
});

test("a full queue takes what is merged into an open window, unless its payload has no room", (t) => {
  const debounce = { key, period_ms: 1_000 };
  const deep = new QueueBench({ max_depth: 1, admission: { debounce } });
  const ids: string[] = [];
  t.is(tell(deep, ids, { key: "k" }), "enqueued 0");
  t.is(tell(deep, ids, { key: "k" }), "debounced 0");
  t.like(deep.tryEnqueue({ key: "other" }), { code: "RATE_LIMITED", reason: "QUEUE_FULL" });
  const wide = new QueueBench({ max_bytes: 190, admission: { debounce } });
  t.is(tell(wide, ids, { key: "k", payload: "x".repeat(80) }), "enqueued 0");
  t.is(tell(wide, [], { key: "other", payload: "x".repeat(80) }), "enqueued 0");
  t.is(tell(wide, ids, { key: "k", payload: "y".repeat(80) }), "debounced 0");
  t.like(wide.tryEnqueue({ key: "k", payload: "y".repeat(110) }), { reason: "QUEUE_FULL" });
  t.like(wide.get(ids[0]!), { coalesced: 1 });
});
