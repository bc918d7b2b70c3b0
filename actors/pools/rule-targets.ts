import { type FieldError, handleOf, handleOfChild, isRefusal, RefusalError } from "#base";
import type { Answer } from "#runtime";
import type { CallContext, Orchestration } from "../module.ts";
import { problemsOf } from "../shared/cel.ts";
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
  const answer =
    action === undefined
      ? await askPool(handleOf(pool_id), "PoolService.GetPool", { pool_id }, call)
      : await askPool(handleOf(pool_id), "Pool.CheckAction", checkOf(pool_id, action, target), call);
  if (isRefusal(answer)) throw new RefusalError(answer);
  return (answer.response as { problems?: readonly FieldError[] }).problems ?? [];
}

function checkOf(pool_id: string, action: object, target: RedirectTarget): ActionCheck {
  return { pool_id, action, ...target };
}

async function store(method: string, request: RuleRequest, call: CallContext): Promise<unknown> {
  const { pool_id, rule_id, action } = request;
  const key = rule_id === undefined ? handleOf(pool_id!) : handleOfChild(rule_id);
  const answer = await askPool(key, method, { ...request, ...(await targetOf(action, call)) }, call);
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response;
}

/** Nothing where no pool is named, or where it cannot be asked now: a rule is not refused for that. */
async function targetOf(action: RuleRequest["action"], call: CallContext): Promise<RedirectTarget> {
  const poolId = action?.redirect?.pool_id;
  if (poolId === undefined) return {};
  // Whatever the caller may see of it: all it is told is whether a redirect can lead there.
  const { environment: _, ...anywhere } = call.caller;
  const { idempotency: __, ...question } = call;
  const answer = await askPool(
    handleOf(poolId),
    "PoolService.GetPool",
    { pool_id: poolId },
    {
      ...question,
      caller: { ...anywhere, environmentMode: "any" },
    },
  );
  if (isRefusal(answer)) return answer.code === "NOT_FOUND" ? { target_environment: "" } : {};
  return { target_environment: (answer.response as { environment: string }).environment };
}

function askPool(key: string, method: string, request: object, call: CallContext): Promise<Answer> {
  const { caller, asker, deadlineMs, signal, idempotency } = call;
  const to = { kind: "pool", tenant: caller.tenant, key };
  return asker.ask({
    to,
    method,
    request,
    caller,
    deadlineMs,
    signal,
    ...(idempotency && { idempotency }),
  });
}
