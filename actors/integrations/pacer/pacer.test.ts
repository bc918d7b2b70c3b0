import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import { defineActor } from "#runtime";
import { EntityDriver } from "../../../test/support/entity.ts";
import {
  audienceKeys,
  type PacerGranted,
  type PacerSlot,
  pacerAddress,
} from "../../notify/outbound/types.ts";
import { pacerActor } from "../index.ts";
import type { PacerCommand } from "./decide.ts";
import { shapeOf } from "./grant.ts";

const tenant = "01JTENANT00000000000000000";
const integration = "01JINTEGRAT10N000000000000";
const pacer = pacerAddress(tenant, integration);

interface Received extends PacerSlot {
  readonly audience: string;
  readonly receivedMs: number;
}

/** A pacer, and audiences that write down what they are granted. */
function start(perSecond: number, burst: number) {
  const slots: Received[] = [];
  const audience = defineActor<object, PacerGranted & { readonly to: string }, never>({
    kind: "audience",
    placement: "key",
    empty: ({ key }) => ({ key }),
    resident: [],
    restore: () => undefined,
    decide: (state, { slots: granted }, { now }) => {
      for (const slot of granted)
        slots.push({ ...slot, audience: (state as { key: string }).key, receivedMs: now });
      return { events: [] };
    },
    apply: () => undefined,
    methods: {},
    onMessage: (message) => message as PacerGranted & { to: string },
  });
  const driver = new EntityDriver([pacerActor, audience]);
  const pace = (command: PacerCommand) => driver.tell(pacer, command);
  const want = (key: string, direct: number, broadcast: number, epoch = 1) =>
    driver.tell(pacer, { type: "pacer_want", epoch, direct, broadcast, audience: key });
  pace({ type: "paced", epoch: 1, perSecond, burst });
  return { driver, slots, pace, want };
}

/** The largest excess over burst + rate · t in any window of these times. */
function excess(times: readonly number[], perSecond: number, burst: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  // A window from i to j has j − i + 1: the largest of (j − rate·t_j) less the smallest of (i − rate·t_i) before it.
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, at] of sorted.entries()) {
    const level = index - (perSecond * at) / 1_000;
    least = Math.min(least, level);
    most = Math.max(most, level - least + 1 - burst);
  }
  return most;
}

test("given a pacer of 50/s and 64 audiences, when it is restarted on the way, then no window has more and 98 % are used", (t) => {
  const { driver, slots, want } = start(50, 50);
  for (const key of audienceKeys) want(key, 0, 100);
  const begin = driver.now;
  for (let round = 0; round < 60; round++) {
    driver.advance(1_000);
    if (round % 7 === 3) driver.restart();
  }
  const seconds = (driver.now - begin) / 1_000;
  t.true(slots.length >= 0.98 * 50 * seconds, `${slots.length} in ${seconds} s`);
  t.true(slots.every(({ atMs, receivedMs, untilMs }) => receivedMs <= atMs && atMs <= untilMs));
  const random = new Random("late");
  const late = slots.map(({ atMs, untilMs }) => atMs + random.float() * (untilMs - atMs));
  for (const times of [slots.map(({ atMs }) => atMs), slots.map(({ untilMs }) => untilMs), late])
    t.true(excess(times, 50, 50) <= 1e-9, `${excess(times, 50, 50)} too many`);
  const served = new Set(slots.map(({ audience }) => audience));
  t.is(served.size, audienceKeys.length);
});

test("whatever the rate, the wants and the restarts, slots used at any moment of their time are never too many", (t) => {
  const step = fc.oneof(
    fc.record({
      type: fc.constant("want" as const),
      key: fc.nat(63),
      direct: fc.nat(40),
      broadcast: fc.nat(40),
    }),
    fc.record({ type: fc.constant("wait" as const), ms: fc.nat(3_000) }),
    fc.record({ type: fc.constant("restart" as const) }),
  );
  const rate = fc.record({
    perSecond: fc.double({ min: 0.5, max: 500, noNaN: true }),
    burst: fc.integer({ min: 2, max: 300 }),
  });
  fc.assert(
    fc.property(rate, fc.array(step, { maxLength: 30 }), fc.string(), ({ perSecond, burst }, steps, seed) => {
      const { driver, slots, want } = start(perSecond, burst);
      for (const one of steps)
        if (one.type === "want") want(audienceKeys[one.key]!, one.direct, one.broadcast);
        else if (one.type === "wait") driver.advance(one.ms);
        else driver.restart();
      const random = new Random(seed);
      const used = slots.map(({ atMs, untilMs }) => (random.float() < 0.5 ? atMs : untilMs));
      t.true(slots.every(({ atMs, untilMs }) => atMs <= untilMs));
      t.true(excess(used, perSecond, burst) <= 1e-6, `${excess(used, perSecond, burst)} too many`);
    }),
    { numRuns: 200 },
  );
});

test("given 10,000 broadcasts that wait, when a direct one comes, then it has one of the next slots, and a tenth stays for broadcasts", (t) => {
  const { driver, slots, want } = start(100, 10);
  want(audienceKeys[0]!, 0, 10_000);
  driver.advance(1_000);
  slots.length = 0;
  want(audienceKeys[1]!, 1, 0);
  driver.advance(500);
  t.is(
    slots.findIndex(({ tier }) => tier === "direct"),
    0,
  );
  want(audienceKeys[1]!, 10_000, 0);
  driver.advance(500);
  slots.length = 0;
  driver.advance(10_000);
  const broadcasts = slots.filter(({ tier }) => tier === "broadcast").length;
  t.true(Math.abs(broadcasts / slots.length - 0.1) < 0.01, `${broadcasts} of ${slots.length}`);
});

test("given wants that are withdrawn or of another epoch, when time goes on, then nothing is granted for them", (t) => {
  const { driver, slots, want } = start(1, 2);
  want(audienceKeys[0]!, 0, 10);
  slots.length = 0;
  want(audienceKeys[0]!, 0, -10);
  want(audienceKeys[1]!, 5, 0, 2);
  driver.advance(60_000);
  t.is(slots.length, 0);
});

test("given a rate that ends and begins again, when old wants arrive, then they do not count, and no row is left of an ended one", (t) => {
  const { driver, slots, pace, want } = start(10, 2);
  want(audienceKeys[0]!, 0, 100);
  pace({ type: "pace_ended" });
  t.deepEqual(
    driver.rowsOf(tenant).filter((row) => row.startsWith("pacer")),
    [],
  );
  slots.length = 0;
  pace({ type: "paced", epoch: 5, perSecond: 10, burst: 2 });
  want(audienceKeys[0]!, 0, 7);
  want(audienceKeys[0]!, 0, 3, 5);
  driver.advance(10_000);
  t.is(slots.length, 3);
});

test("of a burst, what is kept for late use and what may leave at once are the burst", (t) => {
  for (const perSecond of [0.01, 0.5, 1, 50, 9_999])
    for (const burst of [2, 3, 10, 10_000]) {
      const { intervalMs, aheadMs, lateMs } = shapeOf({ perSecond, burst });
      t.true(aheadMs / intervalMs + 1 + lateMs / intervalMs <= burst + 1e-6, `${perSecond} ${burst}`);
      t.true(lateMs > 0);
    }
});
