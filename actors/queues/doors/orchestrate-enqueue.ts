import { isRefusal, limits, RefusalError } from "#base";
import type { Answer } from "#runtime";
import type { CallContext, Orchestration } from "../../module.ts";
import { batchError } from "../../shared/batch.ts";
import { keyAlong, onward, straight, tooManyHops, type Way } from "../../shared/redirect.ts";
import { askQueue, queueAt } from "./ask.ts";
import type { Redirect } from "./request.ts";

interface Redirected {
  readonly redirect_pool_id?: string;
  /** Of the pool that redirects: the way never leads out of it. */
  readonly redirect_environment?: string;
}

/** Follows redirects from pool to pool; each hop is committed, so a retry with the same key goes the same way. */
export const enqueueOne: Orchestration = async (request, call) => {
  let { pool_id: poolId } = request as { pool_id: string };
  let sent = request as object;
  let way = straight;
  while (way.length <= limits.redirectHopsMax) {
    const answer = await tryEnqueue(call, poolId, "QueueService.Enqueue", sent, way);
    if (isRefusal(answer)) throw new RefusalError(way.length === 0 ? answer : onward(answer, poolId));
    const { redirect_pool_id, redirect_environment } = answer.response as Redirected;
    if (redirect_pool_id === undefined) return answer.response;
    way = [...way, poolId];
    poolId = redirect_pool_id;
    sent = onwardFrom(redirect_environment!, request as object);
  }
  throw new RefusalError(tooManyHops());
};

type Entry = Record<string, unknown> & Redirected;

/** As one, entry by entry: those redirected are enqueued together in the pool they were sent to. */
export const enqueueBatch: Orchestration = async (request, call) => {
  const { pool_id, items } = request as { pool_id: string; items: unknown[] };
  const answer = await tryEnqueue(call, pool_id, "QueueService.EnqueueBatch", request as object, straight);
  if (isRefusal(answer)) throw new RefusalError(answer);
  const { results } = answer.response as { results: Entry[] };
  if (results.every(({ redirect_pool_id }) => redirect_pool_id === undefined)) return answer.response;
  const joined: Entry[] = new Array(items.length);
  await goOn(call, items, [...items.keys()], results, [pool_id], joined);
  return { results: joined };
};

async function enqueueInto(
  call: CallContext,
  { poolId, environment }: { poolId: string; environment: string },
  items: readonly unknown[],
  indexes: readonly number[],
  way: Way,
  joined: Entry[],
): Promise<void> {
  const batch = onwardFrom(environment, { items: indexes.map((index) => items[index]) });
  const answer = await tryEnqueue(call, poolId, "QueueService.EnqueueBatch", batch, way);
  if (!isRefusal(answer)) {
    const { results } = answer.response as { results: Entry[] };
    return goOn(call, items, indexes, results, [...way, poolId], joined);
  }
  const error = batchError(onward(answer, poolId));
  for (const index of indexes) joined[index] = { index, error };
}

/** Puts answers into their places; what was redirected goes on. `way`: up to the pool that has answered. */
async function goOn(
  call: CallContext,
  items: readonly unknown[],
  indexes: readonly number[],
  results: readonly Entry[],
  way: Way,
  joined: Entry[],
): Promise<void> {
  const onwards = new Map<string, number[]>();
  let environment = "";
  for (const [i, entry] of results.entries()) {
    const index = indexes[i]!;
    const target = entry.redirect_pool_id;
    if (target === undefined) joined[index] = { ...entry, index };
    else if (way.length > limits.redirectHopsMax) joined[index] = { index, error: batchError(tooManyHops()) };
    else onwards.set(target, [...(onwards.get(target) ?? []), index]);
    environment = entry.redirect_environment ?? environment;
  }
  for (const [poolId, redirected] of onwards)
    await enqueueInto(call, { poolId, environment }, items, redirected, way, joined);
}

/** Straight to the queue: one ask, one commit. Whoever leaves meanwhile may find the item there, so nothing listens for it. */
function tryEnqueue(
  { caller, asker, deadlineMs, idempotency }: CallContext,
  poolId: string,
  method: string,
  request: object,
  way: Way,
): Promise<Answer> {
  return asker.ask({
    to: queueAt(caller.tenant, poolId),
    method,
    request: way.length === 0 ? request : { ...request, pool_id: poolId },
    caller,
    deadlineMs,
    ...(idempotency && { idempotency: keyAlong(idempotency, way) }),
  });
}

function onwardFrom(environment: string, request: object): object & Redirect {
  return { ...request, redirected_in: environment };
}

/** Up to `max_items`, in steps that each are one commit. */
export const drainQueue: Orchestration = async (request, call) => {
  const { pool_id, max_items } = request as { pool_id: string; max_items: number };
  let drained = 0;
  for (let step = 0; ; step++) {
    const most = Math.min(max_items - drained, limits.queueStepMax);
    const answer: { drained: number; remaining_depth: number } = await askQueue(
      call,
      pool_id,
      "QueueControlService.DrainQueue",
      { max_items: most },
      `#${step}`,
    );
    drained += answer.drained;
    if (answer.drained < most || drained >= max_items) return { ...answer, drained };
  }
};
