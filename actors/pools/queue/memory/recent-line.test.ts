import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

const lineAfterMs = limits.queueLineAfterMs;

function keysOf(leased: readonly { item: { key: string } }[]): string[] {
  return leased.map(({ item }) => item.key);
}

test("an item that is claimed soon never has a row in line", (t) => {
  const queue = new QueueBench();
  queue.enqueue({ key: "a" });
  t.is(queue.rows("ready"), 0);
  queue.settle("complete", queue.claim()[0]!);
  queue.driver.advance(lineAfterMs);
  t.is(queue.rows("ready"), 0);
  t.deepEqual(queueProblems(queue), []);
});

test("who waits longer gets a row, stays in its turn, and leaves the row with the claim", (t) => {
  const queue = new QueueBench();
  for (const key of ["a", "b"]) queue.enqueue({ key });
  queue.driver.advance(lineAfterMs);
  t.is(queue.rows("ready"), 2);
  queue.enqueue({ key: "c" });
  t.is(queue.rows("ready"), 2);
  t.deepEqual(queueProblems(queue), []);
  t.deepEqual(keysOf(queue.claim(3)), ["a", "b", "c"]);
  t.is(queue.rows("ready"), 0);
  t.deepEqual(queueProblems(queue), []);
});

test("after a restart recent items are in line as before, leased ones are not", (t) => {
  const queue = new QueueBench();
  queue.enqueue({ key: "old" });
  queue.driver.advance(lineAfterMs);
  for (const key of ["a", "b", "c"]) {
    queue.driver.advance(5);
    queue.enqueue({ key, ...(key === "c" && { priority: 1 }) });
  }
  const [first] = queue.claim();
  t.is(first!.item.key, "c");
  queue.driver.restart();
  t.like(queue.status(), { depth: 3, leased: 1 });
  queue.enqueue({ key: "d" });
  t.deepEqual(keysOf(queue.claim(9)), ["old", "a", "b", "d"]);
  t.deepEqual(queueProblems(queue), []);
});

test("recent items that a restart finds get their rows in time", (t) => {
  const queue = new QueueBench();
  for (const key of ["a", "b"]) queue.enqueue({ key });
  queue.driver.restart();
  queue.driver.advance(lineAfterMs);
  t.is(queue.rows("ready"), 2);
  queue.driver.restart();
  t.deepEqual(queueProblems(queue), []);
  t.deepEqual(keysOf(queue.claim(2)), ["a", "b"]);
});

test("behind a backlog new items get their rows at once", (t) => {
  const queue = new QueueBench();
  const more = 10;
  for (let i = 0; i < 3; i++)
    queue.ask("QueueService.EnqueueBatch", {
      items: Array.from({ length: (limits.queueRecentMax + more) / 2 }, (_, n) => ({ key: `${i}-${n}` })),
    });
  const count = ((limits.queueRecentMax + more) / 2) * 3;
  t.is(queue.rows("ready"), count - limits.queueRecentMax);
  t.deepEqual(queueProblems(queue), []);
  // Some hundred in one step, a millisecond between the steps.
  queue.driver.advance(limits.queueLineSoonMs + 10);
  t.is(queue.rows("ready"), count);
  t.deepEqual(queueProblems(queue), []);
  queue.driver.restart();
  const seen: string[] = [];
  for (;;) {
    const leased = queue.claim(100);
    if (leased.length === 0) break;
    seen.push(...keysOf(leased));
  }
  t.is(seen.length, count);
  t.deepEqual(seen.slice(0, 2), ["0-0", "0-1"]);
  t.is(new Set(seen).size, count);
  t.deepEqual(
    seen,
    [0, 1, 2].flatMap((i) => Array.from({ length: count / 3 }, (_, n) => `${i}-${n}`)),
  );
});

test("a recent item knows its place in line, also behind stored ones", (t) => {
  const queue = new QueueBench();
  for (const key of ["a", "b"]) queue.enqueue({ key });
  queue.driver.advance(lineAfterMs);
  queue.enqueue({ key: "c" });
  const { item } = queue.enqueue({ key: "d" });
  t.like(queue.get(item.id), { wait: { reason: "queued", position: 4 } });
});

test("where the line is never empty, a restart reads what came since its first item and nothing before", (t) => {
  const queue = new QueueBench();
  queue.enqueue({ key: "0" });
  for (let i = 1; i <= 50; i++) {
    queue.driver.advance(1_000);
    queue.enqueue({ key: `${i}` });
    queue.settle("complete", queue.claim()[0]!);
    const [first, ...others] = [...queue.state.recent.items()];
    t.is(others.length, 0);
    t.is(queue.state.recent.since, first!.id.slice(0, 10));
    t.deepEqual(queueProblems(queue), []);
  }
  t.is(queue.rows("ready"), 0);
  queue.driver.restart();
  t.deepEqual(keysOf(queue.claim(9)), ["50"]);
});

test("a recent item gets its row before more has come after it than a restart reads in a few rounds", (t) => {
  const queue = new QueueBench();
  queue.enqueue({ key: "first" });
  const later = new Date(queue.driver.now + 3_600_000).toISOString();
  const items = Array.from({ length: limits.enqueueBatchMax }, () => ({ not_before: later }));
  for (let came = 0; came < limits.queueRecentReach; came += items.length) {
    t.is(queue.rows("ready"), 0);
    queue.ask("QueueService.EnqueueBatch", { items });
    if (came === 0) queue.enqueue({ key: "second" });
    queue.driver.advance(1);
  }
  t.is(queue.rows("ready"), 1);
  queue.driver.restart();
  t.deepEqual(keysOf(queue.claim(9)), ["first", "second"]);
  t.deepEqual(queueProblems(queue), []);
});

test("after a restart the oldest recent item is the one that came first, also of those of one millisecond", (t) => {
  const queue = new QueueBench();
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
  for (const key of keys) queue.enqueue({ key });
  t.is(queue.state.recent.oldest?.item.key, "k0");
  queue.driver.restart();
  queue.status();
  t.is(queue.state.recent.oldest?.item.key, "k0");
});

test("a pool that is configured anew right after a restart loses no item with the next one", (t) => {
  const bench = new QueueBench();
  bench.enqueue({ key: "a" });
  bench.driver.restart();
  const admission = { concurrency: [{ limit: 5 }] };
  bench.pool("PoolService.UpdatePool", { config: { admission }, update_mask: ["config.admission"] });
  bench.driver.restart();
  t.is(bench.claim(1).length, 1);
});
