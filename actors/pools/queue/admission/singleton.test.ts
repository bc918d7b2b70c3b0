import test from "ava";
import { key, tell } from "../../../../test/support/admission.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

test("singleton skip: one live item per key; another after it is over, in whatever way", (t) => {
  for (const end of ["complete", "reject", "cancel", "drain"]) {
    const bench = new QueueBench({ admission: { singleton: { key, mode: "skip" } } });
    const ids: string[] = [];
    t.is(tell(bench, ids), "enqueued 0");
    t.is(tell(bench, ids), "skipped 0");
    t.is(tell(bench, ids, { key: "other" }), "enqueued 1");
    if (end === "drain") bench.ask("queue.DrainStep", { max_items: 5 });
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

for (const restarts of [false, true])
  test(`singleton keep_latest: a key that runs out goes to the item that waits for it${restarts ? ", also after a restart" : ""}`, (t) => {
    const singleton = { key, mode: "keep_latest", ttl_seconds: 10 };
    const bench = new QueueBench({ lease_seconds: 600, admission: { singleton } });
    const ids: string[] = [];
    tell(bench, ids);
    const [first] = bench.claim();
    bench.driver.advance(4_000);
    tell(bench, ids);
    tell(bench, ids);
    if (restarts) bench.driver.restart();
    bench.driver.advance(5_999);
    t.like(bench.get(ids[2]!).wait, { reason: "singleton" });
    t.is(bench.claim(5).length, 0);
    bench.driver.advance(1);
    const second = bench.claim(5);
    t.deepEqual(
      second.map(({ item }) => item.id),
      [ids[2]],
    );
    tell(bench, ids);
    bench.settle("complete", first!);
    t.is(bench.claim(5).length, 0, "the one before does not hand on what is no longer its own");
    bench.settle("complete", second[0]!);
    t.is(bench.claim(5).length, 1);
    bench.driver.advance(60_000);
    t.deepEqual(queueProblems(bench), []);
  });

test("singleton keep_latest: a key that is handed on has its whole time again, whatever was left of it", (t) => {
  const singleton = { key, mode: "keep_latest", ttl_seconds: 10 };
  const bench = new QueueBench({ lease_seconds: 600, admission: { singleton } });
  const ids: string[] = [];
  tell(bench, ids);
  const [first] = bench.claim();
  bench.driver.advance(1_000);
  tell(bench, ids);
  bench.driver.advance(1_000);
  bench.settle("complete", first!);
  t.is(bench.claim()[0]!.item.id, ids[1]!);
  tell(bench, ids);
  bench.driver.advance(9_999);
  t.is(bench.claim().length, 0, "the time of the one before is over by now");
  bench.driver.advance(1);
  t.is(bench.claim()[0]!.item.id, ids[2]!);
});

test("singleton keep_latest: who comes when a key has just run out goes before the item that waited for it", (t) => {
  const singleton = { key, mode: "keep_latest", ttl_seconds: 5 };
  const bench = new QueueBench({ lease_seconds: 60, admission: { singleton } });
  const ids: string[] = [];
  tell(bench, ids);
  bench.claim();
  tell(bench, ids);
  // The timer of the key is due and has not run.
  bench.driver.now += 5_000;
  t.is(tell(bench, ids), "enqueued 2");
  t.is(bench.get(ids[1]!).state, "superseded");
  bench.driver.advance(1);
  t.deepEqual(
    bench.claim(5).map(({ item }) => item.id),
    [ids[2]],
  );
  t.deepEqual(queueProblems(bench), []);
});

for (const [what, lose] of [
  ["has run out", (bench: QueueBench) => bench.driver.advance(5_000)],
  ["was cleared", clearKey],
] as const)
  test(`singleton keep_latest: an item whose key ${what} is tried again, whichever item has or awaits the key`, (t) => {
    const singleton = { key, mode: "keep_latest", ttl_seconds: 5 };
    const bench = new QueueBench({ lease_seconds: 60, admission: { singleton } });
    const ids: string[] = [];
    tell(bench, ids);
    const [first] = bench.claim();
    tell(bench, ids);
    lose(bench);
    const [second] = bench.claim(5);
    t.is(second!.item.id, ids[1]!);
    if (what === "has run out") tell(bench, ids);
    t.like(bench.settle("release", first!), { state: "ready" });
    t.is(bench.claim(5)[0]!.item.id, ids[0]!);
    t.deepEqual(queueProblems(bench), []);
  });

function clearKey(bench: QueueBench): void {
  const { admission_groups } = bench.ask("AdmissionService.ListAdmissionGroups");
  const { group_id } = (admission_groups as { group_id: string }[])[0]!;
  bench.ask("AdmissionService.ClearAdmissionGroup", { constraint_kind: "singleton", group_id, reason: "x" });
}

test("singleton keep_latest: an item is tried again when the one that waited for its key is gone", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "keep_latest" } } });
  const ids: string[] = [];
  tell(bench, ids);
  const [leased] = bench.claim();
  tell(bench, ids);
  bench.ask("QueueService.Cancel", { queue_item_id: ids[1] });
  t.like(bench.settle("release", leased!), { state: "ready" });
  t.is(tell(bench, ids), "replaced 2");
  t.deepEqual(queueProblems(bench), []);
});

