import { isRefusal, limits, RefusalError } from "#base";
import type { Answer } from "#runtime";
import type { CallContext, Orchestration } from "../../module.ts";
import { batchError } from "../../shared/batch.ts";
import { keyAlong, onward, straight, tooManyHops, type Way } from "../../shared/redirect.ts";
import { queueAt } from "./ask.ts";
import type { Redirect } from "./request.ts";

interface Redirected {
  readonly redirect_pool_id?: string;
  /** Of the pool that redirects: the way never leads out of it. */
  readonly redirect_environment?: string;
}

/** Each hop is committed, so a retry with the same key goes the same way. */
export const enqueueOne: Orchestration = (request, call) =>
  followRedirects("QueueService.Enqueue", request, call);

/** The way an enqueue would go, with nothing committed. */
export const previewAdmission: Orchestration = (request, call) =>
  followRedirects("AdmissionService.PreviewAdmission", request, call);

/** Asks from pool to pool, until one does not redirect. */
async function followRedirects(method: string, request: unknown, call: CallContext): Promise<unknown> {
  let { pool_id: poolId } = request as { pool_id: string };
  let sent = request as object;
  let way = straight;
  while (way.length <= limits.redirectHopsMax) {
    const answer = await askAlong(call, poolId, method, sent, way);
    if (isRefusal(answer)) throw new RefusalError(way.length === 0 ? answer : onward(answer, poolId));
    const { redirect_pool_id, redirect_environment } = answer.response as Redirected;
    if (redirect_pool_id === undefined) return answer.response;
    way = [...way, poolId];
    poolId = redirect_pool_id;
    sent = onwardFrom(redirect_environment!, request as object);
  }
  throw new RefusalError(tooManyHops());
}

type Entry = Record<string, unknown> & Redirected;

/** As one, entry by entry: those redirected are enqueued together in the pool they were sent to. */
export const enqueueBatch: Orchestration = async (request, call) => {
  const { pool_id, items } = request as { pool_id: string; items: unknown[] };
  const answer = await askAlong(call, pool_id, "QueueService.EnqueueBatch", request as object, straight);
  if (isRefusal(answer)) throw new RefusalError(answer);
  const { results } = answer.response as { results: Entry[] };
  if (results.every(({ redirect_pool_id }) => redirect_pool_id === undefined)) return answer.response;
  const batch: Batch = { call, items, answers: new Array(items.length) };
  await goOn(batch, [...items.keys()], results, [pool_id]);
  return { results: batch.answers };
};

interface Batch {
  readonly call: CallContext;
  readonly items: readonly unknown[];
  /** By place of the item. */
  readonly answers: Entry[];
}

/** Those at `indexes` are sent to the pool they were redirected to. */
async function enqueueInto(
  batch: Batch,
  indexes: readonly number[],
  { poolId, environment }: { poolId: string; environment: string },
  way: Way,
): Promise<void> {
  const { call, items, answers } = batch;
  const request = onwardFrom(environment, { items: indexes.map((index) => items[index]) });
  const answer = await askAlong(call, poolId, "QueueService.EnqueueBatch", request, way);
  if (!isRefusal(answer)) {
    const { results } = answer.response as { results: Entry[] };
    return goOn(batch, indexes, results, [...way, poolId]);
  }
  const error = batchError(onward(answer, poolId));
  for (const index of indexes) answers[index] = { index, error };
}

/** Puts answers into their places; what was redirected goes on. `way`: up to the pool that has answered. */
async function goOn(
  batch: Batch,
  indexes: readonly number[],
  results: readonly Entry[],
  way: Way,
): Promise<void> {
  const { answers } = batch;
  const onwards = new Map<string, number[]>();
  let environment = "";
  for (const [i, entry] of results.entries()) {
    const index = indexes[i]!;
    const target = entry.redirect_pool_id;
    if (target === undefined) answers[index] = { ...entry, index };
    else if (way.length > limits.redirectHopsMax)
      answers[index] = { index, error: batchError(tooManyHops()) };
    else onwards.set(target, [...(onwards.get(target) ?? []), index]);
    environment = entry.redirect_environment ?? environment;
  }
  for (const [poolId, redirected] of onwards)
    await enqueueInto(batch, redirected, { poolId, environment }, way);
}

/** Straight to the queue: one ask, one commit. Whoever leaves meanwhile may find the item there, so nothing listens for it. */
function askAlong(
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
