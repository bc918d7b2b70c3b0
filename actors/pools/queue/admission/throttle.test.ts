import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import { key, tell } from "../../../../test/support/admission.ts";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";
import { groupFromRow, groupToRow, type ThrottleGroup } from "../rows/group.ts";
import type { Item } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { eligibleAt, takeToken } from "./throttle.ts";

interface Throttle {
  readonly limit: number;
  readonly period_ms: number;
  readonly burst: number;
}

const throttles = (limit: fc.Arbitrary<number>) =>
  fc.record({
    limit,
    period_ms: fc.integer({ min: 1_000, max: 10_000 }),
    burst: fc.integer({ min: 1, max: 10 }),
  });
const few = fc.integer({ min: 1, max: 20 });
const histories = fc.record({ restartEvery: fc.integer({ min: 3, max: 40 }), completes: fc.boolean() });

type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;

/** When each of so many items goes that all wait from the beginning, in milliseconds since then. */
function timesOf(throttle: Throttle, count: number, { restartEvery, completes }: History): number[] {
  const bench = new QueueBench({ admission: { throttle: { key, ...throttle } }, lease_seconds: 3_600 });
  const items = Array.from({ length: count }, () => ({ key: "k" }));
  bench.ask("QueueService.EnqueueBatch", { items });
  const start = bench.driver.now;
  const times: number[] = [];
  // Nobody polls: a waiting claim is answered when the throttle's own timer lets an item go.
  const wait = (): void =>
    bench.poll(5, (leased) => {
      for (const one of leased) {
        times.push(bench.driver.now - start);
        if (completes) bench.settle("complete", one);
      }
      if (times.length < count) wait();
    });
  wait();
  for (let round = 1; times.length < count; round++) {
    bench.driver.advance(throttle.period_ms);
    if (round % restartEvery !== 0) continue;
    bench.driver.restart();
    wait();
  }
  return times;
}

/** How many go at once, and how many in a period from then on. */
function paced({ limit, burst }: Throttle) {
  const atOnce = Math.max(1, Math.min(burst, Math.floor(limit / 2)));
  return { atOnce, steady: limit - atOnce + 1 };
}

