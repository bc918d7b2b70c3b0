import test from "ava";
import fc from "fast-check";
import { key, tell } from "../../../test/support/admission.ts";
import { QueueBench } from "../../../test/support/queue.ts";

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

test("throttle: an item that costs more than anybody can take does not keep its key from others", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000, burst: 1 } } }, [
    { capacity: 2 },
  ]);
  const ids: string[] = [];
  tell(bench, ids);
  bench.claim(1);
  tell(bench, ids, { key: "k", cost: 100 });
  tell(bench, ids);
  bench.driver.advance(1_000);
  const got: string[] = [];
  bench.poll(1, (items) => got.push(...items.map(({ item }) => item.id)));
  bench.driver.advance(0);
  t.deepEqual(got, [ids[2]!]);
});
