import test from "ava";
import { limits } from "#base";
import { DrivenPromotions, type Message } from "../../test/support/promotions.ts";

const approval = { decision: "approve", reason: "fine", accept_inconclusive: true };
const steps = ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary", "Approve", "Promote"];

async function promoted(bench: DrivenPromotions, candidate_id: string): Promise<void> {
  for (const step of steps)
    await bench.call(step, { candidate_id, ...(step === "Approve" && approval) }, { owner: "bob" });
}

async function versionsOf(bench: DrivenPromotions, pool_id: string): Promise<readonly number[]> {
  const listed = await bench.call("PoolService.ListPoolVersions", { pool_id, page_size: 1_000 });
  return (listed.pool_versions as readonly Message[]).map(({ version }) => version as number);
}

test("given 200 versions of a pool, when one more is made, then the oldest goes that no promotion uses", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const first = await bench.proposal(pool_id, ["first"]);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version: first }]);
  await bench.call("Preflight", { candidate_id });
  for (let n = 0; n < limits.poolVersionsMax; n++) await bench.proposal(pool_id, ["another"]);
  t.is((await versionsOf(bench, pool_id)).length, limits.poolVersionsMax + 1, "the first one is in use");
  await bench.proposal(pool_id, ["last"]);
  const kept = await versionsOf(bench, pool_id);
  t.deepEqual(kept.slice(0, 2), [first, first + 2]);
  t.is(kept.length, limits.poolVersionsMax + 1);
  await bench.call("Abort", { candidate_id, reason: "over" });
  await bench.proposal(pool_id, ["last"]);
  t.false((await versionsOf(bench, pool_id)).includes(first), "nothing uses it any more");
});

test("given 200 versions of a pool, when it is promoted and rolled back again and again, then what was replaced is not kept for ever", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  for (let n = 0; n < limits.poolVersionsMax; n++) await bench.proposal(pool_id, ["another"]);
  const version = limits.poolVersionsMax;
  for (let round = 0; round < 4; round++) {
    const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }]);
    await promoted(bench, candidate_id);
    t.true((await versionsOf(bench, pool_id)).length <= limits.poolVersionsMax + 2);
    t.is(await bench.outcome("Rollback", { candidate_id, reason: "again" }), "rolled_back");
    t.true((await versionsOf(bench, pool_id)).length <= limits.poolVersionsMax + 2);
  }
});

test("given a version of more than 256 KiB, then it is refused", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const rules = Array.from({ length: 200 }, (_, order) => ({
    name: `r${order}`,
    order,
    condition: "true",
    action: { reject: { reason: "x".repeat(1_400) } },
  }));
  const outcome = (count: number) =>
    bench.outcome("PoolService.CreatePoolVersion", {
      pool_id,
      kind: "routing",
      content: { routing: { rules: rules.slice(0, count) } },
    });
  t.is(await outcome(100), "undefined", "it is made: a version has no state");
  t.is(await outcome(200), "PAYLOAD_TOO_LARGE");
});

test("given 100 open candidates, then one more is refused until one of them is over", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const artifacts = [{ kind: "routing", id: pool_id, version: await bench.proposal(pool_id, ["one"]) }];
  let candidate_id = "";
  for (let n = 0; n < limits.promotionsOpenMax; n++) candidate_id = await bench.candidate(artifacts);
  const again = () => bench.outcome("CreateCandidate", { environment_id: "production", artifacts });
  t.is(await again(), "FAILED_PRECONDITION LIMIT_REACHED");
  await bench.call("Abort", { candidate_id, reason: "over" });
  t.is(await again(), "created");
});

test("given more than 50 checks, then a candidate keeps the newest", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"]);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }]);
  await bench.call("Preflight", { candidate_id });
  for (let n = 0; n < limits.promotionChecksMax + 3; n++)
    await bench.call("EvaluateGuardrails", { candidate_id });
  const { checks } = await bench.call<{ checks: readonly Message[] }>("GetCandidate", { candidate_id });
  t.is(checks.length, limits.promotionChecksMax);
  t.is(checks.at(-1)!.number, limits.promotionChecksMax + 3);
});
