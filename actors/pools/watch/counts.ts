import { depthOf } from "../queue/rows/stats.ts";
import type { State as QueueState } from "../queue/state.ts";
import type { State as RouterState } from "../router/state.ts";
import type { Metric } from "./record.ts";

/** What is counted of a pool, in the order of a reading. */
const names = [
  "enqueued",
  "claimed",
  "completed",
  "failed",
  "dead",
  "wait_ms_sum",
  "lease_ms_sum",
  "leased",
  "unroutable",
] as const;
type Counts = Readonly<Record<(typeof names)[number], number>>;

export function countsOf(
  { totals, counts }: QueueState,
  { unroutable }: Pick<RouterState, "unroutable">,
): number[] {
  const now: Counts = { ...totals.values, leased: counts.leased, unroutable };
  return names.map((name) => now[name]);
}

/** Counted in memory only: what it was is not known after a restart. */
export function isDurable(metric: Metric): boolean {
  return metric !== "unroutable_rate";
}

/** What an interval comes to; `undefined`: nothing happened that could be measured, which is a gap and not 0. */
export function measuredIn(
  metric: Metric,
  before: readonly number[],
  after: readonly number[],
  queue: QueueState,
) {
  const entries = names.map((name, index) => [name, after[index]! - before[index]!]);
  const { completed, failed, claimed, ...more } = Object.fromEntries(entries) as Counts;
  switch (metric) {
    case "enqueue_rate":
      return more.enqueued;
    case "completion_rate":
      return completed;
    case "dead_rate":
      return more.dead;
    case "unroutable_rate":
      return more.unroutable;
    case "failure_ratio":
      return ratioOf(failed, failed + completed);
    case "wait_seconds":
      return ratioOf(more.wait_ms_sum / 1_000, claimed);
    case "latency_ms":
      // What was claimed and is not leased any more has ended.
      return ratioOf(more.lease_ms_sum, claimed - more.leased);
    case "depth":
      return depthOf(queue);
  }
}

function ratioOf(sum: number, times: number): number | undefined {
  return times > 0 ? sum / times : undefined;
}
