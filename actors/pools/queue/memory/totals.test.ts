import test from "ava";
import fc from "fast-check";
import { limits, Random } from "#base";
import { type LeasedItem, QueueBench } from "../../../../test/support/queue.ts";
import { liveItems } from "../../../../test/support/queue-check.ts";
import { type TotalName, totalNames } from "../../../kit/meter.ts";
import { ReadyAges } from "./ready-ages.ts";

type Message = Record<string, unknown>;
type Counted = Record<TotalName | "depth", number>;

const minuteMs = 60_000;
const config = {
  retention_seconds: 31_536_000,
  lease_seconds: 43_200,
  max_attempts: 2,
  backoff: { initial_ms: 1_000 },
};

/** Plays random commands, and keeps what rows do not tell: how often a lease failed, and how long waits and leases took. */
class Played extends QueueBench {
  readonly told = { failed: 0, wait_ms_sum: 0, lease_ms_sum: 0 };
  readonly #leases: (LeasedItem & { readonly at: number })[] = [];

  constructor() {
    super(config, [{}]);
  }

  step(random: Random): void {
    const roll = random.int(10);
    if (roll < 4) {
      const later = random.chance(0.2) && { not_before: this.#in(5_000) };
      this.enqueue({ ...later, ...(random.chance(0.2) && { expires_at: this.#in(30_000) }) });
    } else if (roll < 7) this.#claim(random);
    else if (roll === 7) this.#cancelOne();
    else this.#settleOne(random);
  }

  #in(ms: number): string {
    return new Date(this.driver.now + ms).toISOString();
  }

  #claim(random: Random): void {
    for (const lease of this.claim(1 + random.int(3))) {
      this.#leases.push({ ...lease, at: this.driver.now });
      const { readyAt } = liveItems(this).find(({ id }) => id === lease.item.id)!;
      this.told.wait_ms_sum += this.driver.now - readyAt;
    }
  }

  #cancelOne(): void {
    const [waiting] = this.ask("QueueService.ListItems", { states: ["ready"] }).items as Message[];
    if (waiting) this.ask("QueueService.Cancel", { queue_item_id: waiting.id });
  }

  #settleOne(random: Random): void {
    const lease = this.#leases.shift();
    if (!lease) return;
    const outcome = random.pick(["complete", "complete", "fail", "release", "reject"]);
    this.settle(outcome, lease, { error: "e" });
    this.told.lease_ms_sum += this.driver.now - lease.at;
    if (outcome === "fail" || outcome === "reject") this.told.failed++;
  }

  /** From the rows of the items alone. */
  recount(): Counted {
    const items = liveItems(this);
    const inState = (...states: string[]) => items.filter(({ state }) => states.includes(state)).length;
    return {
      ...this.told,
      enqueued: items.length,
      claimed: items.reduce((sum, { deliveries }) => sum + deliveries, 0),
      completed: inState("completed"),
      dead: inState("dead"),
      expired: inState("expired"),
      cancelled: inState("cancelled"),
      depth: inState("scheduled", "ready", "retry_wait"),
    };
  }
}

test("the series is what a recount of the items finds at the edges of its steps, over restarts", (t) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const bench = new Played();
      const { driver } = bench;
      const edges = new Map<number, Counted>();
      for (let step = 0; step < 150; step++) {
        bench.step(random);
        if (random.chance(0.05)) driver.restart();
        const later = driver.now + random.int(random.chance(0.05) ? 600_000 : 15_000);
        // What is due at the edge of a minute belongs to the next one.
        for (let edge = Math.ceil(driver.now / minuteMs) * minuteMs; edge <= later; edge += minuteMs) {
          driver.advance(edge - 1 - driver.now);
          edges.set(edge, bench.recount());
          driver.advance(1);
        }
        driver.advance(later - driver.now);
      }
      const { points } = bench.ask("QueueControlService.GetQueueSeries", { window: "168h", step: "1m" });
      let checked = 0;
      for (const point of points as (Counted & { readonly at: string })[]) {
        const at = Date.parse(point.at);
        const [before, after] = [edges.get(at - minuteMs), edges.get(at)];
        if (!before || !after) continue;
        checked++;
        t.is(point.depth, after.depth, point.at);
        for (const name of totalNames) {
          t.is(point[name], after[name] - before[name], `${name} at ${point.at}, seed ${seed}`);
          if (point[name] > 0) seen.add(name);
        }
      }
      t.is(checked, edges.size - 1);
    }),
    { numRuns: 20 },
  );
  t.deepEqual([...seen].sort(), [...totalNames].sort());
});

