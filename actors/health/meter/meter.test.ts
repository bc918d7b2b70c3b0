import test from "ava";
import { handleOf } from "#base";
import { tenant } from "../../../test/support/pool.ts";
import { QueueBench } from "../../../test/support/queue.ts";
import { meterKeyOf, tellMeter } from "../../kit/meter.ts";
import type { MeterFigures } from "./decide.ts";
import { missingIn, readMeter } from "./service.ts";
import type { State } from "./state.ts";

function start() {
  const bench = new QueueBench();
  const { driver } = bench;
  const handle = handleOf(bench.poolId);
  const meter = { kind: "meter", tenant, key: meterKeyOf(handle) };
  return {
    bench,
    driver,
    meter,
    handle,
    heard: () => driver.state<State>(meter).heard.get(handle),
    figures: (environment = "production") =>
      driver.ask(meter, readMeter.name, { environment }) as MeterFigures,
  };
}

test("a queue tells at its creation, ten seconds after a change, and every minute while an item waits or is leased", (t) => {
  const { bench, driver, heard } = start();
  driver.advance(0);
  const made = heard()!.heardAt;
  t.like(heard(), { environment: "production", live: { ready: 0 } });
  driver.advance(600_000);
  t.is(heard()!.heardAt, made, "nothing happened");

  bench.enqueue();
  driver.advance(5_000);
  bench.enqueue();
  driver.advance(4_999);
  t.like(heard(), { heardAt: made, live: { ready: 0 } });
  driver.advance(1);
  t.like(heard(), { totals: { enqueued: 2 }, live: { ready: 2 } });
  const first = heard()!.heardAt;
  driver.advance(59_999);
  t.is(heard()!.heardAt, first);
  driver.advance(1);
  t.is(heard()!.heardAt, first + 60_000);

  const [one, other] = bench.claim(2);
  driver.advance(10_000);
  t.like(heard(), { live: { ready: 0, leased: 2 } });
  for (const leased of [one!, other!]) bench.settle("complete", leased);
  driver.advance(10_000);
  t.like(heard(), { totals: { completed: 2 }, live: { leased: 0 } });
  const last = heard()!.heardAt;
  driver.advance(600_000);
  t.is(heard()!.heardAt, last, "nothing waits any more");
  t.false(driver.timers(bench.at("queue")).includes("tell"));
});

test("what was told is what the queue has, also after a restart of both", (t) => {
  const { bench, driver, heard, figures } = start();
  for (let i = 0; i < 5; i++) bench.enqueue({ key: `k${i}` });
  bench.enqueue({ not_before: new Date(driver.now + 3_600_000).toISOString() });
  driver.advance(3_000);
  bench.settle("fail", bench.claim(1)[0]!, { error: "secret text" });
  driver.restart();
  driver.advance(10_000);
  const { counts, totals } = bench.state;
  const { scheduled, ready, leased, retry_wait } = counts;
  t.deepEqual(heard()!.live, { scheduled, ready, leased, retry_wait });
  t.deepEqual(heard()!.totals, totals.values);
  t.deepEqual([...heard()!.waits], totals.waits);
  t.is(totals.values.failed, 1);
  t.is(figures().ready, ready);
  t.false(JSON.stringify(heard()).includes("secret"), "a queue tells numbers only");
  t.deepEqual(driver.unlikeReplay(bench.at("queue")), []);
});

test("figures are of one environment; a silent queue with items ages, one without does not", (t) => {
  const { bench, driver, figures } = start();
  driver.advance(10_000);
  t.like(figures(), { pools: 1, ready: 0, silentMs: 0 });
  t.like(figures("staging"), { pools: 0 });
  bench.enqueue();
  driver.advance(10_000);
  driver.now += 50_000;
  t.like(figures(), { ready: 1, silentMs: 50_000, oldestReadyMs: 60_000, aheadMs: 0 });
});

test("a queue whose clock is ahead is heard of no later than it was, and the skew is told", (t) => {
  const { driver, meter, figures, heard } = start();
  driver.advance(0);
  const { heardAt: _, ...told } = heard()!;
  const live = { ...told.live, leased: 1 };
  const handle = "0000000A";
  driver.tell(meter, { ...told, type: "told", live, at: driver.now + 40_000, handle });
  driver.advance(45_000);
  t.like(figures(), { silentMs: 45_000, aheadMs: 40_000 });
  driver.tell(meter, { ...told, type: "told", live, at: driver.now - 20_000, handle });
  t.like(figures(), { silentMs: 20_000, aheadMs: 0 });
});

test("a meter says whom it has not heard of; such a queue tells when it is asked, and is gone with its pool", (t) => {
  const { bench, driver, meter, handle, heard } = start();
  const missing = () => driver.ask(meter, missingIn.name, { handles: [handle] });
  t.deepEqual(missing(), { handles: [handle] });
  bench.ask(tellMeter.name);
  t.deepEqual(missing(), { handles: [] });
  bench.enqueue();
  driver.advance(10_000);
  t.truthy(heard());
  bench.pool("PoolService.DeletePool", { force: true });
  driver.advance(100_000);
  t.deepEqual(missing(), { handles: [handle] });
  t.deepEqual(driver.timers(bench.at("queue")), []);
  t.like(bench.ask(tellMeter.name), { code: "NOT_FOUND" });
});

test("a deleted tenant leaves no rows", (t) => {
  const { driver, meter } = start();
  driver.advance(0);
  driver.tell(meter, { type: "purge" });
  t.is(driver.rows(meter, "heard").size, 0);
});
