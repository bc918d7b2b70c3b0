import { type FieldError, handleOf, handleOfChild, isRefusal } from "#base";
import type { Address } from "#runtime";
import { problemsOf } from "../../cel/cel.ts";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { type ActionCheck, noTarget, type RedirectTarget } from "./rule-check.ts";

interface RuleRequest {
  readonly pool_id?: string;
  readonly rule_id?: string;
  readonly action?: { readonly redirect?: { readonly pool_id: string } };
}

/** A rule that redirects names another pool: what is known of that goes with the request to the pool of the rule. */
export const createRule: Orchestration = async (request, call) =>
  store("RuleService.CreateRule", request as RuleRequest, call);

export const updateRule: Orchestration = async (request, call) =>
  store("RuleService.UpdateRule", request as RuleRequest, call);

/** An expression is valid or not whatever the pool; a pool that is named is there, and has what an action names. */
export const validateRule: Orchestration = async (request, call) => {
  const { condition = "", pool_id, action } = request as RuleRequest & { condition?: string };
  const expression = condition.trim() === "" ? [] : problemsOf(condition, "condition");
  const errors: object[] = expression.map((problem) => ({ ...problem, field: "condition" }));
  for (const problem of await namedProblems(pool_id, action, call))
    errors.push({ line: 0, column: 0, ...problem });
  return { valid: errors.length === 0, errors };
};

async function namedProblems(
  pool_id: string | undefined,
  action: RuleRequest["action"],
  call: CallContext,
): Promise<readonly FieldError[]> {
  const target = await targetOf(action, call);
  if (pool_id === undefined) return target.target_environment === "" ? [noTarget] : [];
  const to = poolAt(call, handleOf(pool_id));
  const question =
    action === undefined
      ? { to, method: "PoolService.GetPool", request: { pool_id } }
      : { to, method: "Pool.CheckAction", request: checkOf(pool_id, action, target) };
  const { problems } = await ask<{ problems?: readonly FieldError[] }>(call, { ...question, step: "" });
  return problems ?? [];
}

function checkOf(pool_id: string, action: object, target: RedirectTarget): ActionCheck {
  return { pool_id, action, ...target };
}

async function store(method: string, request: RuleRequest, call: CallContext): Promise<unknown> {
  const { pool_id, rule_id, action } = request;
  const key = rule_id === undefined ? handleOf(pool_id!) : handleOfChild(rule_id);
  const named = { ...request, ...(await targetOf(action, call)) };
  return ask(call, { to: poolAt(call, key), method, request: named, step: "" });
}

/** Nothing where no pool is named, or where it cannot be asked now: a rule is not refused for that. */
async function targetOf(action: RuleRequest["action"], call: CallContext): Promise<RedirectTarget> {
  const poolId = action?.redirect?.pool_id;
  if (poolId === undefined) return {};
  // Whatever the caller may see of it: all it is told is whether a redirect can lead there.
  const { environment: _, ...anywhere } = call.caller;
  const answer = await tryAsk(
    { ...call, caller: { ...anywhere, environmentMode: "any" } },
    {
      to: poolAt(call, handleOf(poolId)),
      method: "PoolService.GetPool",
      request: { pool_id: poolId },
    },
  );
  if (isRefusal(answer)) return answer.code === "NOT_FOUND" ? { target_environment: "" } : {};
  return { target_environment: (answer.response as { environment: string }).environment };
}

function poolAt({ caller }: CallContext, key: string): Address {
  return { kind: "pool", tenant: caller.tenant, key };
}
