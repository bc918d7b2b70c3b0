import { handleOf, isRefusal, limits, RefusalError, toRfc3339 } from "#base";
import type { WatchPoolsRequest } from "#protos";
import { tryAsk } from "../../../kit/ask.ts";
import { type CallContext, opened, RefusedMessage, type StreamHandler } from "../../../module.ts";
import { getStatus } from "../../queue/handlers/questions.ts";
import { type LivePool, type LivePools, type Told, toldOf } from "./sampler.ts";

/** All pools at first, then those that have changed, once in an interval. */
export function watchPools(live: LivePools): StreamHandler<WatchPoolsRequest> {
  return async function* (requests, call) {
    const request = await firstOf(requests);
    const { include_recipients: withRecipients, interval_ms = limits.liveSampleMs } = request;
    const asked = await Promise.all(request.pool_ids.map((id) => mayWatch(id, call)));
    const refused = asked.filter((one) => typeof one === "object");
    const watched = live.join(
      asked.filter((one) => typeof one === "string"),
      withRecipients,
      call,
    );
    const versions = new Map<LivePool, number>();
    try {
      yield opened;
      await Promise.all(watched.map(({ ready }) => ready));
      yield update([...refused, ...changed(watched, versions, withRecipients)], call);
      while (await passed(interval_ms, call.signal)) {
        const pools = changed(watched, versions, withRecipients);
        if (pools.length > 0) yield update(pools, call);
      }
    } finally {
      for (const pool of watched) pool.leave(withRecipients);
    }
  };
}

/** As the watcher itself: the id of a pool that it may see, or why it is told nothing. */
async function mayWatch(pool_id: string, call: CallContext): Promise<string | Told> {
  const answer = await tryAsk(call, getStatus, { key: handleOf(pool_id), request: { pool_id } });
  return isRefusal(answer) ? toldOf(pool_id, answer) : pool_id;
}

function changed(
  watched: readonly LivePool[],
  versions: Map<LivePool, number>,
  withRecipients: boolean,
): readonly Told[] {
  const pools = watched.filter((pool) => versions.get(pool) !== pool.version);
  for (const pool of pools) versions.set(pool, pool.version);
  if (withRecipients) return pools.map(({ told }) => told);
  return pools.map(({ told: { recipients: _, ...told } }) => told);
}

function update(pools: readonly Told[], { clock }: CallContext): object {
  return { pools: { at: toRfc3339(clock.now()), pools } };
}

/** False: the call is over. */
function passed(ms: number, signal: CallContext["signal"]): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      resolve(!isOver);
    };
    const aborted = () => end(true);
    const timer = setTimeout(() => end(false), ms);
    if (signal.aborted) end(true);
    else signal.addEventListener("abort", aborted);
  });
}

async function firstOf(
  requests: AsyncIterable<WatchPoolsRequest | RefusedMessage>,
): Promise<WatchPoolsRequest> {
  for await (const request of requests) {
    if (request instanceof RefusedMessage) throw new RefusalError(request.refusal);
    return request;
  }
  throw new Error("a server stream has a request");
}
