import test from "ava";
import fc from "fast-check";
import { handleOf, isRefusal } from "#base";
import { QueueBench } from "../../../test/support/queue.ts";

const key = "item.key";

/** Enqueues and says what admission made of it, with the number of the item it showed. */
function tell(bench: QueueBench, ids: string[], request: Record<string, unknown> = { key: "k" }): string {
  const { item, admission } = bench.enqueue(request);
  if (!ids.includes(item.id)) ids.push(item.id);
  return `${admission.outcome} ${ids.indexOf(item.id)}`;
}

test("singleton skip: one live item per key; another after it is over, in whatever way", (t) => {
  for (const end of ["complete", "reject", "cancel", "drain"]) {
    const bench = new QueueBench({ admission: { singleton: { key, mode: "skip" } } });
    const ids: string[] = [];
    t.is(tell(bench, ids), "enqueued 0");
    t.is(tell(bench, ids), "skipped 0");
    t.is(tell(bench, ids, { key: "other" }), "enqueued 1");
    if (end === "drain") bench.ask("QueueControlService.DrainQueue", { max_items: 5 });
    else {
      const [leased] = bench.claim();
      t.is(tell(bench, ids), "skipped 0", "during a lease");
      if (end === "cancel") bench.ask("QueueService.Cancel", { queue_item_id: ids[0] });
      else bench.settle(end, leased!);
    }
    t.is(tell(bench, ids), "enqueued 2", end);
  }
});

test("singleton skip: a retry keeps the key, its time to live frees it", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "skip", ttl_seconds: 60 } } });
  const ids: string[] = [];
  tell(bench, ids);
  const [leased] = bench.claim();
  bench.settle("fail", leased!);
  t.is(tell(bench, ids), "skipped 0");
  bench.driver.advance(60_000);
  t.is(tell(bench, ids), "enqueued 1");
});

test("singleton cancel: the newer item replaces the older, whose lease is void", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "cancel" } } });
  const ids: string[] = [];
  tell(bench, ids);
  t.is(tell(bench, ids), "replaced 1");
  t.is(bench.get(ids[0]!).state, "superseded");
  const [leased] = bench.claim();
  t.is(tell(bench, ids), "replaced 2");
  t.is(bench.get(ids[1]!).state, "cancelled");
  t.like(bench.settle("complete", leased!), { code: "LEASE_LOST", reason: "cancelled" });
  t.is(bench.claim()[0]!.item.id, ids[2]!);
});

test("singleton keep_latest: one at work and the newest waiting", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "keep_latest" } } });
  const ids: string[] = [];
  tell(bench, ids);
  const [leased] = bench.claim();
  t.is(tell(bench, ids), "enqueued 1");
  t.like(bench.get(ids[1]!), { state: "ready", wait: { reason: "singleton" } });
  t.is(tell(bench, ids), "replaced 2");
  t.is(bench.get(ids[1]!).state, "superseded");
  t.is(bench.claim().length, 0);
  bench.driver.restart();
  bench.settle("complete", leased!);
  t.is(bench.claim()[0]!.item.id, ids[2]!);
});

test("singleton keep_latest: what would be tried again gives way to the newer one", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "keep_latest" } } });
  const ids: string[] = [];
  tell(bench, ids);
  const [leased] = bench.claim();
  tell(bench, ids);
  t.like(bench.settle("fail", leased!), { state: "superseded" });
  t.is(bench.claim()[0]!.item.id, ids[1]!);
});

test("singleton keep_latest: one that waits with a delay of its own is not handed out beside the one at work", (t) => {
  for (const debounce of [undefined, { key, period_ms: 1_000 }]) {
    const singleton = { key, mode: "keep_latest" };
    const bench = new QueueBench({ admission: { singleton, ...(debounce && { debounce }) } });
    const ids: string[] = [];
    tell(bench, ids);
    bench.driver.advance(1_000);
    const [leased] = bench.claim();
    const not_before = new Date(bench.driver.now + 1_000).toISOString();
    tell(bench, ids, { key: "k", not_before });
    bench.driver.advance(1_000);
    t.like(bench.get(ids[1]!), { state: "ready", wait: { reason: "singleton" } });
    t.is(bench.claim().length, 0);
    bench.settle("complete", leased!);
    t.is(bench.claim()[0]!.item.id, ids[1]!);
  }
});

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

