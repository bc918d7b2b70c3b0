import test from "ava";
import { limits } from "#base";
import { QueueBench } from "../../../test/support/queue.ts";
import { queueProblems } from "../../../test/support/queue-check.ts";

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
    bench.driver.ask(bench.at("router"), "Router.RecordOutcomes", {
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

/** So many in line, all with rows there; the first two have an attribute in common. */
function benchWithLine(count: number, config: Record<string, unknown> = {}): QueueBench {
  const bench = new QueueBench(config);
  bench.ask("QueueService.EnqueueBatch", {
    items: Array.from({ length: count }, (_, i) => ({ key: `${i}`, attributes: { c: `${Math.max(1, i)}` } })),
  });
  bench.driver.advance(11_000);
  return bench;
}

test("rows at the head of a line are passed one claim after the other and deleted together, over a restart too", (t) => {
  const max = limits.queuePassedMax;
  const bench = benchWithLine(max + 30);
  const claimed: string[] = [];
  const claim = (count: number) => claimed.push(...bench.claim(count).map(({ item }) => item.key));
  for (let i = 0; i < max - 10; i += 10) claim(Math.min(10, max - 10 - i));
  t.is(bench.rows("ready"), max + 30, "no row was deleted");
  t.is(bench.rows("passed"), 1);
  t.deepEqual(queueProblems(bench), []);
  bench.driver.restart();
  claim(5);
  t.is(bench.rows("ready"), max + 30);
  t.deepEqual(queueProblems(bench), []);
  claim(10);
  t.is(bench.rows("ready"), 25, "as many as there may be");
  t.is(bench.rows("passed"), 0);
  claim(10);
  t.deepEqual([bench.rows("ready"), bench.rows("passed")], [25, 1]);
  claim(20);
  t.deepEqual([bench.rows("ready"), bench.rows("passed")], [0, 0], "the last of a line leaves nothing of it");
  t.deepEqual(
    claimed,
    Array.from({ length: max + 30 }, (_, i) => `${i}`),
  );
  t.deepEqual(queueProblems(bench), []);
  t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
});

for (const restarted of [false, true])
  test(`an item that steps forward to a place that was passed is the only one there${restarted ? ", after a restart too" : ""}`, (t) => {
    const bench = benchWithLine(30, { admission: { concurrency: [{ key: "item.attributes.c", limit: 1 }] } });
    const [first] = bench.claim(10);
    t.is(bench.claim(5).length, 5);
    t.deepEqual([bench.rows("ready"), bench.rows("passed"), bench.rows("parked")], [19, 1, 1]);
    if (restarted) bench.driver.restart();
    bench.settle("complete", first!);
    t.deepEqual([bench.rows("ready"), bench.rows("passed"), bench.rows("parked")], [15, 0, 0]);
    t.deepEqual(queueProblems(bench), []);
    bench.driver.restart();
    t.deepEqual(
      bench.claim(3).map(({ item }) => item.key),
      ["1", "16", "17"],
    );
    t.deepEqual(queueProblems(bench), []);
    t.deepEqual(bench.driver.unlikeReplay(bench.at("queue")), []);
  });

test("one that leaves a line elsewhere than at its head takes along what was passed", (t) => {
  const bench = benchWithLine(30);
  bench.claim(10);
  bench.ask("QueueService.Cancel", { queue_item_id: bench.state.ready.window("c0", 3).at(5)!.id });
  t.deepEqual([bench.rows("ready"), bench.rows("passed")], [19, 0]);
  t.is(bench.claim(30).length, 19);
  t.deepEqual(queueProblems(bench), []);
});