/** The most that go within a period, wherever it begins. */
function mostInPeriod(times: readonly number[], periodMs: number): number {
  let most = 0;
  for (let from = 0, to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= periodMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/** The exact times in whole numbers: each goes in the first millisecond that is not too early. */
function scheduleOf(throttle: Throttle, count: number): number[] {
  const { atOnce, steady } = paced(throttle);
  return Array.from({ length: count }, (_, i) =>
    Math.max(0, Math.ceil(((i + 1 - atOnce) * throttle.period_ms) / steady)),
  );
}

test("throttle: never early, never over its limit in any window, at least 98 % used, also over restarts", (t) => {
  const many = fc.integer({ min: 1_001, max: 10_000 });
  fc.assert(
    fc.property(throttles(fc.oneof(few, many)), histories, (throttle, history) => {
      const times = timesOf(throttle, 400, history);
      const schedule = scheduleOf(throttle, 400);
      if (times.some((time, i) => time < schedule[i]!)) return false;
      const { atOnce, steady } = paced(throttle);
      const interval = throttle.period_ms / steady;
      for (let i = 0; i < times.length; i++)
        for (let j = i; j < times.length; j++)
          // Both ends are seen to a millisecond.
          if (j - i + 1 > atOnce + Math.floor((times[j]! - times[i]! + 1) / interval)) return false;
      if (mostInPeriod(times, throttle.period_ms) > throttle.limit) return false;
      return 400 >= 0.98 * (atOnce + Math.floor((times.at(-1)! - 1) / interval));
    }),
    {
      numRuns: 15,
      examples: [
        [
          { limit: 7_029, period_ms: 1_000, burst: 1 },
          { restartEvery: 3, completes: false },
        ],
      ],
    },
  );
  t.pass();
});

/** How many go in each millisecond where as many as may go always do, and what counts is read from its row again. */
function perMs(throttle: Throttle, ms: number): number[] {
  const item = { groups: { throttle: "k" } } as Item;
  const group: ThrottleGroup = { kind: "throttle", tat: 0, held: {}, wakeAt: 0 };
  let tat = 0;
  const start = 1_800_000_000_000;
  return Array.from({ length: ms }, (_, i) => {
    const unit = {
      now: start + i,
      router: { config: { admission: { throttle } } },
      groups: { throttle: () => ({ ...group, tat }), charge: () => undefined, holdsSomebody: false },
    } as unknown as UnitOfWork;
    let went = 0;
    for (; eligibleAt(throttle, { ...group, tat }) <= unit.now; went++) tat = takeToken(unit, item);
    tat = (groupFromRow(groupToRow({ ...group, tat })) as ThrottleGroup).tat;
    return went;
  });
}

test("throttle: limits up to a million a second are used, and not passed in any window, whatever they divide", (t) => {
  const fast = fc
    .record({
      limit: fc.integer({ min: 1_001, max: 1_000_000 }),
      period_ms: fc.integer({ min: 1, max: 5_000 }),
      burst: fc.integer({ min: 1, max: 100_000 }),
    })
    .filter(({ limit, period_ms }) => limit <= 1_000 * period_ms);
  fc.assert(
    fc.property(fast, (throttle) => {
      const { limit, period_ms } = throttle;
      const { atOnce, steady } = paced(throttle);
      const ms = 60;
      const went = perMs(throttle, ms);
      for (let from = 0; from < ms; from++)
        for (let to = from, sum = 0; to < ms; to++) {
          sum += went[to]!;
          // Both ends are seen to a millisecond.
          if (sum > atOnce + Math.floor(((to - from + 1) * steady) / period_ms)) return false;
          if (to - from < period_ms && sum > limit) return false;
        }
      const all = went.reduce((sum, one) => sum + one, 0);
      // Less than one of them is lost where a key begins.
      return all + 1 >= 0.98 * (atOnce + Math.floor(((ms - 1) * steady) / period_ms));
    }),
    {
      numRuns: 40,
      examples: [21_001, 60_000, 150_000, 600_000, 999_999].map((limit) => [
        { limit, period_ms: 1_000, burst: 1 },
      ]),
    },
  );
  t.pass();
});

test("throttle: where more than a million may go in a second, the burst goes at once and then a million", (t) => {
  t.deepEqual(perMs({ limit: 1_000_000, period_ms: 1, burst: 100 }, 4), [100, 1_000, 1_000, 1_000]);
});

test("throttle: each goes at its exact time, also where the limit does not divide the period, and over restarts", (t) => {
  const odd = [
    ...[3, 6, 7, 11, 13, 19, 41].map((limit) => ({ limit, period_ms: 1_000, burst: 1 })),
    // Several in a millisecond.
    { limit: 997, period_ms: 60, burst: 1 },
  ];
  const after = [false, true].map((completes) => ({ restartEvery: 3, completes }));
  fc.assert(
    fc.property(throttles(few), histories, (throttle, history) => {
      t.deepEqual(timesOf(throttle, 200, history), scheduleOf(throttle, 200));
    }),
    {
      numRuns: 30,
      examples: odd.flatMap((throttle) => after.map((history) => [throttle, history] as const)),
    },
  );
});

test("throttle: an item that comes a millisecond late gets no credit: the next waits its whole interval", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000 } } });
  for (let i = 0; i < 3; i++) bench.enqueue({ key: "k" });
  bench.claim();
  bench.driver.advance(1_001);
  t.is(bench.claim().length, 1);
  bench.driver.advance(999);
  t.is(bench.claim().length, 0);
  bench.driver.advance(1);
  t.is(bench.claim().length, 1);
});

test("throttle: what is left of a millisecond counts also when the lease that was charged is over", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 2, period_ms: 1, burst: 1 } } });
  bench.enqueue({ key: "k" });
  const [first] = bench.claim();
  bench.driver.advance(1);
  bench.settle("complete", first!);
  for (let i = 0; i < 3; i++) bench.enqueue({ key: "k" });
  t.is(bench.claim(3).length, 2);
});

/** Items that come at random, and claims that come after random pauses: when each item goes. */
function atRandom(throttle: Throttle, seed: string): number[] {
  const bench = new QueueBench({ admission: { throttle: { key, ...throttle } }, lease_seconds: 3_600 });
  const random = new Random(seed);
  const times: number[] = [];
  for (let step = 0; step < 250; step++) {
    const count = random.chance(0.1) ? 1 + random.int(2 * throttle.limit) : 0;
    if (count > 0)
      bench.ask("QueueService.EnqueueBatch", { items: Array.from({ length: count }, () => ({ key: "k" })) });
    const pause = random.chance(0.05) ? 3 * throttle.period_ms : 1 + random.int(throttle.period_ms / 10);
    bench.driver.advance(pause);
    if (random.chance(0.02)) bench.driver.restart();
    for (const one of bench.claim(1 + random.int(50))) {
      times.push(bench.driver.now);
      if (random.chance(0.3)) bench.settle("complete", one);
    }
  }
  return times;
}

