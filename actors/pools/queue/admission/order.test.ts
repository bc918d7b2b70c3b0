import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";

/** Completes what it claims, and counts by a value of the item. */
function claimCounts(bench: QueueBench, claims: number, name: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let left = claims; left > 0; ) {
    const items = bench.claim(Math.min(100, left));
    for (const { item } of items) {
      const value = (item.attributes as Record<string, string>)[name]!;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    left -= items.length;
    if (items.length === 0) break;
  }
  return counts;
}

function enqueueMany(
  bench: QueueBench,
  count: number,
  make: (index: number) => Record<string, unknown>,
): void {
  for (let start = 0; start < count; start += 1_000) {
    const items = Array.from({ length: Math.min(1_000, count - start) }, (_, i) => make(start + i));
    bench.ask("QueueService.EnqueueBatch", { items });
  }
}

test("fairness: weights 1:2:5 are met within 2 % over 10,000 claims while one key floods, also after a restart", (t) => {
  const bench = new QueueBench({
    fairness: { key: "item.attributes.c", weights: { one: 1, two: 2, five: 5 } },
  });
  enqueueMany(bench, 6_000, () => ({ attributes: { c: "one" } }));
  enqueueMany(bench, 6_000, (i) => ({ attributes: { c: i % 2 ? "two" : "five" } }));
  enqueueMany(bench, 4_000, () => ({ attributes: { c: "five" } }));
  const before = claimCounts(bench, 5_000, "c");
  bench.driver.restart();
  const after = claimCounts(bench, 5_000, "c");
  for (const [key, weight] of [
    ["one", 1],
    ["two", 2],
    ["five", 5],
  ] as const) {
    const share = (before.get(key)! + after.get(key)!) / 10_000;
    t.true(Math.abs(share / (weight / 8) - 1) < 0.02, `${key} got ${share}`);
  }
});

test("a key that was quiet is served at once, however many items another key has waiting", (t) => {
  const bench = new QueueBench({ fairness: { key: "item.attributes.c" } });
  enqueueMany(bench, 2_000, () => ({ attributes: { c: "noisy" } }));
  claimCounts(bench, 500, "c");
  bench.enqueue({ attributes: { c: "quiet" } });
  const counts = claimCounts(bench, 2, "c");
  t.is(counts.get("quiet"), 1);
});

test("items without a fairness key are one key among the others: they overtake none", (t) => {
  const bench = new QueueBench({
    fairness: { key: "has(item.attributes.c) ? item.attributes.c : ''" },
  });
  enqueueMany(bench, 300, () => ({ attributes: { g: "none" } }));
  enqueueMany(bench, 300, () => ({ attributes: { c: "a", g: "a" } }));
  enqueueMany(bench, 300, () => ({ attributes: { c: "b", g: "b" } }));
  const counts = claimCounts(bench, 300, "g");
  for (const group of ["none", "a", "b"]) t.is(counts.get(group), 100, group);
});

test("priority: band 1 goes first, and a band that waits rises until it is served", (t) => {
  const bench = new QueueBench({ priority: { aging_seconds: 60 } });
  bench.enqueue({ priority: 5, attributes: { p: "5" } });
  bench.enqueue({ priority: 1, attributes: { p: "1" } });
  bench.enqueue({ priority: 3, attributes: { p: "3" } });
  t.deepEqual([...claimCounts(bench, 1, "p").keys()], ["1"]);
  bench.driver.advance(4 * 60_000);
  bench.enqueue({ priority: 1, attributes: { p: "1" } });
  const order = bench.claim(3).map(({ item }) => item.priority);
  t.deepEqual(order, [3, 5, 1]);
});

test("priority: a band rises after the whole of its time in line, and not for a delay before it", (t) => {
  for (const [waitedMs, first] of [
    [59_999, 1],
    [60_000, 2],
  ] as const) {
    const bench = new QueueBench({ priority: { aging_seconds: 60 } });
    const not_before = new Date(bench.driver.now + 600_000).toISOString();
    bench.enqueue({ priority: 2, not_before });
    bench.driver.advance(600_000 + waitedMs);
    bench.enqueue({ priority: 1 });
    t.is(bench.claim()[0]!.item.priority, first, `${waitedMs}`);
  }
});

test("priority: without aging, bands are strict", (t) => {
  const bench = new QueueBench({ priority: { aging_seconds: 0 } });
  bench.enqueue({ priority: 5 });
  bench.driver.advance(3_600_000);
  bench.enqueue({ priority: 4 });
  t.deepEqual(
    bench.claim(2).map(({ item }) => item.priority),
    [4, 5],
  );
});

test("first in, first out inside a band, also from rows and over a restart", (t) => {
  const bench = new QueueBench();
  enqueueMany(bench, 6_000, (i) => ({ payload: i }));
  const seen: unknown[] = [];
  for (let round = 0; round < 60; round++) {
    if (round % 20 === 7) bench.driver.restart();
    for (const { item } of bench.claim(100)) seen.push(item.payload);
  }
  t.deepEqual(
    seen,
    Array.from({ length: 6_000 }, (_, i) => i),
  );
});

