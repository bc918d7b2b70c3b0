import test from "ava";
import { limits } from "#base";
import { type Answer, PoolBench } from "../../../test/support/pool.ts";

const full = { code: "RATE_LIMITED", reason: "CONCURRENCY", retryAfterMs: limits.retryAfterMs };

test("the reservation after the last is refused, a route without one is not", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  bench.state.reservations = limits.reservationsMax - 1;
  t.truthy(bench.route({ reserve: true }).routing);
  t.like(bench.route({ reserve: true }).refusal, full);
  t.truthy(bench.route().routing);
});

test("entries of one batch count against the bound together, after those that are held", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  bench.state.reservations = limits.reservationsMax - 2;
  const answers = bench.routes([{ reserve: true }, {}, { reserve: true }, { reserve: true }]) as Answer[];
  t.deepEqual(
    answers.map(({ refusal }) => refusal?.code),
    [undefined, undefined, undefined, "RATE_LIMITED"],
  );
});

test("reservations are counted again after a restart, and no longer once they end in any way", (t) => {
  const bench = new PoolBench();
  const [gone] = bench.recipients([{}]) as [string];
  const held = Array.from({ length: 3 }, () => bench.route({ reserve: true, reserve_seconds: 10 }).routing!);
  bench.route();
  t.is(bench.state.reservations, 3);
  bench.driver.restart();
  t.is(bench.state.reservations, 3);
  const outcome = { id: "o", routing_id: held[0]!.id, result: "success" };
  for (let i = 0; i < 2; i++) bench.outcome(outcome);
  t.is(bench.state.reservations, 2);
  // Its recipient may go first.
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: gone });
  bench.driver.restart();
  t.is(bench.state.reservations, 2);
  bench.outcome({ routing_id: held[1]!.id, result: "timeout" });
  bench.driver.advance(10_000);
  t.is(bench.state.reservations, 0);
  t.is(bench.driver.rows(bench.at("router"), "holds").size, 0);
});

test("a reservation that has ended leaves no timer, nor does the pool that goes with one", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  const timers = () => bench.driver.timers(bench.at("router")).filter((id) => id.startsWith("hold:"));
  const { id } = bench.route({ reserve: true }).routing!;
  t.deepEqual(timers(), [`hold:${id}`]);
  bench.outcome({ routing_id: id, result: "success" });
  t.deepEqual(timers(), []);
  bench.route({ reserve: true });
  bench.pool("PoolService.DeletePool");
  t.deepEqual(timers(), []);
  t.is(bench.state.reservations, 0);
});
