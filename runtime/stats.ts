import type { Address } from "./actor.ts";
import type { Cell } from "./shard/cell.ts";
import type { ShardMetrics } from "./shard/metrics.ts";
import type { Host } from "./shard/shard.ts";

/** Stats of one thread and its shards at one moment, as plain data. Latencies are counts per bucket of `latencyBucketsMs`. */
export interface ThreadStats {
  readonly worker: number;
  readonly mailboxDepth: number;
  readonly mailboxBytes: number;
  readonly mailboxRefused: number;
  /** Commands that wait inside entities. */
  readonly parked: number;
  readonly effectsRunning: number;
  /** Their time has come, and they wait for a place. */
  readonly effectsWaiting: number;
  readonly residentCells: number;
  readonly residentBytes: number;
  readonly passivations: number;
  readonly failingCells: number;
  readonly checkpointWaitingBytes: number;
  /** What that keeps in memory, with what stands beside it. */
  readonly checkpointPinnedBytes: number;
  readonly checkpoints: number;
  readonly checkpointRows: number;
  readonly shards: readonly ShardStats[];
}

export interface ShardStats extends Omit<ShardMetrics, "failed" | "committed" | "timerFired"> {
  readonly shard: number;
  readonly status: "opening" | "ready" | "dropped";
  readonly epoch: number;
  readonly durableSeq: number;
  readonly decidedSeq: number;
  readonly mailboxDepth: number;
  readonly mailboxBytes: number;
  readonly cells: number;
  readonly gatedReplies: number;
  readonly waitingEntries: number;
  readonly bufferBytes: number;
  readonly bufferLayers: number;
  readonly timersInMemory: number;
  readonly outboxInMemory: number;
}

export interface ActorFilter {
  /** Only those that failed lately or are isolated. */
  readonly failing: boolean;
  readonly kind?: string | undefined;
  readonly tenant?: string | undefined;
  readonly max?: number;
}

export interface ListedActor {
  readonly address: Address;
  readonly shard: number;
  readonly status: "cold" | "loading" | "ready" | "isolated";
  readonly mailboxDepth: number;
  readonly parked: number;
  readonly failures: number;
  readonly lastFailure: string;
  /** Wall time; absent unless it is isolated. */
  readonly isolatedUntilMs?: number;
}

/** Of one thread, whatever is asked for: a list is for people. */
const listedMax = 10_000;

export function statsOf(thread: Host, worker: number): ThreadStats {
  const shards: ShardStats[] = [];
  for (const shard of thread.shards.values()) {
    const { metrics, commit, buffer } = shard;
    shards.push({
      shard: shard.number,
      status: shard.status,
      epoch: shard.epoch,
      durableSeq: commit.durableSeq,
      decidedSeq: commit.decidedSeq,
      mailboxDepth: shard.mailboxDepth,
      mailboxBytes: shard.mailboxBytes,
      cells: shard.cells.size,
      gatedReplies: commit.gatedCount,
      waitingEntries: commit.waitingEntries,
      bufferBytes: buffer.bytes,
      bufferLayers: buffer.layerCount,
      timersInMemory: shard.timers.size,
      outboxInMemory: shard.outbox.size,
      ...structuredClone({ ...metrics }),
    });
  }
  return {
    worker,
    mailboxDepth: thread.mailboxes.depth,
    mailboxBytes: thread.mailboxes.bytes,
    mailboxRefused: thread.mailboxes.refused,
    parked: thread.parking.count,
    effectsRunning: thread.effects.running,
    effectsWaiting: thread.effects.waiting,
    residentCells: thread.residents.size,
    residentBytes: thread.residents.bytes,
    passivations: thread.residents.passivations,
    failingCells: thread.failing.size,
    checkpointWaitingBytes: thread.checkpoints.waitingBytes,
    checkpointPinnedBytes: thread.slabs.bytes,
    checkpoints: thread.checkpoints.writes,
    checkpointRows: thread.checkpoints.rows,
    shards,
  };
}

export function listActors(thread: Host, filter: ActorFilter): ListedActor[] {
  const max = Math.min(filter.max ?? listedMax, listedMax);
  const listed: ListedActor[] = [];
  const nowMs = thread.world.clock.monotonic();
  for (const shard of thread.shards.values()) {
    for (const cell of shard.cells.values()) {
      const failures = cell.failures.filter((at) => nowMs - at < thread.limits.entityRestartsWithinMs).length;
      if (filter.failing && failures === 0) continue;
      if (filter.tenant !== undefined && filter.tenant !== cell.tenant) continue;
      for (const entity of cell.entities) {
        if (filter.kind !== undefined && filter.kind !== entity.address.kind) continue;
        if (listed.length >= max) return listed;
        listed.push({
          address: entity.address,
          shard: shard.number,
          status: cell.status,
          mailboxDepth: entity.depth,
          parked: entity.parked.length,
          failures,
          lastFailure: cell.lastFailure,
          ...isolation(cell, thread),
        });
      }
    }
  }
  return listed;
}

function isolation(cell: Cell, { world, clock }: Host): Partial<ListedActor> | undefined {
  const restMs = cell.isolatedUntilMs - world.clock.monotonic();
  return restMs > 0 ? { status: "isolated", isolatedUntilMs: clock.wallMs + restMs } : undefined;
}
