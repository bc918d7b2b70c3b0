import { handleOf, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { batchError } from "../shared/batch.ts";
import type { RouteMessage, RouterAnswer, RouterRequest } from "./service.ts";

/** Follows redirects from pool to pool. Each hop is one question, and with an idempotency key each is committed. */
export const routeOne: Orchestration = async (request, call) => {
  const { pool_id, ...route } = request as RouteMessage & { pool_id: string };
  const [answer] = await routeAll(pool_id, [route], call);
  if ("refusal" in answer!) throw new RefusalError(answer.refusal);
  return (answer as { routing: unknown }).routing;
};

export const routeBatch: Orchestration = async (request, call) => {
  const { pool_id, routes } = request as { pool_id: string; routes: readonly RouteMessage[] };
  const answers = await routeAll(pool_id, routes, call);
  return { results: answers.map((answer, index) => ({ index, ...resultOf(answer) })) };
};

export type Settled = Exclude<RouterAnswer, { redirect: string }>;

export function resultOf(answer: Settled): Record<string, unknown> {
  return "refusal" in answer ? { error: batchError(answer.refusal) } : { routing: answer.routing };
}

/** Answers in the order of the entries; those redirected are asked again, together, of the pool they were sent to. */
export async function routeAll(
  poolId: string,
  routes: readonly RouteMessage[],
  call: CallContext,
  from: readonly string[] = [],
  environment?: string,
): Promise<readonly Settled[]> {
  const answers = await askRouter(poolId, routes, call, from, environment);
  const settled: Settled[] = [];
  const onward = new Map<string, { indexes: number[]; environment: string }>();
  for (const [index, answer] of answers.entries()) {
    if (!("redirect" in answer)) settled[index] = answer;
    else if (from.length >= limits.redirectHopsMax) settled[index] = { refusal: tooManyHops() };
    else {
      const group = onward.get(answer.redirect) ?? { indexes: [], environment: answer.environment };
      group.indexes.push(index);
      onward.set(answer.redirect, group);
    }
  }
  for (const [target, group] of onward) {
    const sent = group.indexes.map((index) => routes[index]!);
    const found = await routeAll(target, sent, call, [...from, poolId], group.environment);
    for (const [position, index] of group.indexes.entries()) settled[index] = found[position]!;
  }
  return settled;
}

async function askRouter(
  poolId: string,
  routes: readonly RouteMessage[],
  call: CallContext,
  from: readonly string[],
  environment: string | undefined,
): Promise<readonly RouterAnswer[]> {
  const { caller, asker, deadlineMs, idempotency } = call;
  const request: RouterRequest = {
    pool_id: poolId,
    routes,
    keyed: idempotency !== undefined,
    redirected_from: from,
    ...(environment !== undefined && { environment }),
  };
  const answer = await asker.ask({
    to: { kind: "router", tenant: caller.tenant, key: handleOf(poolId) },
    method: "Router.Route",
    request,
    caller,
    deadlineMs,
    ...(idempotency && { idempotency }),
  });
  if (!isRefusal(answer)) return answer.response as readonly RouterAnswer[];
  const refusal = from.length > 0 && answer.code === "NOT_FOUND" ? missingTarget(poolId) : answer;
  // Of the pool that was asked first, the refusal is that of the whole request; of one further on, of these entries.
  if (from.length === 0) throw new RefusalError(refusal);
  return routes.map(() => ({ refusal }));
}

function tooManyHops(): Refusal {
  return refuse("FAILED_PRECONDITION", `rules redirect more than ${limits.redirectHopsMax} times`, {
    reason: "REDIRECT_LOOP",
  });
}

function missingTarget(poolId: string): Refusal {
  return refuse("FAILED_PRECONDITION", `a rule redirects to pool ${poolId}, which does not exist`, {
    reason: "REDIRECT_TARGET_MISSING",
  });
}
