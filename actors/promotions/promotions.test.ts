import test from "ava";
import { limits } from "#base";
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

test("given the maker of the candidate, of a version in it, or a key of the maker, when they approve, then it is refused", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"], { subject: "cyd", owner: "cyd" });
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  for (const step of ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary"])
    await bench.call(step, { candidate_id });
  const approval = { candidate_id, decision: "approve", reason: "fine", accept_inconclusive: true };
  const makers = [
    author,
    { subject: "key:1", owner: "ann", principalKind: "api_key" },
    { subject: "k", owner: "cyd" },
  ];
  for (const maker of makers)
    t.is(await bench.outcome("Approve", approval, maker), "PERMISSION_DENIED SELF_APPROVAL");
  t.is(
    await bench.outcome("Approve", { ...approval, accept_inconclusive: false }, approver),
    "FAILED_PRECONDITION GUARDRAIL_INCONCLUSIVE",
  );
  t.is(await bench.outcome("Approve", approval, approver), "approved");
});

test("given two approvals are required, when one owner approves twice, then it counts once", async (t) => {
  const bench = new DrivenPromotions({ "promotion.approvals_required": 2 });
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  for (const step of ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary"])
    await bench.call(step, { candidate_id });
  const approval = { candidate_id, decision: "approve", reason: "fine", accept_inconclusive: true };
  t.is(await bench.outcome("Approve", approval, approver), "canary_stopped");
  t.is(await bench.outcome("Approve", approval, { subject: "bob's key", owner: "bob" }), "canary_stopped");
  // A new check: what was approved before it is void.
  await bench.call("EvaluateGuardrails", { candidate_id });
  t.is(await bench.outcome("Approve", approval, { subject: "dan", owner: "dan" }), "canary_stopped");
  t.is(await bench.outcome("Approve", approval, approver), "approved");
});

test("given an approval that is too old, when it is promoted, then the approval is void", async (t) => {
  const bench = new DrivenPromotions({ "promotion.approval_ttl": 60_000 });
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  await approved(bench, candidate_id);
  bench.driver.advance(60_000);
  t.is(await bench.outcome("Promote", { candidate_id }), "FAILED_PRECONDITION APPROVAL_EXPIRED");
  t.like(await bench.call("GetCandidate", { candidate_id }), { state: "canary_stopped", approvals: [] });
});

test("given evidence is required and no pack is attached, when it is approved, then it is refused", async (t) => {
  const bench = new DrivenPromotions({ "promotion.evidence_required": "live" });
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  for (const step of ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary"])
    await bench.call(step, { candidate_id });
  const approval = { candidate_id, decision: "approve", reason: "fine", accept_inconclusive: true };
  t.is(await bench.outcome("Approve", approval, approver), "FAILED_PRECONDITION EVIDENCE_UNSATISFIED");
});

test("given a governed pool, when its rules or settings are changed directly, then it is refused; its name is free", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  await bench.call("PoolService.SetChangeControl", { pool_id, change_control: "governed" });
  const rule = { pool_id, name: "x", condition: "true", action: { reject: { reason: "no" } } };
  t.is(await bench.outcome("RuleService.CreateRule", rule), "FAILED_PRECONDITION GOVERNED");
  const strategy = { pool_id, strategy: "round_robin", update_mask: ["strategy"] };
  t.is(await bench.outcome("PoolService.UpdatePool", strategy), "FAILED_PRECONDITION GOVERNED");
  t.like(await bench.call("PoolService.UpdatePool", { pool_id, name: "new", update_mask: ["name"] }), {
    name: "new",
  });
  const version = await bench.proposal(pool_id, ["one"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  await approved(bench, candidate_id);
  t.is(await bench.outcome("Promote", { candidate_id }), "promoted");
});

test("given three targets and an edit of one after the preflight, when it is promoted, then none is changed and no canary is left", async (t) => {
  const bench = new DrivenPromotions();
  const pools = [await bench.pool(), await bench.pool(), await bench.pool()];
  const artifacts: Message[] = [];
  for (const id of pools)
    artifacts.push({ kind: "routing", id, version: await bench.proposal(id, ["one"], author) });
  const candidate_id = await bench.candidate(artifacts, {}, author);
  await approved(bench, candidate_id);
  await bench.rule(pools[1]!, "late", "late");
  t.is(await bench.outcome("Promote", { candidate_id }), "STATE_CONFLICT STALE_BASE");
  t.like(await bench.call("GetCandidate", { candidate_id }), { state: "failed", reason: "STALE_BASE" });
  for (const [index, pool_id] of pools.entries()) {
    t.is(((await bench.rules(pool_id)).rules as Message[]).length, index === 1 ? 1 : 0);
    const { governance } = await bench.call("PoolService.GetPool", { pool_id });
    t.is((governance as Message).canary, undefined);
    await bench.rule(pool_id, "free again", "x");
  }
});

test("given a canary, when keys are routed, then its share is decided by the candidate, is named in the record, and verifies", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const content = { strategy: { strategy: "round_robin" } };
  const made = await bench.call<{ version: number }>(
    "PoolService.CreatePoolVersion",
    { pool_id, kind: "strategy", content },
    author,
  );
  const rejecting = {
    rules: [{ name: "no", order: 1, condition: "item.key == 'k7'", action: { reject: { reason: "no" } } }],
  };
  const routing = await bench.call<{ version: number }>(
    "PoolService.CreatePoolVersion",
    { pool_id, kind: "routing", content: { routing: rejecting } },
    author,
  );
  const artifacts = [
    { kind: "strategy", id: pool_id, version: made.version },
    { kind: "routing", id: pool_id, version: routing.version },
  ];
  const candidate_id = await bench.candidate(artifacts, {}, author);
  await bench.call("Preflight", { candidate_id });
  await bench.call("EvaluateGuardrails", { candidate_id });
  await bench.call("StartCanary", { candidate_id, share_bps: 5_000 });
  let byCanary = 0;
  let rejected = 0;
  for (let i = 0; i < 400; i++) {
    let routed: Message;
    try {
      routed = await bench.call("RoutingService.Route", { pool_id, key: `k${i % 40}` });
    } catch {
      rejected++;
      continue;
    }
    if (i % 50 === 0) bench.driver.restart();
    if (routed.candidate_id !== undefined) byCanary++;
    t.is(routed.strategy, routed.candidate_id === undefined ? "weighted_random" : "round_robin");
    const found = await bench.call("RoutingService.GetRouting", {
      routing_id: routed.id,
      verify: true,
      pool_id,
    });
    t.like(found, { candidate_id: routed.candidate_id, verification: { matches: true } });
  }
  t.true(byCanary > 100 && byCanary < 300, `${byCanary}`);
  const { checks } = await bench.call<{ checks: Message[] }>("EvaluateGuardrails", { candidate_id });
  const results = checks.at(-1)!.results as Message[];
  const unroutable = results.find(({ metric }) => metric === "unroutable")!;
  const { samples: canary } = unroutable.canary as { samples: number };
  const { samples: stable } = unroutable.stable as { samples: number };
  t.is(canary + stable, 400, "every decision is counted once, refused ones too");
  t.true(rejected === 0 || rejected === 10);
  t.is(canary, byCanary + rejected);
  await bench.call("StopCanary", { candidate_id });
  const after = await bench.call("RoutingService.Route", { pool_id, key: "k1" });
  t.is(after.candidate_id, undefined);
});

test("given two targets, when one refuses a larger share, then both keep the old one, and the candidate shows it", async (t) => {
  const bench = new DrivenPromotions();
  const pools = [await bench.pool(), await bench.pool()];
  const artifacts: Message[] = [];
  for (const id of pools)
    artifacts.push({ kind: "routing", id, version: await bench.proposal(id, ["one"], author) });
  const candidate_id = await bench.candidate(artifacts, {}, author);
  for (const step of ["Preflight", "EvaluateGuardrails"]) await bench.call(step, { candidate_id });
  await bench.call("StartCanary", { candidate_id, share_bps: 500 });
  await bench.rule(pools[1]!, "late", "late");
  const raise = { candidate_id, share_bps: 1_000 };
  t.is(await bench.outcome("StartCanary", raise), "STATE_CONFLICT STALE_BASE");
  const { state, canary } = await bench.call("GetCandidate", { candidate_id });
  t.is(state, "canary");
  t.is((canary as Message).share_bps, 500);
  for (const pool_id of pools) {
    const { governance } = await bench.call<{ governance: Message }>("PoolService.GetPool", { pool_id });
    t.is((governance.canary as Message).share_bps, 500);
  }
  for (let n = 1; n < limits.promotionRaisesRefusedMax; n++)
    t.is(await bench.outcome("StartCanary", raise), "STATE_CONFLICT STALE_BASE");
  t.is(await bench.outcome("StartCanary", raise), "FAILED_PRECONDITION RAISES_REFUSED");
  t.is(await bench.outcome("StopCanary", { candidate_id }), "canary_stopped");
});

test("given a canary that is worse, when it is looked at by timer, then it stops by itself", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const closed = {
    rules: [
      { name: "none", order: 1, condition: "true", action: { restrict: { labels: { zone: "none" } } } },
    ],
  };
  const made = await bench.call<{ version: number }>(
    "PoolService.CreatePoolVersion",
    { pool_id, kind: "routing", content: { routing: closed } },
    author,
  );
  const candidate_id = await bench.candidate(
    [{ kind: "routing", id: pool_id, version: made.version }],
    {},
    author,
  );
  for (const step of ["Preflight", "EvaluateGuardrails"]) await bench.call(step, { candidate_id });
  await bench.call("StartCanary", { candidate_id, share_bps: 5_000, max_seconds: 600 });
  for (let i = 0; i < 400; i++) await bench.outcome("RoutingService.Route", { pool_id, key: `k${i}` });
  bench.driver.advance(31_000);
  const stopped = await bench.call("GetCandidate", { candidate_id });
  t.like(stopped, { state: "canary_stopped", reason: "guardrail unroutable has failed" });
  const approval = { candidate_id, decision: "approve", reason: "fine", accept_inconclusive: true };
  t.is(await bench.outcome("Approve", approval, approver), "FAILED_PRECONDITION GUARDRAIL_FAILED");
});

test("given a canary, when its time is over, then it stops", async (t) => {
  const bench = new DrivenPromotions();
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["one"], author);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }], {}, author);
  for (const step of ["Preflight", "EvaluateGuardrails"]) await bench.call(step, { candidate_id });
  await bench.call("StartCanary", { candidate_id, max_seconds: 90 });
  bench.driver.restart();
  bench.driver.advance(100_000);
  t.like(await bench.call("GetCandidate", { candidate_id }), { state: "canary_stopped" });
});

