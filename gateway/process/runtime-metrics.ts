import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { latencyBucketsMs, type Runtime, type ShardStats, type ThreadStats } from "#runtime";
import { histogramValues, metricOf, type Snapshot, single } from "../telemetry/index.ts";

/**
 * Stats of the runtime's threads as metrics; one worker tells those of all. Most are told by thread. By
 * shard are only those that find a hot or a slow one: each is a line for every shard.
 */
export async function runtimeSnapshot(runtime: Pick<Runtime, "stats">): Promise<Snapshot> {
  const allStats = await runtime.stats();
  const allShards = allStats.flatMap(({ shards }) => shards);
  const threadOf = ({ worker }: ThreadStats) => ({ thread: String(worker) });
  const shardOf = ({ shard }: ShardStats) => ({ shard: String(shard) });
  return [
    ...metricsOf("counter", threadCounters, allStats, threadOf),
    ...metricsOf("counter", shardCounters, allShards, shardOf),
    single("gauge", "service_shards_ready", allShards.filter(({ status }) => status === "ready").length),
    ...metricsOf("gauge", threadGauges, allStats, threadOf),
    ...metricsOf("gauge", shardGauges, allShards, shardOf),
    ...histograms.map(({ name, counts, sumMs }) => {
      const values = allStats.flatMap((stats) =>
        histogramValues(name, threadOf(stats), {
          counts: columns(stats.shards.map(counts)),
          sumMs: total(stats.shards, sumMs),
          boundsMs: latencyBucketsMs,
        }),
      );
      return metricOf("histogram", name, values);
    }),
  ];
}

/** How busy and how full the thread is that calls this: a hot entity shows here long before callers are refused. */
export function threadSnapshot(worker: number): Snapshot {
  const labels = { thread: String(worker) };
  const busySeconds = performance.eventLoopUtilization().active / 1_000;
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return [
    metricOf("counter", "service_thread_busy_seconds_total", [{ labels, value: busySeconds }]),
    metricOf("gauge", "service_thread_heap_bytes", [{ labels, value: used_heap_size }]),
    metricOf("gauge", "service_thread_heap_limit_bytes", [{ labels, value: heap_size_limit }]),
  ];
}

type Readings<Of> = Readonly<Record<string, (of: Of) => number>>;

const threadCounters: Readings<ThreadStats> = {
  service_mailbox_refused_total: (stats) => stats.mailboxRefused,
  service_passivations_total: (stats) => stats.passivations,
  service_checkpoints_total: (stats) => stats.checkpoints,
  service_checkpoint_rows_total: (stats) => stats.checkpointRows,
  service_committed_bytes_total: ({ shards }) => total(shards, (shard) => shard.committedBytes),
  service_entity_activations_total: ({ shards }) => total(shards, (shard) => shard.activations),
  service_entity_restarts_total: ({ shards }) => total(shards, (shard) => shard.restarts),
};

const threadGauges: Readings<ThreadStats> = {
  service_mailbox_depth: (stats) => stats.mailboxDepth,
  service_mailbox_bytes: (stats) => stats.mailboxBytes,
  service_long_polls_waiting: (stats) => stats.parked,
  service_effects_running: (stats) => stats.effectsRunning,
  service_effects_waiting: (stats) => stats.effectsWaiting,
  service_entities_in_memory: (stats) => stats.residentCells,
  service_entities_bytes: (stats) => stats.residentBytes,
  service_entities_failing: (stats) => stats.failingCells,
  service_checkpoint_waiting_bytes: (stats) => stats.checkpointWaitingBytes,
  service_checkpoint_pinned_bytes: (stats) => stats.checkpointPinnedBytes,
  service_replies_held: ({ shards }) => total(shards, (shard) => shard.gatedReplies),
  service_outbox_in_memory: ({ shards }) => total(shards, (shard) => shard.outboxInMemory),
  service_timers_in_memory: ({ shards }) => total(shards, (shard) => shard.timersInMemory),
};

const shardCounters: Readings<ShardStats> = {
  service_shard_commits_total: (shard) => shard.commits,
  service_shard_committed_commands_total: (shard) => shard.committedCommands,
  service_shard_commit_seconds_total: (shard) => shard.commitMs / 1_000,
  service_shard_tenures_total: (shard) => shard.terms,
  service_shard_failures_total: (shard) => shard.failures,
};

const shardGauges: Readings<ShardStats> = {
  service_shard_mailbox_depth: (shard) => shard.mailboxDepth,
  service_shard_mailbox_bytes: (shard) => shard.mailboxBytes,
  service_shard_entities: (shard) => shard.cells,
  service_shard_buffer_bytes: (shard) => shard.bufferBytes,
};

const histograms = [
  {
    name: "service_commit_duration_seconds",
    counts: (shard: ShardStats) => shard.commitBuckets,
    sumMs: (shard: ShardStats) => shard.commitMs,
  },
  {
    name: "service_timer_lateness_seconds",
    counts: (shard: ShardStats) => shard.timerBuckets,
    sumMs: (shard: ShardStats) => shard.timerLateMs,
  },
];

function metricsOf<Of>(
  type: "counter" | "gauge",
  readings: Readings<Of>,
  all: readonly Of[],
  labelsOf: (of: Of) => Readonly<Record<string, string>>,
): Snapshot {
  return Object.entries(readings).map(([name, read]) =>
    metricOf(
      type,
      name,
      all.map((of) => ({ labels: labelsOf(of), value: read(of) })),
    ),
  );
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
