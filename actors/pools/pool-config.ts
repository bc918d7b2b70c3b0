/**
 * The settings of a pool as the contract spells them (proto names), every default filled in. The pool stores them whole;
 * its twins read them from the router.
 */
export interface PoolConfig {
  readonly lease_seconds: number;
  readonly max_attempts: number;
  readonly max_deliveries: number;
  readonly backoff: { readonly initial_ms: number; readonly max_ms: number; readonly multiplier: number };
  readonly max_depth: number;
  readonly max_bytes: number;
  readonly retention_seconds: number;
  readonly priority: { readonly bands: number; readonly default: number; readonly aging_seconds: number };
  readonly fairness?: { readonly key: string; readonly weights: Readonly<Record<string, number>> };
  readonly sticky?: { readonly key: string };
  readonly admission?: AdmissionConfig;
  readonly outlier: {
    readonly consecutive_failures: number;
    readonly ejection_seconds: number;
    readonly max_ejected_percent: number;
  };
}

interface AdmissionConfig {
  readonly singleton?: {
    readonly key: string;
    readonly mode: "skip" | "cancel" | "keep_latest";
    readonly ttl_seconds?: number;
  };
  readonly debounce?: {
    readonly key: string;
    readonly period_ms: number;
    readonly max_wait_ms?: number;
    readonly take: "last" | "first";
  };
  readonly throttle?: {
    readonly key?: string;
    readonly limit: number;
    readonly period_ms: number;
    readonly burst: number;
  };
  readonly concurrency: readonly ConcurrencyControl[];
}

interface ConcurrencyControl {
  readonly key?: string;
  readonly limit: number;
  readonly cost?: number;
  /** Which control it is, wherever it stands; absent: the one at its place. Not in the contract. */
  readonly no?: number;
}

export const poolConfigDefaults: PoolConfig = {
  lease_seconds: 30,
  max_attempts: 5,
  max_deliveries: 20,
  backoff: { initial_ms: 1_000, max_ms: 600_000, multiplier: 2 },
  max_depth: 10_000_000,
  max_bytes: 16 * 1_024 ** 3,
  retention_seconds: 86_400,
  priority: { bands: 5, default: 3, aging_seconds: 60 },
  outlier: { consecutive_failures: 5, ejection_seconds: 30, max_ejected_percent: 50 },
};

/** What was set, over the defaults: each part is complete afterwards. */
export function fillPoolConfig(given: PoolConfigInput = {}): PoolConfig {
  const { backoff, priority, outlier, fairness, sticky, admission, ...plain } = given;
  return {
    ...poolConfigDefaults,
    ...plain,
    backoff: { ...poolConfigDefaults.backoff, ...backoff },
    priority: fillPriority(priority),
    outlier: { ...poolConfigDefaults.outlier, ...outlier },
    ...(fairness && { fairness: { key: fairness.key, weights: fairness.weights ?? {} } }),
    ...(sticky && { sticky: { key: sticky.key } }),
    ...(admission && { admission: fillAdmission(admission) }),
  };
}

/** The same shape with every part optional: a request before defaults. */
export type PoolConfigInput = {
  readonly [K in keyof Omit<
    PoolConfig,
    "backoff" | "priority" | "outlier" | "fairness" | "admission"
  >]?: PoolConfig[K];
} & {
  readonly backoff?: Partial<PoolConfig["backoff"]>;
  readonly priority?: Partial<PoolConfig["priority"]>;
  readonly outlier?: Partial<PoolConfig["outlier"]>;
  readonly fairness?: { readonly key: string; readonly weights?: Readonly<Record<string, number>> };
  readonly admission?: AdmissionInput;
};

type AdmissionInput = Omit<AdmissionConfig, "debounce" | "throttle" | "concurrency"> & {
  readonly debounce?: Omit<NonNullable<AdmissionConfig["debounce"]>, "take"> & {
    readonly take?: "last" | "first";
  };
  readonly throttle?: Omit<NonNullable<AdmissionConfig["throttle"]>, "burst"> & { readonly burst?: number };
  readonly concurrency?: AdmissionConfig["concurrency"];
};

function fillPriority(given: PoolConfigInput["priority"]): PoolConfig["priority"] {
  const filled = { ...poolConfigDefaults.priority, ...given };
  // With fewer bands than the default band's number, the middle one is the natural default.
  return given?.default === undefined && filled.default > filled.bands
    ? { ...filled, default: Math.ceil(filled.bands / 2) }
    : filled;
}

function fillAdmission(given: AdmissionInput): AdmissionConfig {
  return {
    ...(given.singleton && { singleton: given.singleton }),
    ...(given.debounce && { debounce: { ...given.debounce, take: given.debounce.take ?? "last" } }),
    ...(given.throttle && {
      throttle: { ...given.throttle, burst: given.throttle.burst ?? 1 },
    }),
    concurrency: given.concurrency ?? [],
  };
}
