import test from "ava";
import { limits } from "#base";
import { Timeout } from "./deadlines.ts";

const nearMs = limits.deadlineTickMs;
const farMs = limits.deadlineTickMs * 12;

test.serial("a deadline is told when its time has come, and not before", async (t) => {
  for (const leftMs of [-5, 0, nearMs, farMs]) {
    const atMs = Date.now() + leftMs;
    await new Promise<void>((resolve) => new Timeout(leftMs, resolve));
    // The clock of timers runs on its own and may be a millisecond ahead.
    t.true(Date.now() >= atMs - 1, `${leftMs}`);
  }
});

test.serial("a deadline that is cleared is never told, others are", async (t) => {
  let told = 0;
  const cleared = [nearMs, farMs].map((leftMs) => new Timeout(leftMs, () => told++));
  for (const deadline of cleared) deadline.clear();
  await new Promise<void>((resolve) => new Timeout(farMs + 3 * nearMs, resolve));
  t.is(told, 0);
});

test.serial("a clock that is set neither ends a long wait at once nor makes it longer", async (t) => {
  const { now } = Date;
  const startedMs = performance.now();
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const passed = new Promise<number>((resolve) => {
      new Timeout(farMs, () => resolve(performance.now()));
    });
    Date.now = () => now() + jumpMs;
    t.teardown(() => {
      Date.now = now;
    });
    t.true((await passed) - startedMs >= farMs - 1);
    Date.now = now;
  }
});
