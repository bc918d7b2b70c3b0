import { createHmac } from "node:crypto";
import { ask, contractMethod } from "../../../kit/ask.ts";
import { tenantSecretOf } from "../../../kit/tenants.ts";
import type { Orchestration } from "../../../module.ts";

const create = contractMethod<object, object>("directory", "PoolService.CreatePool");

/** A pool knows the key that redacts its admission keys: the same in all pools of the tenant. */
export const createPool: Orchestration = async (request, call) => {
  const hmac = createHmac("sha256", await tenantSecretOf(call)).update("admission keys");
  const tenantKey = hmac.digest("base64url");
  return ask(call, create, { key: "pool", request: { ...(request as object), tenantKey }, step: "" });
};