test("debounce: a cancelled window is over, the next item opens another", (t) => {
  const bench = new QueueBench({ admission: { debounce: { key, period_ms: 1_000 } } });
  const ids: string[] = [];
  tell(bench, ids);
  bench.ask("QueueService.Cancel", { queue_item_id: ids[0] });
  t.is(tell(bench, ids), "enqueued 1");
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

test("throttle: never over its limit in any window, at least 98 % used, also over restarts", (t) => {
  const limits = fc.record({
    limit: fc.integer({ min: 1, max: 20 }),
    period_ms: fc.integer({ min: 100, max: 10_000 }),
    burst: fc.integer({ min: 1, max: 10 }),
    restartEvery: fc.integer({ min: 3, max: 40 }),
  });
  fc.assert(
    fc.property(limits, ({ restartEvery, ...throttle }) => {
      const bench = new QueueBench({ admission: { throttle: { key, ...throttle } } });
      for (let i = 0; i < 150; i++) bench.enqueue({ key: "k", payload: i });
      const times: number[] = [];
      const interval = throttle.period_ms / throttle.limit;
      const start = bench.driver.now;
      // Nobody polls: a waiting claim is answered when the throttle's own timer lets an item go.
      const wait = (): void =>
        bench.poll(5, (items) => {
          for (const _ of items) times.push(bench.driver.now);
          if (times.length < 100) wait();
        });
      wait();
      for (let round = 1; times.length < 100; round++) {
        bench.driver.advance(throttle.period_ms);
        if (round % restartEvery !== 0) continue;
        bench.driver.restart();
        wait();
      }
      for (let i = 0; i < times.length; i++)
        for (let j = i; j < times.length; j++)
          // Both ends are seen to a millisecond.
          if (j - i + 1 > throttle.burst + Math.floor((times[j]! - times[i]! + 1) / interval)) return false;
      const elapsed = times[99]! - start;
      return 100 >= 0.98 * (throttle.burst + Math.floor(elapsed / interval));
    }),
    { numRuns: 15 },
  );
  t.pass();
});

test("throttle: what waits says until when, and goes then to whoever waits for it", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 60_000 } } });
  const ids: string[] = [];
  tell(bench, ids);
  tell(bench, ids);
  t.is(bench.claim(5).length, 1);
  const until = new Date(bench.driver.now + 60_000).toISOString();
  t.like(bench.get(ids[1]!).wait, { reason: "throttle", until });
  let got: unknown[] = [];
  bench.driver.advance(40_000);
  bench.poll(1, (items) => {
    got = items;
  });
  bench.driver.advance(19_999);
  t.is(got.length, 0);
  bench.driver.advance(1);
  t.is(got.length, 1);
});

test("throttle: a dead letter that is retried waits for its time like any other, and holds nobody up", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 10_000, burst: 1 } } });
  bench.enqueue({ key: "k" });
  const [leased] = bench.claim();
  bench.settle("reject", leased!);
  bench.ask("DeadLetterService.Retry", { queue_item_ids: [leased!.item.id] });
  t.like(bench.get(leased!.item.id), { state: "ready", wait: { reason: "throttle" } });
  bench.driver.advance(20_000);
  bench.enqueue({ key: "k" });
  t.is(bench.claim()[0]?.item.id, leased!.item.id);
});

test("concurrency: slots are the live leases, and come back in every way a lease can end", (t) => {
  for (const end of ["complete", "fail", "release", "reject", "expire", "cancel"]) {
    const bench = new QueueBench({ lease_seconds: 10, admission: { concurrency: [{ key, limit: 1 }] } });
    const ids: string[] = [];
    tell(bench, ids);
    tell(bench, ids);
    const [leased] = bench.claim(5);
    t.is(bench.claim(5).length, 0, end);
    t.like(bench.get(ids[1]!).wait, { reason: "concurrency" });
    if (end === "expire") bench.driver.advance(10_000);
    else if (end === "cancel") bench.ask("QueueService.Cancel", { queue_item_id: leased!.item.id });
    else bench.settle(end, leased!);
    t.is(bench.claim(5).length, 1, end);
  }
});

test("concurrency: a flood of one key does not hold up another", (t) => {
  const bench = new QueueBench({ admission: { concurrency: [{ key, limit: 1 }] } });
  const ids: string[] = [];
  for (let i = 0; i < 300; i++) tell(bench, ids, { key: "flood" });
  tell(bench, ids, { key: "calm" });
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.key),
    ["flood", "calm"],
  );
});

