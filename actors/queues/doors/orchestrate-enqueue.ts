import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { Answer } from "#runtime";
import type { CallContext, Orchestration } from "../../module.ts";
import { batchError } from "../../shared/batch.ts";
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
  for (let hop = 0; hop <= limits.redirectHopsMax; hop++) {
    const answer = await tryEnqueue(call, poolId, "QueueService.Enqueue", sent, hop);
    if (isRefusal(answer)) throw new RefusalError(hop === 0 ? answer : onward(answer, poolId));
    const { redirect_pool_id, redirect_environment } = answer.response as Redirected;
    if (redirect_pool_id === undefined) return answer.response;
    poolId = redirect_pool_id;
    sent = onwardFrom(redirect_environment!, request as object);
  }
  throw new RefusalError(tooManyHops());
};

type Entry = Record<string, unknown> & Redirected;

/** As one, entry by entry: those redirected are enqueued together in the pool they were sent to. */
export const enqueueBatch: Orchestration = async (request, call) => {
  const { pool_id, items } = request as { pool_id: string; items: unknown[] };
  const answer = await tryEnqueue(call, pool_id, "QueueService.EnqueueBatch", request as object, 0);
  if (isRefusal(answer)) throw new RefusalError(answer);
  const { results } = answer.response as { results: Entry[] };
  if (results.every(({ redirect_pool_id }) => redirect_pool_id === undefined)) return answer.response;
  const joined: Entry[] = new Array(items.length);
  await goOn(call, items, [...items.keys()], results, 0, joined);
  return { results: joined };
};

async function enqueueInto(
  call: CallContext,
  { poolId, environment }: { poolId: string; environment: string },
  items: readonly unknown[],
  indexes: readonly number[],
  hop: number,
  joined: Entry[],
): Promise<void> {
  const batch = onwardFrom(environment, { items: indexes.map((index) => items[index]) });
  const answer = await tryEnqueue(call, poolId, "QueueService.EnqueueBatch", batch, hop);
  if (!isRefusal(answer))
    return goOn(call, items, indexes, (answer.response as { results: Entry[] }).results, hop, joined);
  const error = batchError(onward(answer, poolId));
  for (const index of indexes) joined[index] = { index, error };
}

/** Puts answers into their places; what was redirected goes on. */
async function goOn(
  call: CallContext,
  items: readonly unknown[],
  indexes: readonly number[],
  results: readonly Entry[],
  hop: number,
  joined: Entry[],
): Promise<void> {
  const onwards = new Map<string, number[]>();
  let environment = "";
  for (const [i, entry] of results.entries()) {
    const index = indexes[i]!;
    const target = entry.redirect_pool_id;
    if (target === undefined) joined[index] = { ...entry, index };
    else if (hop >= limits.redirectHopsMax) joined[index] = { index, error: batchError(tooManyHops()) };
    else onwards.set(target, [...(onwards.get(target) ?? []), index]);
    environment = entry.redirect_environment ?? environment;
  }
  for (const [poolId, redirected] of onwards)
    await enqueueInto(call, { poolId, environment }, items, redirected, hop + 1, joined);
}

/** Straight to the queue: one ask, one commit. Whoever leaves meanwhile may find the item there, so nothing listens for it. */
function tryEnqueue(
  { caller, asker, deadlineMs, idempotency }: CallContext,
  poolId: string,
  method: string,
  request: object,
  hop: number,
): Promise<Answer> {
  return asker.ask({
    to: queueAt(caller.tenant, poolId),
    method,
    request: hop === 0 ? request : { ...request, pool_id: poolId },
    caller,
    deadlineMs,
    ...(idempotency && { idempotency: { ...idempotency, scope: `${idempotency.scope}${stepOf(hop)}` } }),
  });
}

function onwardFrom(environment: string, request: object): object & Redirect {
  return { ...request, redirected_in: environment };
}

function stepOf(hop: number): string {
  return hop === 0 ? "" : `#hop${hop}`;
}

/** A rule that sends items nowhere is the pool's fault, not the caller's. */
function onward(refusal: Refusal, poolId: string): Refusal {
  if (refusal.code !== "NOT_FOUND") return refusal;
  return refuse("FAILED_PRECONDITION", `a rule redirects to pool ${poolId}, which does not exist`, {
    reason: "REDIRECT_TARGET_MISSING",
  });
}

function tooManyHops(): Refusal {
  return refuse("FAILED_PRECONDITION", `rules redirect more than ${limits.redirectHopsMax} times`, {
    reason: "REDIRECT_LOOP",
  });
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
