import { assert, isRefusal, limits, type Refusal, RefusalError } from "#base";
import { isUnread } from "../../../cel/command-budget.ts";
import type { AnswerOf, Method } from "../../../kit/ask.ts";
import { batchError, partMax } from "../../../kit/batch.ts";
import type { CallContext, Orchestration } from "../../../module.ts";
import { keyAlong, onward, straight, tooManyHops, type Way } from "../../redirect.ts";
import { type Entry, enqueue, enqueueAll, preview, queueAt, type Sent } from "./questions.ts";
import type { TenantRoom } from "./request.ts";

/** Each hop is committed, so a retry with the same key goes the same way. */
export const enqueueOne: Orchestration = (request, call) => followRedirects(enqueue, request, call);

/** The way an enqueue would go, with nothing committed. */
export const previewAdmission: Orchestration = (request, call) => followRedirects(preview, request, call);

/** Asks from pool to pool, until one does not redirect. */
async function followRedirects(
  method: typeof enqueue,
  request: unknown,
  call: CallContext,
): Promise<unknown> {
  let { pool_id: poolId } = request as { pool_id: string };
  let sent = request as object;
  let way = straight;
  while (way.length <= limits.redirectHopsMax) {
    const answer = await askAlong(call, poolId, method, sent, way);
    if (isUnread(answer)) continue;
    if (isRefusal(answer)) throw new RefusalError(way.length === 0 ? answer : onward(answer, poolId));
    const { redirect_pool_id, redirect_environment, refused } = answer.response;
    if (refused) throw new RefusalError(way.length === 0 ? refused : onward(refused, poolId));
    if (redirect_pool_id === undefined) return answer.response;
    way = [...way, poolId];
    poolId = redirect_pool_id;
    sent = onwardFrom(redirect_environment!, request as object);
  }
  throw new RefusalError(tooManyHops());
}

/** As one, entry by entry: those redirected are enqueued together in the pool they were sent to. */
export const enqueueBatch: Orchestration = async (request, call) => {
  const { pool_id, items } = request as { pool_id: string; items: unknown[] };
  const { results, refusal } = await askInParts(call, pool_id, request as Items, straight);
  if (refusal && results.length === 0) throw new RefusalError(refusal);
  if (refusal) results.push(...refusedEntries(items.length - results.length, refusal));
  // Of one command they are numbered already.
  if (
    results.every(
      ({ redirect_pool_id }, index) => redirect_pool_id === undefined && results[index]!.index === index,
    )
  )
    return { results };
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
  const { call, items } = batch;
  const request = onwardFrom(environment, { items: indexes.map((index) => items[index]) });
  const { results, refusal } = await askInParts(call, poolId, request as Items, way);
  if (refusal) results.push(...refusedEntries(indexes.length - results.length, onward(refusal, poolId)));
  return goOn(batch, indexes, results, [...way, poolId]);
}

type Items = Sent & { readonly items: readonly unknown[] };

/** As many as one command takes, and in the next where it does not take them all; `refusal`: of those that have no result. */
async function askInParts(
  call: CallContext,
  poolId: string,
  request: Items,
  way: Way,
): Promise<{ results: Entry[]; refusal: Refusal | undefined }> {
  const { items } = request;
  const results: Entry[] = [];
  let most = items.length;
  while (results.length < items.length) {
    const start = results.length;
    const part = start === 0 ? request : { ...request, items: items.slice(start, start + most) };
    const answer = await askAlong(call, poolId, enqueueAll, part, way, start);
    if (isUnread(answer)) continue;
    if (isRefusal(answer)) return { results, refusal: answer };
    const taken = answer.response.results;
    assert(taken.length > 0, "a command takes one entry or more");
    results.push(...taken);
    most = partMax(taken.length);
  }
  return { results, refusal: undefined };
}

function refusedEntries(count: number, refusal: Refusal): Entry[] {
  return Array.from({ length: count }, () => ({ error: batchError(refusal) }));
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

/** Straight to the queue: one ask, one commit. A caller that leaves meanwhile may find the item there, so nothing listens for it. */
function askAlong<Response>(
  { caller, asker, deadlineMs, idempotency, tenantLimits }: CallContext,
  poolId: string,
  method: Method<Sent, Response>,
  asked: Sent,
  way: Way,
  start = 0,
): Promise<AnswerOf<Response>> {
  const room: TenantRoom | undefined =
    tenantLimits?.queue_depth === undefined ? undefined : { tenant_depth_max: tenantLimits.queue_depth };
  const request = room === undefined ? asked : { ...asked, ...room };
  return asker.ask({
    to: queueAt(caller.tenant, poolId),
    method: method.name,
    request: way.length === 0 ? request : { ...request, pool_id: poolId },
    caller,
    deadlineMs,
    ...(idempotency && { idempotency: keyAlong(idempotency, way, start) }),
  }) as Promise<AnswerOf<Response>>;
}

function onwardFrom(environment: string, request: object): Sent {
  return { ...request, redirected_in: environment };
}
