import test from "ava";
import { limits } from "#base";
import { type LeasedItem, QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { hardlyAny, within } from "../../../../test/support/queue-model/memory.ts";

test("a delayed item is not handed out early, an expiring one not late", (t) => {
  const bench = new QueueBench();
  const at = (ms: number) => new Date(bench.driver.now + ms).toISOString();
  const { item: delayed } = bench.enqueue({ not_before: at(5_000) });
  const { item: expiring } = bench.enqueue({ not_before: at(6_000), expires_at: at(8_000) });
  t.like(bench.get(delayed.id), { state: "scheduled", wait: { reason: "scheduled" } });
  bench.driver.advance(4_999);
  t.is(bench.claim().length, 0);
  bench.driver.restart();
  bench.driver.advance(1);
  t.is(bench.claim()[0]!.item.id, delayed.id);
  bench.driver.advance(3_000);
  t.is(bench.get(expiring.id).state, "expired");
});

test("an item whose time is over is not handed out, also where its timer has not run yet", (t) => {
  const bench = new QueueBench();
  bench.enqueue({ expires_at: new Date(bench.driver.now + 5_000).toISOString() });
  bench.driver.now += 5_000;
  t.is(bench.claim().length, 0);
  bench.driver.advance(0);
  t.like(bench.status().by_state, { ready: 0, expired: 1 });
});

test("an item that is given back when its time is over is expired, however its lease ends, and a millisecond before is not", (t) => {
  const ways: [string, (bench: QueueBench, leased: LeasedItem) => unknown][] = [
    ["released", (bench, leased) => bench.settle("release", leased)],
    ["failed", (bench, leased) => bench.settle("fail", leased, { delay_ms: 0 })],
    ["left to its lease's end", (bench) => bench.driver.advance(0)],
  ];
  for (const [title, end] of ways)
    for (const early of [0, 1]) {
      const bench = new QueueBench({ lease_seconds: 10 });
      const expires_at = new Date(bench.driver.now + 10_000 + early).toISOString();
      const { item } = bench.enqueue({ expires_at });
      const [leased] = bench.claim();
      // The lease ends at this very moment, too; its timer has not run.
      bench.driver.now += 10_000;
      end(bench, leased!);
      t.is(bench.get(item.id).state, early === 0 ? "expired" : "ready", `${title}, ${early} ms early`);
      bench.driver.advance(early);
      t.is(bench.get(item.id).state, "expired", title);
      t.deepEqual(queueProblems(bench), [], title);
    }
});

test("an item whose back-off goes beyond its time is expired at its time, not tried again", (t) => {
  const bench = new QueueBench();
  const { item } = bench.enqueue({ expires_at: new Date(bench.driver.now + 5_000).toISOString() });
  t.like(bench.settle("fail", bench.claim()[0]!, { delay_ms: 5_000 }), { state: "retry_wait" });
  bench.driver.advance(4_999);
  t.is(bench.get(item.id).state, "retry_wait");
  bench.driver.advance(1);
  t.is(bench.get(item.id).state, "expired");
  t.is(bench.claim().length, 0);
});

test("items whose delays and deadlines end together are all looked at, however few of them memory holds", (t) => {
  t.true(limits.queueWindowRefill > limits.queueTickItemsMax, "the first that is left says when to go on");
  for (const restarted of [false, true])
    within(hardlyAny, () => {
      const bench = new QueueBench();
      const at = (ms: number) => new Date(bench.driver.now + ms).toISOString();
      const ids = Array.from({ length: 7 }, () =>
        [{ not_before: at(60_000) }, { not_before: at(30_000), expires_at: at(60_000) }].map(
          (request) => bench.enqueue(request).item.id,
        ),
      );
      if (restarted) bench.driver.restart();
      bench.driver.advance(59_999);
      t.like(bench.status().by_state, { scheduled: 7, ready: 7 });
      // A few at a time, and nobody asks.
      bench.driver.advance(20);
      t.deepEqual(
        ids.map((pair) => pair.map((id) => bench.get(id).state)),
        ids.map(() => ["ready", "expired"]),
      );
      t.deepEqual(queueProblems(bench), []);
    });
});

test("leases of the same end expire all, however many a tick takes, and none twice", (t) => {
  within(hardlyAny, () => {
    const bench = new QueueBench({ lease_seconds: 10 });
    const ids = Array.from({ length: 5 }, () => bench.enqueue().item.id);
    bench.claim(5);
    bench.driver.advance(9_999);
    t.like(bench.status().by_state, { leased: 5 });
    bench.driver.advance(10);
    for (const id of ids) t.like(bench.get(id), { state: "ready", attempts: 1 });
    t.deepEqual(queueProblems(bench), []);
  });
});

test("a queue that knows all its times reads none of them, and one that waits for nothing has no timer", (t) => {
  const bench = new QueueBench({ retention_seconds: 1 });
  bench.enqueue({ not_before: new Date(bench.driver.now + 60_000).toISOString() });
  bench.driver.advance(60_000);
  bench.settle("complete", bench.claim()[0]!);
  bench.driver.advance(10_000);
  t.false(bench.driver.reads.includes("due"));
  t.deepEqual(bench.driver.timers(bench.at("queue")), []);
});

test("a lease that ends while its charge is looked at again is over, and its key is charged as the throttle is now", (t) => {
  const throttle = (limit: number) => ({
    throttle: { key: "item.key", limit, period_ms: 3_600_000, burst: 1 },
  });
  const bench = new QueueBench({ lease_seconds: 10, admission: throttle(1) });
  const { item } = bench.enqueue({ key: "k" });
  bench.claim();
  // Neither timer has run: one tick does both.
  bench.driver.now += 10_000;
  bench.pool("PoolService.UpdatePool", { config: { admission: throttle(60) } });
  bench.driver.advance(0);
  t.like(bench.get(item.id), { state: "ready", attempts: 1 });
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(59_999);
  t.is(bench.claim().length, 0);
  bench.driver.advance(1);
  t.is(bench.claim().length, 1);
});

test("an item that is over in the very tick that forgets the last one is forgotten in its time, too", (t) => {
  const bench = new QueueBench({ retention_seconds: 60 });
  bench.enqueue();
  bench.settle("complete", bench.claim()[0]!);
  const forgottenAt = bench.state.retainFirstAt;
  bench.enqueue({ expires_at: new Date(forgottenAt).toISOString() });
  bench.driver.advance(forgottenAt - bench.driver.now);
  t.like(bench.status().by_state, { completed: 0, expired: 1 });
  t.deepEqual(queueProblems(bench), []);
  bench.driver.advance(61_000);
  t.is(bench.rows("done"), 0);
});

test("a key that is swept in the very tick that charges it again stays charged", (t) => {
  const hourMs = 3_600_000;
  const bench = new QueueBench({
    lease_seconds: 10,
    admission: { throttle: { key: "item.key", limit: 1, period_ms: hourMs, burst: 1 } },
  });
  for (let i = 0; i < 3; i++) bench.enqueue({ key: "k" });
  bench.settle("complete", bench.claim()[0]!);
  bench.driver.advance(hourMs);
  t.is(bench.claim().length, 1);
  // A pass that has come to the groups when the lease ends, of whose charge the row says nothing yet.
  bench.enqueue({
    key: "late",
    not_before: new Date(bench.driver.now + 10_000 - limits.queueSweepStepMs).toISOString(),
  });
  bench.driver.advance(10_000);
  t.is(bench.claim(3).length, 1, "the late one");
});
