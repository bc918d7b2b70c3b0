import test from "ava";
import { limits } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";

function counts(bench: PoolBench, ids: readonly string[], routes: number): number[] {
  const chosen = Array.from({ length: routes }, () => bench.route().routing!.recipient_id);
  return ids.map((id) => chosen.filter((one) => one === id).length);
}

test("after a change of weight a rotation goes on at the new weights, without a burst", (t) => {
  for (const [weight, expected] of [
    [6, [15, 15, 90]],
    [1, [40, 40, 40]],
  ] as const) {
    const bench = new PoolBench({ strategy: "round_robin" });
    const ids = bench.recipients([{}, {}, { weight: 3 }]) as [string, string, string];
    counts(bench, ids, 500);
    bench.pool("RecipientService.UpdateRecipient", { recipient_id: ids[2], weight });
    for (const [index, count] of counts(bench, ids, 120).entries())
      t.true(Math.abs(count - expected[index]!) <= 1, `${count} to ${index} of weight ${weight}`);
    bench.driver.restart();
    for (const [index, count] of counts(bench, ids, 120).entries())
      t.true(Math.abs(count - expected[index]!) <= 1, `${count} to ${index} after a restart`);
  }
});

test("who led a rotation and leaves, or gets a larger weight, does not hold back those who are new", (t) => {
  const bench = new PoolBench({ strategy: "round_robin" });
  const [slow, fast] = bench.recipients([{ weight: 1 }, { weight: 100 }]) as [string, string];
  // One turn of weight 1 is far ahead of one of weight 100.
  while (bench.route().routing!.recipient_id !== slow);
  const { clock } = bench.state;
  bench.pool("RecipientService.UpdateRecipient", { recipient_id: slow, weight: 100 });
  const reweighted = bench.state.clock;
  bench.driver.restart();
  t.deepEqual(bench.state.clock, reweighted, "a restart finds the same clock after a change of weight");
  t.true(reweighted.numerator * clock.weight <= clock.numerator * reweighted.weight);
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: slow });
  const left = bench.state.clock;
  bench.driver.restart();
  t.deepEqual(bench.state.clock, left, "a restart finds the same clock after a removal");
  t.is(bench.route().routing!.recipient_id, fast);
});

test("a rotation that starts its count again goes on in turn", (t) => {
  const bench = new PoolBench({ strategy: "round_robin" });
  const ids = bench.recipients([{}, {}, {}]);
  for (const recipient of bench.state.recipients.values()) recipient.picks = limits.picksMax;
  bench.state.clock = { numerator: 2 * limits.picksMax - 1, weight: 1 };
  t.deepEqual(counts(bench, ids, 1), [1, 0, 0]);
  t.deepEqual(
    [...bench.state.recipients.values()].map(({ picks }) => picks),
    [0, 0, 0],
  );
  const before = bench.state.clock;
  t.deepEqual(counts(bench, ids, 30), [10, 10, 10]);
  bench.driver.restart();
  t.deepEqual(counts(bench, ids, 30), [10, 10, 10]);
  t.deepEqual(before, { numerator: 0, weight: 1 });
});

test("when who led a rotation is removed, a restart finds the rotation where those left have it", (t) => {
  const bench = new PoolBench({ strategy: "round_robin" });
  const [slow] = bench.recipients([{ weight: 1 }, { weight: 100 }]) as [string];
  while (bench.route().routing!.recipient_id !== slow);
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: slow });
  const { clock } = bench.state;
  bench.driver.restart();
  t.deepEqual(bench.state.clock, clock);
});