test("throttle: given random arrivals and claims and any burst, then no window of a period has more than the limit", (t) => {
  const random = fc.record({
    limit: few,
    period_ms: fc.integer({ min: 20, max: 10_000 }),
    burst: fc.oneof(few, fc.constant(1_000_000)),
  });
  fc.assert(
    fc.property(random, fc.string(), (throttle, seed) => {
      t.true(mostInPeriod(atRandom(throttle, seed), throttle.period_ms) <= throttle.limit);
    }),
    { numRuns: 60 },
  );
});

for (const burst of [undefined, 1, 5, 20, 1_000_000])
  test(`throttle of 20 with burst ${burst ?? "left out"}: no window of a period has more than 20, and some has as many`, (t) => {
    const period_ms = 1_000;
    const throttle = { key, limit: 20, period_ms, ...(burst !== undefined && { burst }) };
    const bench = new QueueBench({ admission: { throttle }, lease_seconds: 3_600 });
    t.like(bench.pool("PoolService.GetPool").config, { admission: { throttle: { burst: burst ?? 1 } } });
    bench.ask("QueueService.EnqueueBatch", { items: Array.from({ length: 60 }, () => ({ key: "k" })) });
    const times: number[] = [];
    for (let ms = 0; ms < 2 * period_ms; ms++, bench.driver.advance(1))
      for (const _ of bench.claim(50)) times.push(bench.driver.now);
    t.is(mostInPeriod(times, period_ms), 20);
    t.is(times.filter((time) => time === times[0]).length, Math.min(burst ?? 1, 10), "at once");
  });

for (const restarted of [false, true])
  test(`throttle: a claim after a pause gets all tokens that came meanwhile, in order${restarted ? ", after a restart too" : ""}`, (t) => {
    const bench = new QueueBench({
      // Ten at once, and then one every 100 ms.
      admission: { throttle: { key, limit: 20, period_ms: 1_100, burst: 10 } },
    });
    const items = Array.from({ length: 60 }, (_, n) => ({ key: "k", payload: n }));
    bench.ask("QueueService.EnqueueBatch", { items });
    const claim = (count: number) => bench.claim(count).map(({ item }) => item.payload as number);
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
    t.deepEqual(claim(100), numbers(0, 10));
    t.deepEqual(claim(100), []);
    bench.driver.advance(20_000);
    if (restarted) bench.driver.restart();
    t.deepEqual(claim(100), numbers(10, 10), "one burst, however long the pause was");
    t.deepEqual(claim(100), []);
    bench.driver.advance(500);
    t.deepEqual(claim(3), numbers(20, 3));
    t.deepEqual(claim(100), numbers(23, 2));
    t.deepEqual(claim(100), []);
    t.deepEqual(queueProblems(bench), []);
    t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
  });

test("throttle: items that tokens let go keep their place among others in a claim", (t) => {
  const bench = new QueueBench({
    priority: { aging_seconds: 0 },
    admission: { throttle: { key, limit: 8, period_ms: 1_000, burst: 4 } },
  });
  const add = (key: string, priority: number) => bench.enqueue({ key, priority });
  for (let i = 0; i < 4; i++) add("k", 2);
  t.is(bench.claim(9).length, 4);
  for (const [key, priority] of [
    ["k", 2],
    ["k", 2],
    ["x", 3],
    ["k", 4],
    ["y", 5],
  ] as const)
    add(key, priority);
  t.is(bench.claim(2).length, 2, "x and y");
  for (const [key, priority] of [
    ["v", 1],
    ["w", 3],
  ] as const)
    add(key, priority);
  bench.driver.advance(1_000);
  t.deepEqual(
    bench.claim(9).map(({ item }) => `${item.key}${item.priority}`),
    ["v1", "k2", "k2", "w3", "k4"],
  );
  t.deepEqual(queueProblems(bench), []);
});

test("throttle: what waits says until when, and goes then to the claim that waits for it", (t) => {
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

test("throttle: a dead letter that is retried waits for its time like any other, and holds no other up", (t) => {
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

test("the timer of a key lets go as many as may, however often it was asked for", (t) => {
  const bench = new QueueBench({ admission: { throttle: { key, limit: 1, period_ms: 1_000, burst: 1 } } });
  const ids = Array.from({ length: 4 }, () => bench.enqueue({ key: "k" }).item.id);
  t.is(bench.claim(4).length, 1, "the others are held back, one after another");
  bench.enqueue({ key: "k" });
  t.is(bench.state.held, 4);
  bench.driver.advance(1_000);
  t.is(bench.state.held, 3);
  t.deepEqual(
    bench.claim(4).map(({ item }) => item.id),
    [ids[1]!],
  );
});
