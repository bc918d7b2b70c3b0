import test from "ava";
import { limits } from "#base";
import { Deadline } from "./deadlines.ts";

const nearMs = limits.deadlineTickMs;
const farMs = limits.deadlineTickMs * 12;

test("a deadline is told when its time has come, and not before", async (t) => {
  for (const leftMs of [-5, 0, nearMs, farMs]) {
    const atMs = Date.now() + leftMs;
    await new Promise<void>((resolve) => new Deadline(atMs, resolve));
    // The clock of timers runs on its own and may be a millisecond ahead.
    t.true(Date.now() >= atMs - 1, `${leftMs}`);
  }
});

test("a deadline that is cleared is never told, others are", async (t) => {
  let told = 0;
  const cleared = [nearMs, farMs].map((leftMs) => new Deadline(Date.now() + leftMs, () => told++));
  for (const deadline of cleared) deadline.clear();
  await new Promise<void>((resolve) => new Deadline(Date.now() + farMs + nearMs, resolve));
  t.is(told, 0);
});
