import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { batchError } from "../shared/batch.ts";
import { askQueue, tryQueue } from "./ask.ts";

interface Redirected {
  readonly redirect_pool_id?: string;
  /** Of the pool that redirects: the way never leads out of it. */
  readonly redirect_environment?: string;
}

/** Follows redirects from pool to pool; each hop is committed, so a retry with the same key goes the same way. */
export const enqueueOne: Orchestration = async (request, given) => {
  let { pool_id: poolId } = request as { pool_id: string };
  let call = given;
  for (let hop = 0; hop <= limits.redirectHopsMax; hop++) {
    const answer = await tryQueue(call, poolId, "QueueService.Enqueue", request as object, stepOf(hop));
    if (isRefusal(answer)) throw new RefusalError(hop === 0 ? answer : onward(answer, poolId));
    const { redirect_pool_id, redirect_environment } = answer.response as Redirected;
    if (redirect_pool_id === undefined) return answer.response;
    poolId = redirect_pool_id;
    call = within(call, redirect_environment!);
  }
  throw new RefusalError(tooManyHops());
};

type Entry = Record<string, unknown> & Redirected;

/** As one, entry by entry: those redirected are enqueued together in the pool they were sent to. */
export const enqueueBatch: Orchestration = async (request, call) => {
  const { pool_id, items } = request as { pool_id: string; items: unknown[] };
  const results: Entry[] = new Array(items.length);
  await enqueueInto(call, pool_id, items, [...items.keys()], 0, results);
  return { results };
};

async function enqueueInto(
  call: CallContext,
  poolId: string,
  items: readonly unknown[],
  indexes: readonly number[],
  hop: number,
  results: Entry[],
): Promise<void> {
  const batch = { items: indexes.map((index) => items[index]) };
  const answer = await tryQueue(call, poolId, "QueueService.EnqueueBatch", batch, stepOf(hop));
  if (isRefusal(answer)) {
    if (hop === 0) throw new RefusalError(answer);
    const error = batchError(onward(answer, poolId));
    for (const index of indexes) results[index] = { index, error };
    return;
  }
  const onwards = new Map<string, number[]>();
  let environment = "";
  for (const [i, entry] of (answer.response as { results: Entry[] }).results.entries()) {
    const index = indexes[i]!;
    const target = entry.redirect_pool_id;
    if (target === undefined) results[index] = { ...entry, index };
    else if (hop >= limits.redirectHopsMax) results[index] = { index, error: batchError(tooManyHops()) };
    else onwards.set(target, [...(onwards.get(target) ?? []), index]);
    environment = entry.redirect_environment ?? environment;
  }
  for (const [target, redirected] of onwards)
    await enqueueInto(within(call, environment), target, items, redirected, hop + 1, results);
}

function within(call: CallContext, environment: string): CallContext {
  return { ...call, caller: { ...call.caller, environment } };
}

function stepOf(hop: number): string {
  return hop === 0 ? "" : `#hop${hop}`;
}

/** A rule that sends items nowhere is the pool's fault, not the caller's. */
function onward(refusal: Refusal, poolId: string): Refusal {
  if (refusal.code !== "NOT_FOUND") return refusal;
  return refuse("FAILED_PRECONDITION", `a rule redirects to pool ${poolId}, which does not exist`, {
    reason: "REDIRECT_TARGET",
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
