import { type FieldError, handleOf, handleOfChild, isRefusal } from "#base";
import { problemsOf } from "../../cel/cel.ts";
import { ask, contractMethod, tryAsk } from "../../kit/ask.ts";
import { getPool } from "../../kit/pool.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { checkAction, noTarget, type RedirectTarget } from "./rule-check.ts";

interface RuleRequest {
  readonly pool_id?: string;
  readonly rule_id?: string;
  readonly action?: Message & { readonly redirect?: { readonly pool_id: string } };
}

/** A rule that redirects names another pool: what is known of that goes with the request to the pool of the rule. */
export const createRule: Orchestration = async (request, call) =>
  store(storedRule("RuleService.CreateRule"), request as RuleRequest, call);

export const updateRule: Orchestration = async (request, call) =>
  store(storedRule("RuleService.UpdateRule"), request as RuleRequest, call);

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
  const key = handleOf(pool_id);
  if (action !== undefined)
    return (await ask(call, checkAction, { key, request: { pool_id, action, ...target } })).problems;
  await ask(call, getPool, { key, request: { pool_id } });
  return [];
}

function storedRule(name: `RuleService.${string}`) {
  return contractMethod<RuleRequest & RedirectTarget, unknown>("pool", name);
}

async function store(
  method: ReturnType<typeof storedRule>,
  request: RuleRequest,
  call: CallContext,
): Promise<unknown> {
  const { pool_id, rule_id, action } = request;
  const key = rule_id === undefined ? handleOf(pool_id!) : handleOfChild(rule_id);
  const named = { ...request, ...(await targetOf(action, call)) };
  return ask(call, method, { key, request: named, step: "" });
}

/** Nothing where no pool is named, or where it cannot be asked now: a rule is not refused for that. */
async function targetOf(action: RuleRequest["action"], call: CallContext): Promise<RedirectTarget> {
  const poolId = action?.redirect?.pool_id;
  if (poolId === undefined) return {};
  // Whatever the caller may see of it: all it is told is whether a redirect can lead there.
  const { environment: _, ...anywhere } = call.caller;
  const asking = { ...call, caller: { ...anywhere, environmentMode: "any" as const } };
  const answer = await tryAsk(asking, getPool, { key: handleOf(poolId), request: { pool_id: poolId } });
  if (isRefusal(answer)) return answer.code === "NOT_FOUND" ? { target_environment: "" } : {};
  return { target_environment: answer.response.environment };
}
