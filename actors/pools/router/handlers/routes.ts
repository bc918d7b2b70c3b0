import { assert, handleOf, isRefusal, limits, orThrow, RefusalError } from "#base";
import type { Ask } from "#runtime";
import { isUnread } from "../../../cel/command-budget.ts";
import { tryAsk } from "../../../kit/ask.ts";
import { batchError, partMax } from "../../../kit/batch.ts";
import type { CallContext, Handler, Orchestration, Question } from "../../../module.ts";
import { keyAlong, onward, straight, tooManyHops, type Way } from "../../redirect.ts";
import { previewInPool } from "../preview.ts";
import {
  type Asked,
  type PackedAnswer,
  type PackedRequest,
  packRoute,
  type RouteMessage,
  type RouterAnswer,
  readAnswer,
  route,
} from "../wire.ts";

/** Follows redirects from pool to pool. Each hop is one question, and with an idempotency key each is committed. */
export const routeOne: Question = {
  ask: (request, call) => askOf([request as RouteMessage], call, firstHop(request)),
  read(answer, request, call) {
    const hop = firstHop(request);
    const message = request as RouteMessage;
    if (isUnread(answer))
      return askRouter([message], call, hop)
        .then((answers) => follow(answers, [message], call, hop))
        .then(([settled]) => routingOf(settled!));
    if (isRefusal(answer)) throw new RefusalError(answer);
    const [packed] = answer.response as readonly PackedAnswer[];
    const first = readAnswer(packed!, message, askedOf(call, hop));
    if ("redirect" in first)
      return follow([first], [message], call, hop).then(([settled]) => routingOf(settled!));
    return routingOf(first);
  },
};

function firstHop(request: unknown): Hop {
  const { pool_id } = request as { pool_id: string };
  return {
    poolId: pool_id,
    redirectedFrom: straight,
    environment: "",
    single: true,
    explained: limits.explainedMax,
  };
}

function routingOf(settled: Settled): Record<string, unknown> {
  if ("refusal" in settled) throw new RefusalError(settled.refusal);
  return settled.routing;
}

/** Asks again while conditions of the pool are being read. */
export const previewRoute: Handler<"RoutingService.PreviewRoute"> = async (request, call) => {
  for (;;) {
    const answer = await tryAsk(call, previewInPool, { key: handleOf(request.pool_id), request });
    if (!isUnread(answer)) return orThrow(answer).response;
  }
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

/** Where a question goes and the way it came. */
interface Hop {
  readonly poolId: string;
  readonly redirectedFrom: Way;
  readonly environment: string;
  /** A route by itself: of a batch, also of one, every entry is answered by itself. */
  readonly single: boolean;
  /** Recipients that each route may have explained. */
  readonly explained: number;
}

/** Answers in the order of the entries; those redirected are asked again, together, of the pool they were sent to. */
export async function routeAll(
  poolId: string,
  routes: readonly RouteMessage[],
  call: CallContext,
): Promise<readonly Settled[]> {
  const explained = shareOf(routes);
  const hop: Hop = { poolId, redirectedFrom: straight, environment: "", single: false, explained };
  return follow(await askRouter(routes, call, hop), routes, call, hop);
}

/** An answer stays bounded however many of a batch ask why, and wherever rules redirect them. */
function shareOf(routes: readonly RouteMessage[]): number {
  const asking = routes.reduce((count, { explain }) => (explain ? count + 1 : count), 0);
  return asking > 1 ? Math.floor(limits.explainedMax / asking) : limits.explainedMax;
}

async function follow(
  answers: readonly RouterAnswer[],
  routes: readonly RouteMessage[],
  call: CallContext,
  { poolId, redirectedFrom, single, explained }: Hop,
): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  const further = new Map<string, { indexes: number[]; environment: string }>();
  for (const [index, answer] of answers.entries()) {
    if (!("redirect" in answer)) settled[index] = answer;
    else if (redirectedFrom.length >= limits.redirectHopsMax) settled[index] = { refusal: tooManyHops() };
    else {
      const group = further.get(answer.redirect) ?? { indexes: [], environment: answer.environment };
      group.indexes.push(index);
      further.set(answer.redirect, group);
    }
  }
  for (const [target, { indexes, environment }] of further) {
    const sent = indexes.map((index) => routes[index]!);
    const way = [...redirectedFrom, poolId];
    const hop: Hop = { poolId: target, redirectedFrom: way, environment, single, explained };
    const found = await follow(await askRouter(sent, call, hop), sent, call, hop);
    for (const [position, index] of indexes.entries()) settled[index] = found[position]!;
  }
  return settled;
}

/** As many as one command decides, and in the next where it does not decide them all. */
async function askRouter(
  routes: readonly RouteMessage[],
  call: CallContext,
  hop: Hop,
): Promise<readonly RouterAnswer[]> {
  const asked = askedOf(call, hop);
  const answers: RouterAnswer[] = [];
  let most = routes.length;
  while (answers.length < routes.length) {
    const start = answers.length;
    const sent = routes.slice(start, start + most);
    const answer = await call.asker.ask(askOf(sent, call, hop, start));
    if (isUnread(answer)) continue;
    if (isRefusal(answer)) {
      const further = hop.redirectedFrom.length > 0;
      const refusal = further ? onward(answer, hop.poolId) : answer;
      // Of the pool that was asked first, the refusal is that of the whole request; later, of the entries that are left.
      if (!further && start === 0) throw new RefusalError(refusal);
      return [...answers, ...routes.slice(start).map(() => ({ refusal }))];
    }
    const packed = answer.response as readonly PackedAnswer[];
    assert(packed.length > 0, "a command decides one route or more");
    for (const [index, one] of packed.entries()) answers.push(readAnswer(one, sent[index]!, asked));
    most = partMax(packed.length);
  }
  return answers;
}

function askOf(routes: readonly RouteMessage[], call: CallContext, hop: Hop, start = 0): Ask {
  const { caller, deadlineMs, idempotency } = call;
  const { poolId, redirectedFrom, environment, single, explained } = hop;
  const keyed = idempotency !== undefined;
  const packed = routes.map((one) => packRoute(one, explained));
  const request: PackedRequest = [poolId, packed, keyed, redirectedFrom, environment, single];
  const to = { kind: route.kind, tenant: caller.tenant, key: handleOf(poolId) };
  const ask = { to, method: route.name, request, caller, deadlineMs };
  return keyed ? { ...ask, idempotency: keyAlong(idempotency, redirectedFrom, start) } : ask;
}

function askedOf({ caller }: CallContext, { poolId, redirectedFrom }: Hop): Asked {
  return { poolId, tenant: caller.tenant, redirectedFrom };
}
