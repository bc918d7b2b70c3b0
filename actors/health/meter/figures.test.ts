import test from "ava";
import { handleOf } from "#base";
import { testParts } from "../../../test/support/module-parts.ts";
import { PoolBench, tenant } from "../../../test/support/pool.ts";
import { QueueBench } from "../../../test/support/queue.ts";
import { readMetrics } from "../../../test/support/read-metrics.ts";
import { meterKeyOf, type TotalName } from "../../kit/meter.ts";
import { configuredPools } from "../../pools/index.ts";
import { health } from "../index.ts";

function start() {
  const bench = new QueueBench();
  const { driver } = bench;
  const { metrics, ...told } = readMetrics();
  const clock = { now: () => driver.now, monotonic: () => driver.now };
  for (const definition of health(testParts({ metrics, clock })).actors) driver.define(definition);
  return { bench, driver, ...told };
}

test("/metrics has what queues have counted and what waits, by closed labels", (t) => {
  const { bench, driver, read, histogram, names } = start();
  for (let i = 0; i < 20; i++) bench.enqueue({ key: `k${i}` });
  driver.advance(30_000);
  const leased = bench.claim(8);
  for (const one of leased.slice(0, 5)) bench.settle("complete", one);
  bench.settle("fail", leased[5]!, { error: "e", retryable: false });
  driver.advance(10_000);
  const { values } = bench.state.totals;
  const operations = (Object.keys(values) as TotalName[]).filter((name) => !name.endsWith("_sum"));
  t.is(operations.length, 7);
  for (const operation of operations)
    t.is(read(`service_queue_operations_total ${operation}`), values[operation], operation);
  t.is(read("service_queue_operations_total completed"), 5);
  t.is(read("service_queue_items ready"), 12);
  t.is(read("service_queue_items leased"), bench.state.counts.leased);
  t.true(read("service_queue_oldest_ready_seconds")! >= 30);
  t.is(
    histogram("service_queue_wait_seconds")!.counts.reduce((a, b) => a + b),
    8,
  );
  t.is(histogram("service_queue_wait_seconds")!.sumMs, values.wait_ms_sum);
  t.true(names().length < 20);
  t.false(names().some((name) => name.includes(bench.poolId)));

  const meter = { kind: "meter", tenant, key: meterKeyOf(handleOf(bench.poolId)) };
  driver.tell(meter, { type: "gone", handle: handleOf(bench.poolId) });
  t.is(read("service_queue_items ready"), 0);
  t.is(read("service_queue_operations_total completed"), 5, "what has happened stays");
});

test("a queue that tells another thread is counted here no more", (t) => {
  const { bench, driver, read } = start();
  bench.enqueue();
  driver.advance(10_000);
  t.is(read("service_queue_items ready"), 1);
  driver.now += 200_000;
  t.is(read("service_queue_items ready"), 0);
  t.is(read("service_queue_oldest_ready_seconds"), 0);
});

test("routes are counted by the strategy of their pool and what came of them, refusals too", (t) => {
  const bench = new PoolBench();
  const { metrics, read, names } = readMetrics();
  const [, router] = configuredPools(testParts({ metrics })).actors;
  bench.driver.define(router!);
  t.truthy(bench.route().refusal);
  bench.recipients([{}]);
  bench.rule({ condition: 'item.key == "bad"', action: { reject: { reason: "no" } } });
  t.truthy(bench.route({ key: "good" }).routing);
  bench.routes([{ key: "good" }, { key: "bad" }]);
  t.is(read("service_routes_total weighted_random unroutable"), 1);
  t.is(read("service_routes_total weighted_random routed"), 2);
  t.is(read("service_routes_total weighted_random rejected"), 1);
  t.is(names().filter((name) => name.startsWith("service_routes_total")).length, 40);
});