test("concurrency: several groups hold together, and cost takes slots", (t) => {
  const bench = new QueueBench({
    admission: { concurrency: [{ key, limit: 3 }, { limit: 4 }] },
  });
  const ids: string[] = [];
  tell(bench, ids, { key: "a", cost: 2 });
  tell(bench, ids, { key: "a", cost: 2 });
  tell(bench, ids, { key: "b", cost: 2 });
  tell(bench, ids, { key: "c", cost: 1 });
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.key),
    ["a", "b"],
  );
});

test("a key expression that fails for an item refuses the item", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key: "item.attributes.x", mode: "skip" } } });
  t.like(bench.tryEnqueue({ attributes: {} }), { code: "INVALID_ARGUMENT" });
  t.false(isRefusal(bench.tryEnqueue({ attributes: { x: "1" } })));
});

test("a preview says what would happen and changes nothing", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key, mode: "skip" }, throttle: { key, limit: 1, period_ms: 60_000 } },
  });
  const { item } = bench.enqueue({ key: "k" });
  const before = JSON.stringify(bench.status());
  const skipped = bench.ask("AdmissionService.PreviewAdmission", { key: "k" });
  t.like(skipped, {
    admission: { outcome: "skipped", existing_item_id: item.id },
    explanation: { status: "skipped", constraint_kind: "singleton" },
  });
  const free = bench.ask("AdmissionService.PreviewAdmission", { key: "free" });
  t.like(free, { admission: { outcome: "enqueued" }, explanation: { status: "admitted" } });
  t.is(JSON.stringify(bench.status()), before);
  t.is(bench.claim(5).length, 1);
});

test("groups are listed without their keys, explained, and cleared with a reason", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key, mode: "skip" }, concurrency: [{ key, limit: 1 }] },
  });
  const { item } = bench.enqueue({ key: "secret-key" });
  bench.claim();
  const { admission_groups: groups } = bench.ask("AdmissionService.ListAdmissionGroups") as {
    admission_groups: Record<string, string>[];
  };
  t.deepEqual(groups.map((group) => group.constraint_kind).sort(), ["concurrency", "singleton"]);
  t.notRegex(JSON.stringify(groups), /secret-key/);
  for (const { group_id } of groups) t.regex(group_id!, /^g_[0-9a-f]{32}$/);
  const named = (kind: string) => groups.find((group) => group.constraint_kind === kind)!;
  const { group_id } = named("singleton");
  const request = { constraint_kind: "singleton", group_id, reason: "stuck" };
  t.like(bench.ask("AdmissionService.ClearAdmissionGroup", request), {
    status: "cleared",
    clear_reason: "stuck",
  });
  t.like(bench.ask("AdmissionService.GetAdmissionGroup", request), {
    status: "cleared",
    clear_reason: "stuck",
  });
  t.not(bench.enqueue({ key: "secret-key" }).item.id, item.id);
  const slots = { constraint_kind: "concurrency", group_id: named("concurrency").group_id, reason: "x" };
  t.like(bench.ask("AdmissionService.ClearAdmissionGroup", slots), { code: "FAILED_PRECONDITION" });
});

test("a key has the same group in all pools of a tenant, and another in another tenant", (t) => {
  const { driver } = new QueueBench();
  const groupIn = (tenant: string): unknown => {
    const config = { admission: { singleton: { key, mode: "skip" } } };
    const directory = { kind: "directory", tenant, key: "pool" };
    const pool = driver.ask(directory, "PoolService.CreatePool", { name: "p", config }) as { id: string };
    const queue = { kind: "queue", tenant, key: handleOf(pool.id) };
    driver.ask(queue, "QueueService.Enqueue", { pool_id: pool.id, key: "k" });
    const listed = driver.ask(queue, "AdmissionService.ListAdmissionGroups", { pool_id: pool.id });
    return (listed as { admission_groups: { group_id: string }[] }).admission_groups[0]!.group_id;
  };
  const [one, other] = ["01JTENANT00000000000000001", "01JTENANT00000000000000002"] as const;
  const group = groupIn(one);
  driver.restart();
  t.is(groupIn(one), group);
  t.not(groupIn(other), group);
});

test("an item that its own throttle holds does not keep a free slot from the next", (t) => {
  const bench = new QueueBench({
    admission: { throttle: { key, limit: 1, period_ms: 60_000 }, concurrency: [{ limit: 1 }] },
  });
  for (const name of ["a", "a", "b"]) bench.enqueue({ key: name });
  const [first] = bench.claim(5);
  bench.settle("complete", first!);
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.key),
    ["b"],
  );
});
