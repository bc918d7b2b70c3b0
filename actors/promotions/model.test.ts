import test from "ava";
import fc from "fast-check";
import { Random } from "#base";
import { DrivenPromotions, type Message } from "../../test/support/promotions.ts";
import type { Asked } from "./table.ts";
import { sources } from "./table.ts";

const steps: readonly (readonly [string, Asked])[] = [
  ["Preflight", "preflight"],
  ["EvaluateGuardrails", "guardrails"],
  ["StartCanary", "canary_start"],
  ["StopCanary", "canary_stop"],
  ["Approve", "approve"],
  ["Promote", "promote"],
  ["Rollback", "rollback"],
  ["Abort", "abort"],
];
const approval = { decision: "approve", reason: "fine", accept_inconclusive: true };

/** What is in force in a pool, as a caller sees it. */
async function contentOf(bench: DrivenPromotions, pool_id: string): Promise<string> {
  const rules = (await bench.rules(pool_id)).rules as Message[];
  return JSON.stringify(
    rules.map(({ id, name, order, condition, action }) => [id, name, order, condition, action]),
  );
}

test("random operations with three targets, edits and crashes: all targets are activated or none, a rollback restores ids and content, nothing is left", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = new Random(seed);
      const bench = new DrivenPromotions({ "promotion.allow_self_approval": true });
      const pools = [await bench.pool(), await bench.pool(), await bench.pool()];
      for (const pool_id of pools) await bench.rule(pool_id, "old", "old");
      const artifacts: Message[] = [];
      for (const id of pools)
        artifacts.push({ kind: "routing", id, version: await bench.proposal(id, ["old", "new"]) });
      const candidate_id = await bench.candidate(artifacts);
      let state = "created";
      let before: string[] = [];
      let edited = false;
      for (let step = 0; step < 25; step++) {
        // Mostly the next step, so that the end is reached.
        const next = steps.filter(
          ([, operation]) =>
            (sources[operation] as readonly string[]).includes(state) && operation !== "abort",
        );
        const [method, operation] =
          random.chance(0.7) && next.length > 0 ? next.at(-1)! : random.pick([...steps]);
        if (random.chance(0.2)) bench.driver.restart();
        if (random.chance(0.06)) {
          await bench.rule(random.pick(pools), `edit ${step}`, "x");
          edited = true;
        }
        const current = await Promise.all(pools.map((pool_id) => contentOf(bench, pool_id)));
        const more =
          operation === "approve" ? approval : operation === "canary_start" ? { share_bps: 100 + step } : {};
        const outcome = await bench.outcome(method, { candidate_id, ...more });
        if (operation === "promote" && outcome === "promoted") before = current;
        const after = await Promise.all(pools.map((pool_id) => contentOf(bench, pool_id)));
        const changed = after.filter((content, index) => content !== current[index]).length;
        t.true(changed === 0 || changed === 3, `${method} ${outcome}: ${changed} targets changed`);
        if (changed === 3) t.true(outcome === "promoted" || outcome === "rolled_back", outcome);
        if (outcome === "rolled_back" && operation === "rollback" && !edited) t.deepEqual(after, before);
        state = await bench.outcome("GetCandidate", { candidate_id });
        if (["promoted", "failed", "rejected", "rolled_back", "aborted"].includes(state))
          for (const pool_id of pools) {
            const { governance } = await bench.call("PoolService.GetPool", { pool_id });
            t.is((governance as Message).canary, undefined, `${state} leaves no canary`);
          }
      }
    }),
    { numRuns: 40 },
  );
});