test("given an import with an id that is not mapped, then it is refused by the name of the rule", async (t) => {
  const bench = new DrivenPromotions();
  const from = await bench.pool();
  const to = await bench.pool();
  const { recipient_ids } = await bench.call<{ recipient_ids: string[] }>("PoolService.GetPool", {
    pool_id: from,
  });
  const rules = [
    {
      name: "vip",
      order: 1,
      condition: "true",
      action: { restrict: { recipient_ids: [recipient_ids[0]!] } },
    },
  ];
  await bench.call("PoolService.CreatePoolVersion", {
    pool_id: from,
    kind: "routing",
    content: { routing: { rules } },
  });
  const source = { pool_id: from, version: 1 };
  t.is(
    await bench.outcome("PoolService.CreatePoolVersion", { pool_id: to, kind: "routing", from: source }),
    "INVALID_ARGUMENT from.ids",
  );
  const own = (await bench.call<{ recipient_ids: string[] }>("PoolService.GetPool", { pool_id: to }))
    .recipient_ids;
  const ids = { [recipient_ids[0]!]: own[1]! };
  const imported = await bench.call("PoolService.CreatePoolVersion", {
    pool_id: to,
    kind: "routing",
    from: { ...source, ids },
  });
  t.like(imported, {
    source: "import",
    content: { routing: { rules: [{ action: { restrict: { recipient_ids: [own[1]] } } }] } },
  });
});
