import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { type Insight, latencyBucketsMs, type Runtime, type ShardInsight } from "#runtime";
import type { Snapshot } from "../telemetry/index.ts";

/**
 * Figures of the runtime's threads as metrics; one worker tells those of all. Most are told by thread. By
 * shard are only those that find a hot or a slow one: each is a line for every shard.
 */
export async function runtimeSnapshot(runtime: Pick<Runtime, "insight">): Promise<Snapshot> {
  const insights = await runtime.insight();
  return {
    counters: [...byThread(threadCounters, insights), ...byShard(shardCounters, insights)],
    gauges: [
      ["service_shards_ready", total(insights, shardsReady)],
      ...byThread(threadGauges, insights),
      ...byShard(shardGauges, insights),
    ],
    histograms: insights.flatMap((insight) =>
      histograms.map(
        ({ name, counts, sumMs }) =>
          [
            `${name}{thread="${insight.worker}"}`,
            columns(insight.shards.map(counts)),
            total(insight.shards, sumMs),
            latencyBucketsMs,
          ] as const,
      ),
    ),
  };
}

/** How busy and how full the thread is that calls this: a hot entity shows here long before callers are refused. */
export function threadSnapshot(worker: number): Snapshot {
  const busySeconds = performance.eventLoopUtilization().active / 1_000;
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return {
    counters: [[`service_thread_busy_seconds_total{thread="${worker}"}`, busySeconds]],
    gauges: [
      [`service_thread_heap_bytes{thread="${worker}"}`, used_heap_size],
      [`service_thread_heap_limit_bytes{thread="${worker}"}`, heap_size_limit],
    ],
    histograms: [],
  };
}

type Series = readonly [key: string, value: number];
type Figures<Of> = Readonly<Record<string, (of: Of) => number>>;

const threadCounters: Figures<Insight> = {
  service_mailbox_refused_total: (insight) => insight.mailboxRefused,
  service_passivations_total: (insight) => insight.passivations,
  service_checkpoints_total: (insight) => insight.checkpoints,
  service_checkpoint_rows_total: (insight) => insight.checkpointRows,
  service_committed_bytes_total: ({ shards }) => total(shards, (shard) => shard.committedBytes),
  service_entity_activations_total: ({ shards }) => total(shards, (shard) => shard.activations),
  service_entity_restarts_total: ({ shards }) => total(shards, (shard) => shard.restarts),
};

const threadGauges: Figures<Insight> = {
  service_mailbox_depth: (insight) => insight.mailboxDepth,
  service_mailbox_bytes: (insight) => insight.mailboxBytes,
  service_long_polls_waiting: (insight) => insight.parked,
  service_effects_running: (insight) => insight.effectsRunning,
  service_effects_waiting: (insight) => insight.effectsWaiting,
  service_entities_in_memory: (insight) => insight.residentCells,
  service_entities_bytes: (insight) => insight.residentBytes,
  service_entities_failing: (insight) => insight.failingCells,
  service_checkpoint_waiting_bytes: (insight) => insight.checkpointWaitingBytes,
  service_checkpoint_pinned_bytes: (insight) => insight.checkpointPinnedBytes,
  service_replies_held: ({ shards }) => total(shards, (shard) => shard.gatedReplies),
  service_outbox_in_memory: ({ shards }) => total(shards, (shard) => shard.outboxInMemory),
  service_timers_in_memory: ({ shards }) => total(shards, (shard) => shard.timersInMemory),
};

const shardCounters: Figures<ShardInsight> = {
  service_shard_commits_total: (shard) => shard.commits,
  service_shard_committed_commands_total: (shard) => shard.committedCommands,
  service_shard_commit_seconds_total: (shard) => shard.commitMs / 1_000,
  service_shard_tenures_total: (shard) => shard.tenures,
  service_shard_failures_total: (shard) => shard.failures,
};

const shardGauges: Figures<ShardInsight> = {
  service_shard_mailbox_depth: (shard) => shard.mailboxDepth,
  service_shard_mailbox_bytes: (shard) => shard.mailboxBytes,
  service_shard_entities: (shard) => shard.cells,
  service_shard_buffer_bytes: (shard) => shard.bufferBytes,
};

const histograms = [
  {
    name: "service_commit_duration_seconds",
    counts: (shard: ShardInsight) => shard.commitBuckets,
    sumMs: (shard: ShardInsight) => shard.commitMs,
  },
  {
    name: "service_timer_lateness_seconds",
    counts: (shard: ShardInsight) => shard.timerBuckets,
    sumMs: (shard: ShardInsight) => shard.timerLateMs,
  },
];

function byThread(figures: Figures<Insight>, insights: readonly Insight[]): Series[] {
  return insights.flatMap((insight) =>
    Object.entries(figures).map(
      ([name, read]): Series => [`${name}{thread="${insight.worker}"}`, read(insight)],
    ),
  );
}

function byShard(figures: Figures<ShardInsight>, insights: readonly Insight[]): Series[] {
  return insights.flatMap(({ shards }) =>
    shards.flatMap((shard) =>
      Object.entries(figures).map(([name, read]): Series => [`${name}{shard="${shard.shard}"}`, read(shard)]),
    ),
  );
}

function shardsReady({ shards }: Insight): number {
  return total(shards, (shard) => (shard.status === "ready" ? 1 : 0));
}

function total<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}

/** Adds up lists of the same length, place by place. */
function columns(lists: readonly (readonly number[])[]): number[] {
  const sums = new Array<number>(latencyBucketsMs.length + 1).fill(0);
  for (const list of lists) for (const [at, value] of list.entries()) sums[at]! += value;
  return sums;
}
