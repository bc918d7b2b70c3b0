import { limits } from "#base";
import type { ActorFilter, Insight, ListedActor, Runtime, ShardInsight } from "#runtime";
import type { Handler } from "../calls/targets.ts";

/** RuntimeService: what all threads of this process say of themselves. */
export function runtimeHandlers(runtime: Pick<Runtime, "insight" | "actors">): Record<string, Handler> {
  return {
    "RuntimeService.ListShards": async () => ({ shards: shardReports(await runtime.insight()) }),

    "RuntimeService.ListActors": async (request) => {
      const { failing, kind, tenant_id: tenant, limit } = request as ListRequest;
      const max = limit === 0 ? limits.pageSizeDefault : limit;
      const filter: ActorFilter = {
        failing,
        ...(kind === undefined ? undefined : { kind }),
        ...(tenant === undefined ? undefined : { tenant }),
        // One more than is shown tells whether there are more.
        max: max + 1,
      };
      const found = [...(await runtime.actors(filter))].sort(byPlace);
      return { actors: found.slice(0, max).map(actorReport), truncated: found.length > max };
    },
  };
}

interface ListRequest {
  readonly failing: boolean;
  readonly kind?: string;
  readonly tenant_id?: string;
  readonly limit: number;
}

/** Every shard has a line: one that nobody answers for is what an operator looks for. */
function shardReports(insights: readonly Insight[]): unknown[] {
  const found = new Map<number, unknown>();
  for (const { worker, shards } of insights)
    for (const shard of shards) found.set(shard.shard, shardReport(shard, worker));
  return Array.from(
    { length: limits.shardCount },
    (_, number) => found.get(number) ?? { number, status: "away" },
  );
}

function shardReport(shard: ShardInsight, thread: number): unknown {
  return {
    number: shard.shard,
    status: shard.status,
    thread,
    epoch: shard.epoch,
    head: shard.decidedSeq,
    durable_head: shard.durableSeq,
    mailbox_depth: shard.mailboxDepth,
    mailbox_bytes: shard.mailboxBytes,
    entities: shard.cells,
    buffer_bytes: shard.bufferBytes,
    tenures: shard.tenures,
  };
}

function actorReport(actor: ListedActor): unknown {
  const { address, isolatedUntilMs } = actor;
  return {
    kind: address.kind,
    tenant_id: address.tenant,
    key: address.key,
    shard: actor.shard,
    status: actor.status,
    mailbox_depth: actor.mailboxDepth,
    parked: actor.parked,
    failures: actor.failures,
    last_failure: actor.lastFailure,
    ...(isolatedUntilMs === undefined
      ? undefined
      : { isolated_until: new Date(isolatedUntilMs).toISOString() }),
  };
}

function byPlace(a: ListedActor, b: ListedActor): number {
  return a.shard - b.shard || (placeOf(a) < placeOf(b) ? -1 : 1);
}

function placeOf({ address }: ListedActor): string {
  return `${address.tenant}\0${address.key}\0${address.kind}`;
}
