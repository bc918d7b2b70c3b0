import { handleOf } from "#base";
import type { Address, Answer } from "#runtime";
import { type Asked, ask, tryAsk } from "../../../kit/ask.ts";
import type { CallContext } from "../../../module.ts";

export function queueAt(tenant: string, poolId: string): Address {
  return { kind: "queue", tenant, key: handleOf(poolId) };
}

/** One question of an orchestration. `step` names it among the others of the same call, for its idempotency record. */
export function askQueue<Response>(
  call: CallContext,
  poolId: string,
  method: string,
  request: object,
  step = "",
): Promise<Response> {
  return ask(call, inQueue(call, poolId, method, request, step));
}

export function tryQueue(
  call: CallContext,
  poolId: string,
  method: string,
  request: object,
  step = "",
): Promise<Answer> {
  return tryAsk(call, inQueue(call, poolId, method, request, step));
}

function inQueue(
  { caller }: CallContext,
  poolId: string,
  method: string,
  request: object,
  step: string,
): Asked {
  return { to: queueAt(caller.tenant, poolId), method, request: { ...request, pool_id: poolId }, step };
}
