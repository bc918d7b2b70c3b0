import test from "ava";
import { QueueBench } from "../../../../test/support/queue.ts";

test("status tells the oldest age, the average wait of five minutes and what was completed today", (t) => {
  const bench = new QueueBench();
  bench.enqueue();
  bench.driver.advance(10_000);
  bench.enqueue();
  t.like(bench.status(), { depth: 2, oldest_item_age_seconds: 10 });
  const [leased] = bench.claim();
  t.like(bench.status(), { average_wait_seconds: 10, oldest_item_age_seconds: 0, leased: 1 });
  bench.settle("complete", leased!);
  bench.driver.restart();
  t.like(bench.status(), { throughput_today: 1, average_wait_seconds: 10 });
  bench.driver.advance(86_400_000);
  t.like(bench.status(), { throughput_today: 0, average_wait_seconds: 0 });
});

test("the status of a queue names its pool", (t) => {
  t.is(new QueueBench().status().name, "p");
});

test("how old the oldest item is, is looked for behind the leases once, and followed from there", (t) => {
  const bench = new QueueBench();
  const entries = Array.from({ length: 1_000 }, () => ({}));
  bench.ask("QueueService.EnqueueBatch", { items: entries });
  const leased = Array.from({ length: 10 }, () => bench.claim(100, { lease_seconds: 3_600 })).flat();
  bench.driver.advance(60_000);
  const waiting = bench.enqueue().item.id;
  bench.driver.advance(5_000);
  const items = bench.driver.rows(bench.at("queue"), "item");
  const scan = items.scan.bind(items);
  let rows = 0;
  items.scan = (range) => {
    const found = scan(range);
    rows += found.length;
    return found;
  };
  const age = () => {
    rows = 0;
    return [bench.status().oldest_item_age_seconds, rows];
  };
  t.deepEqual(age(), [5, 937], "the first 64 that waited were known to have gone");
  t.deepEqual(age(), [5, 0]);
  bench.enqueue();
  t.deepEqual(age(), [5, 0]);
  bench.settle("release", leased[700]!);
  t.deepEqual(age(), [65, 0], "it came before");
  bench.ask("QueueService.Cancel", { queue_item_id: leased[700]!.item.id });
  t.is(age()[0], 5);
  bench.ask("QueueService.Cancel", { queue_item_id: waiting });
  t.is(age()[0], 0);
  bench.driver.restart();
  rows = 0;
  t.is(bench.status().oldest_item_age_seconds, 0);
  t.like(bench.ask("queue.DrainStep", { max_items: 10 }), { drained: 1, remaining_depth: 0 });
  t.deepEqual(age(), [0, 0]);
});

test("those who have waited longest are read together: who asks after every departure reads rows now and then", (t) => {
  const bench = new QueueBench();
  for (let i = 0; i < 200; i++) {
    bench.driver.advance(1_000);
    bench.enqueue();
  }
  bench.driver.restart();
  const items = bench.driver.rows(bench.at("queue"), "item");
  const scan = items.scan.bind(items);
  let reads = 0;
  bench.status();
  items.scan = (range) => {
    reads++;
    return scan(range);
  };
  const ages: unknown[] = [];
  for (let i = 0; i < 199; i++) {
    bench.settle("complete", bench.claim()[0]!);
    ages.push(bench.status().oldest_item_age_seconds);
  }
  t.deepEqual(
    ages,
    Array.from({ length: 199 }, (_, index) => 198 - index),
  );
  t.true(reads <= 3, `${reads} reads for 199 departures`);
});
