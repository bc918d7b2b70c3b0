import type { Insight, Runtime, ShardInsight } from "#runtime";
import type { Snapshot } from "./telemetry/index.ts";

/** Figures of the runtime's threads as metrics; whoever asks one worker gets those of all. */
export async function runtimeSnapshot(runtime: Pick<Runtime, "insight">): Promise<Snapshot> {
  const insights = await runtime.insight();
  const shards = insights.flatMap((insight) => insight.shards);
  return {
    counters: [
      ...Object.entries(threadCounters).map(([name, read]) => [name, total(insights, read)] as const),
      ...Object.entries(shardCounters).map(([name, read]) => [name, total(shards, read)] as const),
    ],
    gauges: [
      ...Object.entries(threadGauges).map(([name, read]) => [name, total(insights, read)] as const),
      ...Object.entries(shardGauges).map(([name, read]) => [name, total(shards, read)] as const),
    ],
    histograms: [],
  };
}

const threadCounters: Readonly<Record<string, (insight: Insight) => number>> = {
  service_mailbox_refused_total: (insight) => insight.mailboxRefused,
  service_passivations_total: (insight) => insight.passivations,
  service_checkpoints_total: (insight) => insight.checkpoints,
  service_checkpoint_rows_total: (insight) => insight.checkpointRows,
};

const shardCounters: Readonly<Record<string, (shard: ShardInsight) => number>> = {
  service_commits_total: (shard) => shard.commits,
  service_committed_entries_total: (shard) => shard.committedEntries,
  service_committed_bytes_total: (shard) => shard.committedBytes,
  service_commit_seconds_total: (shard) => shard.commitMs / 1_000,
  service_entity_activations_total: (shard) => shard.activations,
  service_entity_restarts_total: (shard) => shard.restarts,
  service_timers_fired_total: (shard) => shard.timersFired,
};

const threadGauges: Readonly<Record<string, (insight: Insight) => number>> = {
  service_mailbox_depth: (insight) => insight.mailboxDepth,
  service_mailbox_bytes: (insight) => insight.mailboxBytes,
  service_entities_in_memory: (insight) => insight.residentCells,
  service_entities_failing: (insight) => insight.failingCells,
  service_checkpoint_waiting_bytes: (insight) => insight.checkpointWaitingBytes,
};

const shardGauges: Readonly<Record<string, (shard: ShardInsight) => number>> = {
  service_shards_ready: (shard) => (shard.status === "ready" ? 1 : 0),
  service_replies_held: (shard) => shard.heldReplies,
  service_outbox_in_memory: (shard) => shard.outboxInMemory,
};

function total<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}