test("steps are differences over their minutes; a window beyond what is kept begins where that does", (t) => {
  const bench = new QueueBench({ retention_seconds: 1 });
  const { driver } = bench;
  driver.now = Math.ceil(driver.now / 3_600_000) * 3_600_000;
  for (let minute = 0; minute < 120; minute++) {
    bench.enqueue();
    driver.advance(minuteMs);
  }
  const sums = (request: Message) => {
    const { points } = bench.ask("QueueControlService.GetQueueSeries", request);
    return (points as Counted[]).map(({ enqueued, depth }) => [enqueued, depth]);
  };
  t.deepEqual(sums({ window: "2h", step: "1h" }), [
    [60, 60],
    [60, 120],
  ]);
  t.deepEqual(sums({ window: "15m", step: "5m" }), [
    [5, 110],
    [5, 115],
    [5, 120],
  ]);
  t.is(sums({}).length, 60);
  t.is(sums({ window: "168h", step: "1h" }).length, 24);
  // Nothing happens for longer than rows are kept, and then something does.
  driver.advance(30 * 3_600_000);
  bench.enqueue();
  driver.advance(minuteMs * 60);
  t.deepEqual(sums({ window: "3h", step: "1h" }), [
    [0, 120],
    [0, 120],
    [1, 121],
  ]);
  t.true(driver.rows(bench.at("queue"), "series").size <= 122);
  for (const window of ["4m", "169h"])
    t.like(bench.ask("QueueControlService.GetQueueSeries", { window }), {
      code: "INVALID_ARGUMENT",
      fields: [{ field: "window", reason: "must be between 5m and 168h" }],
    });
});

test("the age of the oldest ready item is that of a recount, to the minute, also of held items and after restarts", (t) => {
  const bench = new QueueBench();
  const status = () => bench.ask("QueueControlService.GetQueueStatus").oldest_ready_age_seconds;
  t.is(status(), 0);
  bench.enqueue({ not_before: new Date(bench.driver.now + 30_000).toISOString() });
  bench.driver.advance(10_000);
  t.is(status(), 0, "an item that is scheduled is not ready");
  bench.driver.advance(50_000);
  t.is(status(), 30);
  bench.enqueue();
  bench.driver.advance(90_000);
  bench.driver.restart();
  t.is(status(), 120);
  bench.claim();
  t.is(status(), 90);
  bench.claim();
  t.is(status(), 0);
});

test("intervals of ages are bounded, count all, and their oldest is close to the oldest there is", (t) => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      let ages = new ReadyAges();
      const times: number[] = [];
      let now = 1_700_000_000_000;
      for (let step = 0; step < 2_000; step++) {
        now += random.int(120_000);
        if (random.chance(0.55)) {
          ages.add(now);
          times.push(now);
        } else if (times.length > 0) {
          const [gone] = times.splice(random.chance(0.7) ? 0 : random.int(times.length), 1);
          ages.remove(gone!);
        }
        if (random.chance(0.01)) {
          const again = new ReadyAges();
          again.restore(JSON.parse(JSON.stringify(ages.row())));
          ages = again;
        }
        t.is(ages.size, times.length);
        t.true(ages.row().length <= 2 * limits.queueAgesMax);
        const oldest = times.length === 0 ? 0 : Math.min(...times);
        t.true(ages.oldestAt <= oldest || oldest === 0);
        // Its interval is wider the older it is.
        t.true(
          oldest - ages.oldestAt <= minuteMs + (now - oldest) / 8,
          `${oldest - ages.oldestAt} of ${now - oldest}`,
        );
      }
    }),
    { numRuns: 10 },
  );
});