test("singleton skip: a request that was skipped is answered alike when it is repeated, also after the item it met", (t) => {
  const bench = new QueueBench({
    admission: { singleton: { key, mode: "skip" } },
    retention_seconds: 60,
  });
  const ids: string[] = [];
  tell(bench, ids);
  t.is(tell(bench, ids, { key: "k", dedup_id: "d" }), "skipped 0");
  t.is(tell(bench, ids, { key: "k", dedup_id: "d" }), "duplicate 0");
  bench.settle("complete", bench.claim()[0]!);
  bench.driver.restart();
  t.is(tell(bench, ids, { key: "k", dedup_id: "d" }), "duplicate 0");
  t.is(tell(bench, ids, { key: "k", dedup_id: "e" }), "enqueued 1", "another request");
  bench.driver.advance(62_000);
  t.is(tell(bench, ids, { key: "k", dedup_id: "d" }), "skipped 1", "the item it met is forgotten");
  bench.settle("complete", bench.claim()[0]!);
  for (let i = 0; i < 5; i++) bench.driver.advance(60_000);
  for (const name of ["dedup", "retain", "done"]) t.is(bench.rows(name), 0, name);
  t.deepEqual(queueProblems(bench), []);
});

test("singleton: a full queue answers what adds nothing, and takes what takes another's place", (t) => {
  const full = { code: "RATE_LIMITED", reason: "QUEUE_FULL" };
  const singleton = (mode: string) =>
    new QueueBench({ max_depth: 1, admission: { singleton: { key, mode } } });
  const skips = singleton("skip");
  t.is(tell(skips, []), "enqueued 0");
  t.is(tell(skips, []), "skipped 0");
  t.like(skips.tryEnqueue({ key: "other" }), full);
  const cancels = singleton("cancel");
  t.is(tell(cancels, []), "enqueued 0");
  t.is(tell(cancels, []), "replaced 0");
  t.like(cancels.tryEnqueue({ key: "other" }), full);
  cancels.claim();
  cancels.enqueue({ key: "other" });
  t.like(cancels.tryEnqueue({ key: "k" }), full, "a lease takes no place in line");
  const keeps = singleton("keep_latest");
  t.is(tell(keeps, []), "enqueued 0");
  keeps.claim();
  t.is(tell(keeps, []), "enqueued 0");
  t.is(tell(keeps, []), "replaced 0", "in the place of the one that waits");
  t.like(keeps.tryEnqueue({ key: "other" }), full);
});

test("singleton: what takes another's place has its bytes, and no more: not those of an item that is over", (t) => {
  const full = { code: "RATE_LIMITED", reason: "QUEUE_FULL" };
  // Quotes, and the braces of no attributes.
  const sized = (bytes: number, name = "k") => ({ key: name, payload: "x".repeat(bytes - 4) });
  for (const mode of ["cancel", "keep_latest"]) {
    const bench = new QueueBench({ max_bytes: 200, admission: { singleton: { key, mode } } });
    bench.enqueue(sized(100));
    bench.enqueue(sized(50, "other"));
    t.like(bench.tryEnqueue(sized(151)), full, mode);
    t.is(bench.enqueue(sized(150)).admission.outcome, "replaced", mode);
    t.like(bench.tryEnqueue(sized(5, "third")), full, mode);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("singleton: what takes another's place and adds nothing is taken also where the queue's bounds were lowered since", (t) => {
  const bench = new QueueBench({ admission: { singleton: { key, mode: "cancel" } } });
  for (const name of ["k", "other", "third"]) bench.enqueue({ key: name, payload: "x".repeat(100) });
  const full = { code: "RATE_LIMITED", reason: "QUEUE_FULL" };
  for (const [bound, most] of Object.entries({ max_depth: 1, max_bytes: 200 })) {
    bench.pool("PoolService.UpdatePool", { config: { [bound]: most }, update_mask: [`config.${bound}`] });
    t.is(bench.enqueue({ key: "k", payload: "x".repeat(100) }).admission.outcome, "replaced", bound);
    t.like(bench.tryEnqueue({ key: "new" }), full, bound);
    bench.pool("PoolService.UpdatePool", { update_mask: [`config.${bound}`] });
  }
});
