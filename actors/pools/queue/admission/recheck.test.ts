import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

type Message = Record<string, unknown>;

const hourly = (limit: number, burst = 1) => ({
  throttle: { key: "item.key", limit, period_ms: 3_600_000, burst },
});
const slots = (limit: number) => ({ concurrency: [{ key: "item.key", limit }] });

function configure(bench: QueueBench, admission: Message | null): void {
  bench.pool("PoolService.UpdatePool", { config: { admission } });
  for (let i = 0; i < 20; i++) bench.driver.advance(1);
}

for (const [change, before, after, freed] of [
  ["a concurrency limit that is raised", slots(1), slots(4), 3],
  ["a concurrency limit that is taken away", slots(1), null, 9],
  ["a throttle with a larger burst and a shorter period", hourly(1), hourly(3_600_000, 5), 9],
  ["a throttle that is taken away", hourly(1), null, 9],
] as const)
  for (const restart of [false, true])
    test(`${change} lets held items go at once${restart ? ", also where a restart comes between" : ""}`, (t) => {
      const bench = new QueueBench({ admission: before });
      for (let i = 0; i < 10; i++) bench.enqueue({ key: "k" });
      t.is(bench.claim(10).length, 1);
      bench.pool("PoolService.UpdatePool", { config: { admission: after } });
      if (restart) bench.driver.restart();
      let leased = 0;
      for (let i = 0; i < 20; i++) {
        bench.driver.advance(1);
        leased += bench.claim(10).length;
      }
      t.is(leased, freed);
      t.is(bench.state.recheck, null);
    });

test("a limit raised above more than a window holds frees as many as it has room for", (t) => {
  const bench = new QueueBench({ admission: slots(1) });
  for (let i = 0; i < 300; i++) bench.enqueue({ key: "k" });
  t.is(bench.claim(10).length, 1);
  configure(bench, slots(201));
  t.is(bench.claim(100).length + bench.claim(100).length + bench.claim(100).length, 200);
});

for (const [what, admission] of [
  ["slots", slots(1)],
  ["a throttle", hourly(1)],
] as const)
  test(`${what} taken away free all of more groups, and of one group, than a step looks at`, (t) => {
    for (const [keys, each] of [
      [600, 2],
      [1, 1_200],
    ] as const) {
      const bench = new QueueBench({ admission });
      const items = Array.from({ length: keys * each }, (_, i) => ({ key: `${i % keys}` }));
      for (let i = 0; i < items.length; i += 1_000)
        bench.ask("QueueService.EnqueueBatch", { items: items.slice(i, i + 1_000) });
      for (let i = 0; i < 8; i++) bench.claim(100);
      t.is(bench.state.held, keys * (each - 1));
      configure(bench, null);
      t.is(bench.state.held, 0);
      t.deepEqual(queueProblems(bench), []);
    }
  });

test("a throttle taken away frees whom it held also among many groups in which no item waits", (t) => {
  const bench = new QueueBench({ admission: hourly(1) });
  const items = Array.from({ length: 700 }, (_, i) => ({ key: `${i}` }));
  bench.ask("QueueService.EnqueueBatch", { items });
  for (let i = 0; i < 7; i++) for (const leased of bench.claim(100)) bench.settle("complete", leased);
  bench.ask("QueueService.EnqueueBatch", { items: items.slice(0, 50) });
  t.is(bench.state.held, 50);
  configure(bench, null);
  t.is(bench.state.held, 0);
});

test("a throttle that is raised is not exceeded by what was held before", (t) => {
  for (const burst of [1, 3]) {
    const bench = new QueueBench({ admission: hourly(1) });
    for (let i = 0; i < 10; i++) bench.enqueue({ key: "k" });
    t.is(bench.claim(10).length, 1);
    configure(bench, { throttle: { key: "item.key", limit: 1, period_ms: 1_000, burst } });
    t.is(bench.claim(10).length, 0, "the one before counts against the new limit");
    const seen: number[] = [];
    for (let second = 0; second < 4; second++) {
      bench.driver.advance(1_000);
      seen.push(bench.claim(10).length);
    }
    t.deepEqual(seen, [1, 1, 1, 1]);
    t.deepEqual(queueProblems(bench), []);
  }
});

test("a group in which no item waits forgets a time that the new throttle could not have set, at work or after", (t) => {
  for (const completes of [false, true]) {
    const bench = new QueueBench({ admission: hourly(1) });
    bench.enqueue({ key: "k" });
    const [leased] = bench.claim(1);
    if (completes) bench.settle("complete", leased!);
    configure(bench, { throttle: { key: "item.key", limit: 1, period_ms: 1_000, burst: 1 } });
    bench.enqueue({ key: "k" });
    bench.driver.advance(1_000);
    t.is(bench.claim(1).length, 1);
  }
});

test("what leases were charged by a slower throttle is forgotten with it, however many there are, and after a restart", (t) => {
  const bench = new QueueBench({ admission: hourly(4, 2) });
  for (const key of ["a", "a", "b"]) bench.enqueue({ key });
  t.is(bench.claim(3).length, 3);
  configure(bench, { throttle: { key: "item.key", limit: 1, period_ms: 1_000, burst: 1 } });
  bench.driver.restart();
  for (const key of ["a", "b"]) bench.enqueue({ key });
  t.is(bench.claim(2).length, 0);
  bench.driver.advance(1_000);
  t.is(bench.claim(2).length, 2);
  t.deepEqual(queueProblems(bench), []);
});

test("a change of something else looks at no item", (t) => {
  const bench = new QueueBench({ admission: slots(1) });
  bench.pool("PoolService.UpdatePool", {
    config: { lease_seconds: 60 },
    update_mask: ["config.lease_seconds"],
  });
  t.is(bench.state.recheck, null);
});

test("a control that is moved, or whose neighbour goes, keeps its slots and its limit for those that wait", (t) => {
  const a = { key: "item.attributes.a", limit: 5 };
  const b = { key: "item.attributes.b", limit: 1 };
  for (const after of [[b], [b, a], [{ limit: 9 }, b]]) {
    const bench = new QueueBench({ admission: { concurrency: [a, b] } });
    for (let i = 0; i < 4; i++) bench.enqueue({ attributes: { a: `a${i}`, b: "x" } });
    const [leased] = bench.claim(10);
    bench.pool("PoolService.UpdatePool", {
      config: { admission: { concurrency: after } },
      update_mask: ["config.admission.concurrency"],
    });
    bench.driver.advance(10);
    bench.enqueue({ attributes: { a: "new", b: "x" } });
    t.is(bench.claim(10).length, 0, JSON.stringify(after));
    bench.settle("complete", leased!);
    t.is(bench.claim(10).length, 1, JSON.stringify(after));
  }
});
