import test from "ava";
import { limits } from "#base";
import { PoolBench } from "../../../test/support/pool.ts";

type Message = Record<string, unknown>;

test("invariant 3: a bad condition is refused with its place", (t) => {
  const bench = new PoolBench();
  const bad = bench.rule({
    condition: "item.key == 'a' &&\n  unknown(item)",
    action: { reject: { reason: "r" } },
  });
  t.like(bad, { code: "INVALID_ARGUMENT" });
  t.like((bad.fields as Message[])[0], {
    field: "condition",
    reason: "line 2, column 3: unknown function unknown",
  });
  const good = bench.rule({ condition: "item.key == 'a'", action: { reject: { reason: "r" } } });
  t.like(bench.pool("RuleService.UpdateRule", { rule_id: good.id, condition: "1 +" }), {
    code: "INVALID_ARGUMENT",
  });
  t.is(bench.pool("RuleService.GetRule", { rule_id: good.id }).condition, "item.key == 'a'");
});

test("a rule selects by two labels; a patch of one label keeps the other and the skills", (t) => {
  const bench = new PoolBench();
  const rule = bench.rule({ action: { restrict: { labels: { a: "1", b: "2" }, skills: { german: 3 } } } });
  const updated = bench.pool("RuleService.UpdateRule", {
    rule_id: rule.id,
    action: { restrict: { labels: { a: "9" } } },
    update_mask: ["action.restrict.labels.a", "action.restrict.labels.b"],
  });
  t.deepEqual(updated.action, { restrict: { recipient_ids: [], labels: { a: "9" }, skills: { german: 3 } } });
});

test("a patch that sets another kind of action replaces the stored kind", (t) => {
  const bench = new PoolBench();
  const rule = bench.rule({ action: { restrict: { labels: { a: "1" } } } });
  const updated = bench.pool("RuleService.UpdateRule", {
    rule_id: rule.id,
    action: { reject: { reason: "no" } },
    update_mask: ["action.reject.reason"],
  });
  t.deepEqual(updated.action, { reject: { reason: "no" } });
});

test("patches of an action are bounded in sum, and may leave a deleted recipient in it", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  const rule = bench.rule({ action: { restrict: { recipient_ids: [id] } } });
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: id });
  const label = (names: string[]) =>
    bench.pool("RuleService.UpdateRule", {
      rule_id: rule.id,
      action: { restrict: { labels: Object.fromEntries(names.map((name) => [name, "1"])) } },
      update_mask: names.map((name) => `action.restrict.labels.${name}`),
    });
  const names = Array.from({ length: limits.recipientTraitsMax }, (_, index) => `l${index}`);
  t.like(label(names).action, { restrict: { recipient_ids: [id] } });
  t.like(label(["further"]), {
    code: "INVALID_ARGUMENT",
    fields: [{ field: "action.restrict.labels" }],
  });
});

test("a rule keeps its action where the mask does not name it, whatever the request carries", (t) => {
  const bench = new PoolBench();
  const action = { restrict: { recipient_ids: [], labels: { a: "1" }, skills: {} } };
  const rule = bench.rule({ action });
  const updated = bench.pool("RuleService.UpdateRule", {
    rule_id: rule.id,
    name: "renamed",
    action: { redirect: { pool_id: bench.poolId } },
    update_mask: ["name"],
  });
  t.like(updated, { name: "renamed", action });
  t.deepEqual(bench.pool("RuleService.GetRule", { rule_id: rule.id }).action, action);
});

test("an empty mask is none: the fields that are set change", (t) => {
  const bench = new PoolBench();
  const rule = bench.rule({ action: { reject: { reason: "a" } } });
  const updated = bench.pool("RuleService.UpdateRule", {
    rule_id: rule.id,
    action: { reject: { reason: "b" } },
    update_mask: [],
  });
  t.like(updated, { name: rule.name, action: { reject: { reason: "b" } } });
});

test("a mask that names the action needs one that is sound; one that does not leaves a stored one be", (t) => {
  const bench = new PoolBench();
  const [id] = bench.recipients([{}]) as [string];
  const rule = bench.rule({ action: { restrict: { recipient_ids: [id] } } });
  const update = (request: Message) => bench.pool("RuleService.UpdateRule", { rule_id: rule.id, ...request });
  for (const path of ["action", "action.restrict"])
    t.like(
      update({ update_mask: [path] }),
      { code: "INVALID_ARGUMENT", fields: [{ field: "action" }] },
      path,
    );
  for (const path of ["action.reject", "action.reject.reason"])
    t.is(update({ update_mask: [path] }).record_version, rule.record_version, path);
  t.like(update({ action: { redirect: { pool_id: bench.poolId } }, update_mask: ["action"] }), {
    code: "INVALID_ARGUMENT",
  });
  // A recipient that is gone does not keep the rest of the rule from being changed.
  bench.pool("RecipientService.DeleteRecipient", { recipient_id: id });
  t.like(update({ name: "renamed", update_mask: ["name"] }), { name: "renamed" });
  t.like(update({ order: 7 }), { order: 7, action: { restrict: { recipient_ids: [id] } } });
});

test("a rule that redirects to its own pool or selects nothing is refused", (t) => {
  const bench = new PoolBench();
  t.like(bench.rule({ action: { redirect: { pool_id: bench.poolId } } }), { code: "INVALID_ARGUMENT" });
  t.like(bench.rule({ action: { restrict: {} } }), { code: "INVALID_ARGUMENT" });
});

test("rules without an order go after all others", (t) => {
  const bench = new PoolBench();
  bench.rule({ order: 10, action: { reject: { reason: "a" } } });
  t.is(bench.rule({ action: { reject: { reason: "b" } } }).order, 11);
  // The last order there is: those after it go by id, and can be sent back as they were read.
  bench.rule({ order: limits.ruleOrderMax, action: { reject: { reason: "c" } } });
  t.is(bench.rule({ action: { reject: { reason: "d" } } }).order, limits.ruleOrderMax);
});

test("invariant 4: the rule after the last is refused", (t) => {
  const bench = new PoolBench();
  for (let i = 0; i < limits.rulesMax; i++) t.truthy(bench.rule({ action: { reject: { reason: "r" } } }).id);
  t.like(bench.rule({ action: { reject: { reason: "r" } } }), {
    code: "FAILED_PRECONDITION",
    reason: "LIMIT_REACHED",
  });
});
