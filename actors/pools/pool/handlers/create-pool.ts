import { createHmac } from "node:crypto";
import { handleOf, isRefusal, limits, RefusalError, refuse } from "#base";
import { ask, contractMethod, tryAsk } from "../../../kit/ask.ts";
import { getPool } from "../../../kit/pool.ts";
import { tenantSecretOf } from "../../../kit/tenants.ts";
import type { CallContext, Handler } from "../../../module.ts";

const create = contractMethod<object, { readonly existing?: string }>("directory", "PoolService.CreatePool");

/** A pool knows the key that redacts its admission keys: the same in all pools of the tenant. */
export const createPool: Handler<"PoolService.CreatePool"> = async (request, call) => {
  const hmac = createHmac("sha256", await tenantSecretOf(call)).update("admission keys");
  const tenantKey = hmac.digest("base64url");
  const answer = await ask(call, create, { key: "pool", request: { ...request, tenantKey }, step: "" });
  if (answer.existing !== undefined)
    return { ...(await existingPool(answer.existing, call)), created: false };
  return request.if_absent ? { ...answer, created: true } : answer;
};

async function existingPool(id: string, call: CallContext): Promise<object> {
  const answer = await tryAsk(call, getPool, { key: handleOf(id), request: { pool_id: id } });
  if (!isRefusal(answer)) return { ...answer.response, created: false };
  if (answer.code !== "NOT_FOUND") throw new RefusalError(answer);
  // The directory lags behind a delete by a moment.
  const gone = refuse("UNAVAILABLE", `the pool ${id}, which has this name, is just being deleted`, {
    retryAfterMs: limits.retryAfterMs,
  });
  throw new RefusalError(gone);
}
