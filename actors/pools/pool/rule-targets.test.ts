import test from "ava";
import { startModules } from "../../../test/support/modules.ts";

const nobody = "01JVVVVVVVVVVVVVVVVVVVVVVV";

test("validate tells of a redirect to a pool that is not there, with the rule's pool and without", async (t) => {
  const { createPool, call } = await startModules(t);
  const pool_id = await createPool();
  const action = { redirect: { pool_id: nobody } };
  const finding = { line: 0, column: 0, field: "action.redirect.pool_id", reason: "is no pool" };
  for (const request of [{ action }, { action, pool_id }])
    t.deepEqual(await call("RuleService.ValidateRule", request), { valid: false, errors: [finding] });
  const there = { redirect: { pool_id } };
  t.deepEqual(await call("RuleService.ValidateRule", { action: there }), { valid: true, errors: [] });
});

test("validate for a pool that is not there is NOT_FOUND, as it is to create the rule, with an action and without", async (t) => {
  const { createPool, call } = await startModules(t);
  for (const more of [{}, { action: { reject: { reason: "no" } } }])
    t.like(await call("RuleService.ValidateRule", { condition: "true", pool_id: nobody, ...more }), {
      code: "NOT_FOUND",
    });
  const pool_id = await createPool();
  t.deepEqual(await call("RuleService.ValidateRule", { condition: "true", pool_id }), {
    valid: true,
    errors: [],
  });
});
