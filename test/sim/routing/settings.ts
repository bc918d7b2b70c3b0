import type { Random } from "#base";
import type { PoolConfigInput } from "../../../actors/pools/pool-config.ts";
import { strategies } from "../../../actors/pools/router/record.ts";
import type { Strategy } from "../../../actors/pools/router.ts";

/** One pool of a run: its controls are drawn from the seed, so that every combination occurs. */
export interface PoolSettings {
  readonly name: string;
  readonly strategy: Strategy;
  readonly singleton: "skip" | "cancel" | "keep_latest" | undefined;
  readonly debounce: typeof debounce | undefined;
  readonly throttle: typeof throttle | undefined;
  /** Leases of one customer at a time; 0: any number. */
  readonly limit: number;
  readonly sticky: boolean;
  readonly fairness: boolean;
  /** Capacity by recipient; 0: unlimited. */
  readonly capacities: readonly number[];
  /** Retention of finished items: it ends during the run, or long after it. */
  readonly retentionMs: number;
}

const debounce = { periodMs: 800, maxWaitMs: 2_000 };
const throttle = { limit: 4, periodMs: 3_000, burst: 2 };

export const leaseSeconds = 3;

const shortRetentionMs = 4_000;
export const longRetentionMs = 86_400_000;

export const customers = ["a", "b", "c"];

export function drawPool(name: string, random: Random): PoolSettings {
  return {
    name,
    strategy: random.pick(strategies),
    singleton: random.chance(0.4) ? random.pick(["skip", "cancel", "keep_latest"] as const) : undefined,
    debounce: random.chance(0.25) ? debounce : undefined,
    throttle: random.chance(0.35) ? throttle : undefined,
    limit: random.chance(0.5) ? 1 + random.int(2) : 0,
    sticky: random.chance(0.35),
    fairness: random.chance(0.35),
    capacities: [random.int(4), 0, 1 + random.int(3)],
    retentionMs: random.pick([shortRetentionMs, longRetentionMs, longRetentionMs]),
  };
}

export function configOf(settings: PoolSettings): PoolConfigInput {
  const key = "item.attributes.c";
  const { singleton, fairness, sticky, limit } = settings;
  return {
    lease_seconds: leaseSeconds,
    retention_seconds: settings.retentionMs / 1_000,
    max_attempts: 3,
    max_deliveries: 6,
    backoff: { initial_ms: 400, max_ms: 3_000 },
    outlier: { consecutive_failures: 4, ejection_seconds: 1, max_ejected_percent: 50 },
    ...(fairness && { fairness: { key, weights: { a: 2 } } }),
    ...(sticky && { sticky: { key } }),
    admission: {
      ...(singleton && { singleton: { key: "item.key", mode: singleton } }),
      ...(settings.debounce && {
        debounce: {
          key: "item.key",
          period_ms: settings.debounce.periodMs,
          max_wait_ms: settings.debounce.maxWaitMs,
        },
      }),
      ...(settings.throttle && {
        throttle: {
          key,
          limit: settings.throttle.limit,
          period_ms: settings.throttle.periodMs,
          burst: settings.throttle.burst,
        },
      }),
      concurrency: limit === 0 ? [] : [{ key, limit }],
    },
  };
}