test("an item is kept for the recipient its key sticks to for 5 s, then goes to anyone", (t) => {
  const bench = new QueueBench({ sticky: { key: "item.key" } }, [{}, {}]);
  const [first, second] = bench.recipientIds as [string, string];
  bench.enqueue({ key: "k" });
  const owner = bench.claim(1, { recipient_id: first }).length === 1 ? first : second;
  const other = owner === first ? second : first;
  if (owner === second) t.is(bench.claim(1, { recipient_id: second }).length, 1);
  const { item } = bench.enqueue({ key: "k" });
  t.is(bench.claim(1, { recipient_id: other }).length, 0);
  t.like(bench.get(item.id).wait, { reason: "sticky" });
  bench.driver.advance(5_000);
  t.is(bench.claim(1, { recipient_id: other }).length, 1);
});

test("sticky: keys are shared by the weights of recipients", (t) => {
  const bench = new QueueBench({ sticky: { key: "item.key" } }, [{ weight: 1 }, { weight: 9 }]);
  const items = Array.from({ length: 500 }, (_, i) => ({ key: `${i}` }));
  bench.ask("QueueService.EnqueueBatch", { items });
  const [light, heavy] = bench.recipientIds.map((recipient_id) => {
    let count = 0;
    for (let i = 0; i < 5; i++) count += bench.claim(100, { recipient_id }).length;
    return count;
  });
  t.is(light! + heavy!, 500);
  t.true(light! >= 25 && light! <= 75, `${light} of 500`);
});

test("an item is kept for a recipient that may take it: one that is set aside, or that its rules leave out, is not asked", (t) => {
  const recipients = Array.from({ length: 6 }, (_, i) => ({ labels: { side: i < 3 ? "a" : "b" } }));
  const bench = new QueueBench({ sticky: { key: "item.key" } }, recipients);
  bench.pool("RuleService.CreateRule", {
    name: "side",
    order: 1,
    enabled: true,
    condition: "item.attributes.side == 'a'",
    action: { restrict: { labels: { side: "a" } } },
  });
  bench.pool("RecipientService.PauseRecipient", { recipient_id: bench.recipientIds[0] });
  const owners = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { item } = bench.enqueue({ key: `${i}`, attributes: { side: "a" } });
    t.like(bench.get(item.id).wait, { reason: "sticky" });
  }
  for (const recipient_id of bench.recipientIds.slice(1))
    if (bench.claim(20, { recipient_id }).length > 0) owners.add(recipient_id);
  t.deepEqual([...owners], bench.recipientIds.slice(1, 3));
  t.is(bench.status().by_state.ready, 0);
});

test("an item that comes into line is kept for no recipient that cannot take it by then", (t) => {
  const changes: Record<string, unknown>[] = [{ status: "STATUS_PAUSED" }, { labels: { side: "b" } }];
  for (const change of changes) {
    const bench = new QueueBench({ sticky: { key: "item.key" } }, [{ labels: { side: "a" } }]);
    const [owner] = bench.recipientIds;
    const action = { restrict: { labels: { side: "a" } } };
    bench.pool("RuleService.CreateRule", { name: "r", order: 1, enabled: true, condition: "true", action });
    bench.enqueue({ key: "k", not_before: new Date(bench.driver.now + 1_000).toISOString() });
    bench.pool("RecipientService.UpdateRecipient", { recipient_id: owner, ...change });
    const other = bench.pool("RecipientService.CreateRecipient", { name: "other", labels: { side: "a" } });
    bench.driver.advance(1_000);
    t.is(bench.claim(1, { recipient_id: other.id }).length, 1, JSON.stringify(change));
  }
});

test("an item whose 5 s are over while a group holds it back is kept for no recipient", (t) => {
  const bench = new QueueBench({ sticky: { key: "item.key" }, admission: { concurrency: [{ limit: 1 }] } }, [
    {},
    {},
  ]);
  for (let i = 0; i < 2; i++) bench.enqueue({ key: "k" });
  const claimed = bench.recipientIds.map((recipient_id) => bench.claim(2, { recipient_id }));
  const other = bench.recipientIds[claimed.findIndex(({ length }) => length === 0)];
  bench.driver.advance(5_000);
  bench.settle("complete", claimed.flat()[0]!);
  t.is(bench.claim(1, { recipient_id: other }).length, 1);
});

test("an item that is kept for a recipient goes to it also after the pool gave up its sticky key", (t) => {
  const bench = new QueueBench({ sticky: { key: "item.key" } });
  const { item } = bench.enqueue({ key: "k" });
  bench.pool("PoolService.UpdatePool", { config: {}, update_mask: ["config.sticky"] });
  t.is(bench.get(item.id).state, "ready");
  bench.driver.restart();
  const got: string[] = [];
  bench.poll(1, (items) => got.push(...items.map(({ item }) => item.id)));
  t.deepEqual(got, [item.id]);
});

