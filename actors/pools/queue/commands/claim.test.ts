import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../../test/support/queue.ts";
import { queueProblems } from "../../../../test/support/queue-check.ts";

/** A pool whose items of attribute `c` = 1 to `count` are of so many classes; its recipient fits all of them. */
function benchOfClasses(count: number, config: Record<string, unknown>): QueueBench {
  const names = Array.from({ length: count }, (_, i) => `${i + 1}`);
  const labels = Object.fromEntries(names.map((name) => [`l${name}`, "1"]));
  const bench = new QueueBench(config, [{ labels }]);
  for (const name of names)
    bench.pool("RuleService.CreateRule", {
      name,
      condition: `item.attributes.c == '${name}'`,
      action: { restrict: { labels: { [`l${name}`]: "1" } } },
      enabled: true,
      order: Number(name),
    });
  return bench;
}

/** Adds items to a class: of a throttled key, or each of its own. */
function enqueuer(bench: QueueBench): (name: number, count: number, throttled?: string) => void {
  let made = 0;
  return (name, count, throttled) => {
    const items = Array.from({ length: count }, () => ({
      attributes: { c: `${name}`, t: throttled ?? `${made++}` },
    }));
    bench.ask("QueueService.EnqueueBatch", { items });
  };
}

test("a claim that holds back many items after a restart reads what it needs in a few rounds", (t) => {
  const classes = 25;
  const throttled = 40;
  const key = "item.attributes.t";
  const bench = benchOfClasses(classes, {
    admission: { throttle: { key, limit: 1, period_ms: 3_600_000, burst: 1 } },
  });
  const enqueue = enqueuer(bench);
  for (let name = 1; name < classes; name++) enqueue(name, 1);
  t.is(bench.claim(classes).length, classes - 1);
  enqueue(classes, throttled, "same");
  for (let name = 1; name < classes; name++) enqueue(name, 130);
  bench.driver.advance(11_000);
  t.is(bench.rows("ready"), throttled + (classes - 1) * 130);
  bench.driver.restart();
  t.is(bench.claim(50).length, 50);
  t.is(bench.status().by_state.ready, throttled + (classes - 1) * 130 - 50);
  t.is(bench.rows("parked"), throttled - 1);
  t.deepEqual(queueProblems(bench), []);
});

test("a claim that comes to the end of what memory has of many lines reads on in all of them at once", (t) => {
  const classes = 20;
  const window = limits.queueWindowRefill;
  const bench = benchOfClasses(classes, {
    admission: { throttle: { key: "item.attributes.t", limit: 1, period_ms: 3_600_000, burst: 1 } },
  });
  const enqueue = enqueuer(bench);
  // Whoever comes first takes the only token; of all others in its group each is the last in memory of its line.
  for (let name = 1; name <= classes; name++) enqueue(name, window - 1);
  enqueue(1, 1, "same");
  for (let name = 1; name <= classes; name++) enqueue(name, 1, "same");
  for (let name = 1; name <= classes; name++) enqueue(name, 1);
  bench.driver.advance(11_000);
  bench.driver.restart();
  for (let i = 0; i <= classes * (window - 1); i++) t.is(bench.claim().length, 1);
  t.is(bench.rows("parked"), 0);
  t.is(bench.claim().length, 1);
  t.is(bench.rows("parked"), classes);
});

test("a claim over a backlog reads the line and nothing else: small payloads stand there too", (t) => {
  const queue = new QueueBench();
  for (let i = 0; i < 3; i++)
    queue.ask("QueueService.EnqueueBatch", {
      items: Array.from({ length: 1_000 }, (_, n) => ({ key: `${i}-${n}`, payload: `small ${i}-${n}` })),
    });
  queue.driver.advance(limits.queueLineSoonMs + 10);
  queue.driver.restart();
  // Those that came while the line was short got their rows later, without payloads.
  for (let left = limits.queueRecentMax; left > 0; left -= 64) queue.claim(Math.min(64, left));
  queue.driver.reads.length = 0;
  const leased = [...queue.claim(100), ...queue.claim(100)];
  t.is(leased.length, 200);
  for (const { item } of leased) t.is(item.payload, `small ${item.key}`);
  t.false(queue.driver.reads.includes("item"), queue.driver.reads.join(" "));
});

test("a claim takes no more payload than its answer can carry, and at least one item", (t) => {
  const bench = new QueueBench();
  const payload = "x".repeat(250_000);
  const items = Array.from({ length: 12 }, () => ({ payload }));
  bench.ask("QueueService.EnqueueBatch", { items });
  const taken = [bench.claim(12).length, bench.claim(12).length];
  t.deepEqual(taken, [9, 3]);
  t.deepEqual(queueProblems(bench), []);
});

test("a recipient that is tried again after its ejection is given one item, and many after that succeeded", (t) => {
  const bench = new QueueBench({}, [{}, {}]);
  const [recipientId] = bench.recipientIds;
  const report = (result: string) =>
    bench.driver.ask(bench.at("router"), "router.RecordOutcomes", {
      outcomes: [{ queue_item_id: "01JVVVVVVVVVVVVVVVVVVVVVVV", recipient_id: recipientId, result }],
      single: false,
    });
  for (let i = 0; i < 5; i++) report("failure");
  for (let i = 0; i < 10; i++) bench.enqueue();
  t.like(bench.ask("QueueService.Claim", { recipient_id: recipientId }), { reason: "RECIPIENT_EJECTED" });
  bench.driver.advance(30_000);
  t.is(bench.claim(10).length, 1, "its probe");
  t.is(bench.claim(10).length, 0, "one at a time");
  report("success");
  t.is(bench.claim(10).length, 9);
});

test("claims over a backlog delete the rows of their items in line, over a restart too", (t) => {
  const bench = new QueueBench();
  const keys = Array.from({ length: 30 }, (_, i) => `${i}`);
  bench.ask("QueueService.EnqueueBatch", { items: keys.map((key) => ({ key })) });
  bench.driver.advance(limits.queueLineAfterMs + 1_000);
  const claimed = [...bench.claim(10)];
  t.is(bench.rows("ready"), 20);
  bench.driver.restart();
  claimed.push(...bench.claim(5));
  t.is(bench.rows("ready"), 15);
  t.deepEqual(queueProblems(bench), []);
  claimed.push(...bench.claim(30));
  t.is(bench.rows("ready"), 0);
  t.deepEqual(
    claimed.map(({ item }) => item.key),
    keys,
  );
  t.deepEqual(queueProblems(bench), []);
  t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
});
