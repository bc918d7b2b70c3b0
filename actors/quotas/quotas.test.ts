import test from "ava";
import fc from "fast-check";
import { isRefusal, limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import {
  getQuota,
  noteQuota,
  type QuotaUse,
  quotaOf,
  type Reserved,
  releaseQuota,
  reserveQuota,
} from "../kit/quota.ts";
import { quotas } from "./index.ts";
import { dayMs } from "./state.ts";

const quota = quotaOf("t1");
const limit = 10;

function start() {
  const driver = new EntityDriver(quotas.actors);
  return {
    driver,
    reserve: (amount: number, ref?: string) =>
      driver.ask(quota, reserveQuota.name, { operation: "route", amount, limit, ref }),
    release: (amount: number, day: number, ref?: string) =>
      driver.ask(quota, releaseQuota.name, { operation: "route", amount, day, ref }),
    used: () => (driver.ask(quota, getQuota.name, { operation: "route" }) as QuotaUse).used,
  };
}

const step = fc.oneof(
  fc.record({ type: fc.constant("reserve" as const), amount: fc.nat(6), ref: fc.nat(5) }),
  fc.record({ type: fc.constant("release" as const), index: fc.nat(20) }),
  fc.record({ type: fc.constant("restart" as const) }),
  fc.record({ type: fc.constant("advance" as const), hours: fc.nat(30) }),
);

test("invariants 1 to 3: whatever is reserved and released, the amounts held are within the limit, and a request counts once", (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { driver, reserve, release, used } = start();
      /** What is held, by the day it was charged. */
      let held: { ref: string; amount: number; day: number }[] = [];
      for (const one of steps)
        switch (one.type) {
          case "reserve": {
            const ref = `r${one.ref}`;
            const answer = reserve(one.amount, ref);
            const today = Math.floor(driver.now / dayMs);
            const heldToday = held
              .filter(({ day }) => day === today)
              .reduce((sum, { amount }) => sum + amount, 0);
            if (isRefusal(answer)) t.true(heldToday + one.amount > limit);
            else if ((answer as Reserved).fresh) held.push({ ref, amount: one.amount, day: today });
            else t.true(held.some((other) => other.ref === ref));
            break;
          }
          case "release": {
            const [given] = held.splice(one.index % Math.max(1, held.length), 1);
            if (given === undefined) break;
            for (let twice = 0; twice < 2; twice++) release(given.amount, given.day, given.ref);
            break;
          }
          case "restart":
            driver.restart();
            break;
          case "advance":
            driver.advance(one.hours * 3_600_000);
            held = held.filter(({ day }) => day >= Math.floor(driver.now / dayMs) - 1);
            break;
        }
      const today = Math.floor(driver.now / dayMs);
      const sum = held.filter(({ day }) => day === today).reduce((all, { amount }) => all + amount, 0);
      t.is(used(), sum);
      t.true(sum <= limit);
    }),
    { numRuns: 100 },
  );
});

test("a repeat is charged again when its answer is no longer kept", (t) => {
  const { driver, reserve } = start();
  t.like(reserve(1, "r"), { fresh: true });
  driver.advance(limits.idempotencyKeptMs - 1);
  t.like(reserve(1, "r"), { fresh: false });
  driver.advance(1);
  t.like(reserve(1, "r"), { fresh: true });
});

test("what was used of an operation without a limit is added up, and starts anew with the day", (t) => {
  const { driver, used } = start();
  for (const amount of [3, 4]) driver.ask(quota, noteQuota.name, { used: { route: amount } });
  t.is(used(), 7);
  driver.restart();
  t.is(used(), 7);
  driver.advance(dayMs);
  t.is(used(), 0);
});

test("rows of requests are gone two days later", (t) => {
  const { driver, reserve } = start();
  for (let i = 0; i < limit; i++) reserve(1, `r${i}`);
  driver.advance(3 * dayMs);
  t.deepEqual(
    driver.rowsOf("t1").filter((row) => row.includes(" refs: ")),
    [],
  );
});
