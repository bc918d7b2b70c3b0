import test from "ava";
import { limits } from "#base";
import { DrivenPromotions } from "../../test/support/promotions.ts";

test("given a canary, then it is counted while it runs, also after a restart, and no longer once it has stopped or moved away", async (t) => {
  let read = () => -1;
  let nowMs = 1_000_000;
  const bench = new DrivenPromotions(
    {},
    {
      clock: { now: () => nowMs, monotonic: () => nowMs },
      metrics: {
        add: () => {},
        observe: () => {},
        gauge: (name, labels, value) => {
          if (name !== "service_canaries_active") return;
          read = value;
          t.deepEqual(labels, {});
        },
        counter: () => {},
        histogram: () => {},
      },
    },
  );
  t.is(read(), 0);
  const started = async () => {
    const pool_id = await bench.pool();
    const version = await bench.proposal(pool_id, ["new"]);
    const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }]);
    for (const step of ["Preflight", "EvaluateGuardrails", "StartCanary"])
      await bench.call(step, { candidate_id });
    return candidate_id;
  };
  const first = await started();
  await started();
  t.is(read(), 2);
  nowMs += 2 * limits.promotionLookMs;
  bench.driver.restart();
  bench.driver.advance(limits.promotionLookMs);
  t.is(read(), 2, "each was looked at by its timer");
  await bench.call("StopCanary", { candidate_id: first });
  t.is(read(), 1);
  nowMs += 2 * limits.promotionLookMs + 1;
  t.is(read(), 0, "nothing is heard of it here any more");
});
