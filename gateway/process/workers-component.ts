import type { ThreadHealth } from "#runtime";
import type { Component } from "../ops/index.ts";

interface Workers {
  /** Numbers of those that answer. */
  readonly ready: readonly number[];
  readonly count: number;
  /** What they last said of themselves. */
  readonly health: readonly ThreadHealth[];
}

/** The threads that own shards, as /ready shows them: which are missing, what is corrupt, how wrong the clock is. */
export function workersComponent({ ready, count, health }: Workers): Component {
  const served = `${ready.length} of ${count} threads serve their shards`;
  if (ready.length === 0) return { status: "unhealthy", detail: served };
  const missing = Array.from({ length: count }, (_, number) => number).filter(
    (number) => !ready.includes(number),
  );
  const corrupt = health.flatMap(({ corruptShards }) => corruptShards).sort((a, b) => a - b);
  const wrong = [
    ...(missing.length > 0 ? [`missing: thread ${missing.join(", ")}`] : []),
    ...(corrupt.length > 0 ? [`stored data is corrupt in shard ${corrupt.join(", ")}`] : []),
    ...clockOf(health),
  ];
  return { status: wrong.length > 0 ? "degraded" : "healthy", detail: [served, ...wrong].join("; ") };
}

function clockOf(health: readonly ThreadHealth[]): string[] {
  const worst = health.toSorted((a, b) => b.clockSeconds - a.clockSeconds)[0];
  if (worst === undefined) return [];
  switch (worst.clock) {
    case "steady":
      return [];
    case "ahead":
      return [`the clock jumped ${worst.clockSeconds} s ahead: changes are refused until it is believed`];
    case "behind":
      return [`the clock is ${worst.clockSeconds} s behind the service's time`];
  }
}
