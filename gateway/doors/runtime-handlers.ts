import { limits, RefusalError } from "#base";
import type { ActorFilter, ClusterReport, ListedActor, NodeStats, Runtime, ShardStats } from "#runtime";
import type { Handler } from "../calls/targets.ts";

type Seen = Pick<Runtime, "clusterStats" | "actors" | "cluster" | "drainNode">;

/** RuntimeService: what all threads of all nodes say of themselves. */
export function runtimeHandlers(runtime: Seen): Record<string, Handler> {
  return {
    "RuntimeService.GetCluster": async () => clusterReport(await runtime.cluster()),

    "RuntimeService.DrainNode": async (request) => {
      const refusal = await runtime.drainNode((request as { node_id: string }).node_id);
      if (refusal !== undefined) throw new RefusalError(refusal);
      return {};
    },

    "RuntimeService.ListShards": async () => ({ shards: shardReports(await runtime.clusterStats()) }),

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

/** Every shard has a line: operators look for the one without an owner. */
function shardReports(nodes: readonly NodeStats[]): unknown[] {
  const found = new Map<number, { readonly epoch: number; readonly report: unknown }>();
  for (const { node, allStats } of nodes)
    for (const { worker, shards } of allStats)
      for (const shard of shards) {
        // One that has been taken from its node says so only when it notices.
        if (shard.epoch < (found.get(shard.shard)?.epoch ?? 0)) continue;
        found.set(shard.shard, { epoch: shard.epoch, report: shardReport(shard, worker, node) });
      }
  return Array.from(
    { length: limits.shardCount },
    (_, number) => found.get(number)?.report ?? { number, status: "away" },
  );
}

function clusterReport(report: ClusterReport | undefined): unknown {
  if (report === undefined) return { enabled: false };
  return {
    enabled: true,
    node_id: report.node,
    version: report.version,
    nodes: report.nodes.map((one) => ({
      node_id: one.node,
      address: one.address,
      zone: one.zone,
      workers: one.workers,
      state: one.state,
      shards_held: one.held,
      shards_share: one.share,
      ...(one.silentMs < Number.MAX_SAFE_INTEGER && { silent_ms: one.silentMs }),
      shards_moving: one.moving,
      ...(one.link && { link_unread_bytes: one.link.unreadBytes }),
    })),
    shards_unheld: report.unheld,
    shards_moving: report.moving,
  };
}

function shardReport(shard: ShardStats, thread: number, node: string): unknown {
  return {
    ...(node !== "" && { node_id: node }),
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
    terms: shard.terms,
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
