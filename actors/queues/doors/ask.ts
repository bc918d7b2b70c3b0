import { handleOf, isRefusal, RefusalError } from "#base";
import type { Address, Answer } from "#runtime";
import type { CallContext } from "../../module.ts";

export function queueAt(tenant: string, poolId: string): Address {
  return { kind: "queue", tenant, key: handleOf(poolId) };
}

/** One question of an orchestration. `step` names it among the others of the same call, for its idempotency record. */
export async function askQueue<Response>(
  call: CallContext,
  poolId: string,
  method: string,
  request: object,
  step = "",
): Promise<Response> {
  const answer = await tryQueue(call, poolId, method, request, step);
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response as Response;
}

export function tryQueue(
  call: CallContext,
  poolId: string,
  method: string,
  request: object,
  step = "",
): Promise<Answer> {
  const { caller, asker, deadlineMs, signal, idempotency } = call;
  return asker.ask({
    to: queueAt(caller.tenant, poolId),
    method,
    request: { ...request, pool_id: poolId },
    caller,
    deadlineMs,
    signal,
    ...(idempotency && { idempotency: { ...idempotency, scope: `${idempotency.scope}${step}` } }),
  });
}
