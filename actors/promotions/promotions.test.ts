import test from "ava";
import { DrivenPromotions, type Message } from "../../test/support/promotions.ts";

const author = { subject: "ann", owner: "ann" };
const approver = { subject: "bob", owner: "bob" };

/** From created to approved. */
async function approved(bench: DrivenPromotions, candidate_id: string): Promise<void> {
  await bench.call("Preflight", { candidate_id });
  await bench.call("EvaluateGuardrails", { candidate_id });
  await bench.call("StartCanary", { candidate_id });
  await bench.call("StopCanary", { candidate_id });
  const decision = { decision: "approve", reason: "fine", accept_inconclusive: true };
  await bench.call("Approve", { candidate_id, ...decision }, approver);
}

test("given a proposal, when it is promoted and rolled back, then its rules are in force and the old ones again, with their ids", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  await bench.rule(pool_id, "one", "first");
  await bench.rule(pool_id, "two", "second");
  const before = await bench.rules(pool_id);
  const version = await bench.proposal(pool_id, ["two", "three"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  await approved(bench, candidate_id);
  t.like(await bench.call("Promote", { candidate_id }), { state: "promoted" });
  const after = (await bench.rules(pool_id)).rules as Message[];
  t.deepEqual(after.map(({ name }) => name).sort(), ["three", "two"]);
  const two = (before.rules as Message[]).find(({ name }) => name === "two")!;
  t.is(after.find(({ name }) => name === "two")!.id, two.id, "a rule keeps the id of the rule of its name");
  t.like(await bench.call("Rollback", { candidate_id, reason: "no" }), {
    state: "rolled_back",
    reason: "no",
  });
  const restored = await bench.rules(pool_id);
  const shown = (list: Message) =>
    (list.rules as Message[]).map(({ id, name, order, condition, action }) => ({
      id,
      name,
      order,
      condition,
      action,
    }));
  t.deepEqual(shown(restored), shown(before));
});