test("rules fold into classes: a restricted item waits for a recipient that fits, others pass it", (t) => {
  const bench = new QueueBench({}, [{}, { labels: { gpu: "yes" } }]);
  const [plain, gpu] = bench.recipientIds as [string, string];
  bench.pool("RuleService.CreateRule", {
    name: "gpu",
    order: 1,
    enabled: true,
    condition: "item.attributes.gpu == true",
    action: { restrict: { labels: { gpu: "yes" } } },
  });
  const { item } = bench.enqueue({ attributes: { gpu: true } });
  bench.enqueue({ attributes: { gpu: false } });
  const got = bench.claim(10, { recipient_id: plain });
  t.is(got.length, 1);
  t.not(got[0]!.item.id, item.id);
  t.is(bench.claim(10, { recipient_id: gpu })[0]!.item.id, item.id);
});

test("a full recipient gets no item, and gets one again after a completion", (t) => {
  const bench = new QueueBench({}, [{ capacity: 2 }]);
  enqueueMany(bench, 3, () => ({}));
  const got = bench.claim(5);
  t.is(got.length, 2);
  t.is(bench.claim(5).length, 0);
  bench.settle("complete", got[0]!);
  t.is(bench.claim(5).length, 1);
});

test("if several recipients wait for an item, the pool's strategy says who gets it", (t) => {
  const bench = new QueueBench({}, [{}, {}, {}], "longest_idle");
  const got: string[] = [];
  const wait = (recipient_id: string): void =>
    bench.poll(
      1,
      (items) => {
        got.push(recipient_id);
        for (const leased of items) bench.settle("complete", leased);
      },
      { recipient_id },
    );
  const [a, b, c] = bench.recipientIds as [string, string, string];
  for (const first of [a, b]) {
    wait(first);
    bench.enqueue();
    bench.driver.advance(1_000);
  }
  for (const id of [a, b, c]) wait(id);
  for (let i = 0; i < 3; i++) bench.enqueue();
  t.deepEqual(got, [a, b, c, a, b], "who has been idle longest, the never assigned first");
});

test("a fairness key may be called like a member every object has", (t) => {
  const bench = new QueueBench({ fairness: { key: "item.key", weights: { a: 1 } } });
  for (const key of ["constructor", "toString", "a"])
    bench.ask("QueueService.EnqueueBatch", { items: Array.from({ length: 40 }, () => ({ key })) });
  bench.driver.restart();
  const keys = bench.claim(30).map(({ item }) => item.key);
  for (const key of ["constructor", "toString", "a"]) t.is(keys.filter((one) => one === key).length, 10, key);
});

test("a rule keeps out what costs more than any recipient could take", (t) => {
  const bench = new QueueBench({}, [{ capacity: 100 }]);
  const rule = { name: "cost", condition: "item.cost > 100", action: { reject: { reason: "too large" } } };
  bench.pool("RuleService.CreateRule", { ...rule, enabled: true, order: 1 });
  t.like(bench.tryEnqueue({ cost: 101 }), { code: "FAILED_PRECONDITION", reason: "RULE_REJECTED" });
  bench.enqueue({ cost: 100 });
  t.is(bench.claim().length, 1);
});

test("a pool that gives up its fairness key serves who waits before who comes, also after a restart", (t) => {
  const bench = new QueueBench({ fairness: { key: "item.key" } });
  for (let i = 0; i < 20; i++) bench.enqueue({ key: "old" });
  bench.pool("PoolService.UpdatePool", { config: {}, update_mask: ["config.fairness"] });
  bench.driver.restart();
  const served: string[] = [];
  for (let i = 0; i < 25; i++) {
    bench.enqueue({ key: "new" });
    served.push(bench.claim(1)[0]!.item.key);
  }
  t.deepEqual(served, [...new Array(20).fill("old"), ...new Array(5).fill("new")]);
});

test("an item from before there was a fairness key, given back, does not go behind a key that floods", (t) => {
  const bench = new QueueBench();
  bench.enqueue({ key: "early" });
  const [early] = bench.claim();
  const fairness = { key: "item.key" };
  bench.pool("PoolService.UpdatePool", { config: { fairness }, update_mask: ["config.fairness"] });
  for (let i = 0; i < 50; i++) bench.enqueue({ key: "flood" });
  bench.settle("release", early!);
  t.true(bench.claim(2).some(({ item }) => item.key === "early"));
});

test("items that become ready at one time are handed out in the order in which they came, also after a restart", (t) => {
  for (const isDebounced of [true, false])
    for (const ms of [1_000, 600_000])
      for (const restarts of [false, true]) {
        const debounce = { key: "item.key", period_ms: ms };
        const bench = new QueueBench(isDebounced ? { admission: { debounce } } : {});
        const at = isDebounced ? {} : { not_before: new Date(bench.driver.now + ms).toISOString() };
        const items = Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, ...at }));
        bench.ask("QueueService.EnqueueBatch", { items });
        t.like(bench.status(), { by_state: { scheduled: 50 } });
        if (restarts) bench.driver.restart();
        bench.driver.advance(ms);
        t.deepEqual(
          bench.claim(50).map(({ item }) => item.key),
          items.map(({ key }) => key),
          `${isDebounced ? "debounced" : "delayed"} by ${ms} ms${restarts ? ", restarted" : ""}`,
        );
      }
});
