import test from "ava";
import fc from "fast-check";
import { digestOf } from "#base";
import { evaluate, type Verdict } from "./evaluate.ts";
import { rulesetV1, type Signals } from "./ruleset.ts";
import { runbooks } from "./runbooks.ts";

/** Everything answers, and nothing is wrong. */
const well: Signals = {
  silent_sources: 0,
  telemetry_age_ms: 0,
  clock_skew_ms: 0,
  dependency_age_ms: 0,
  dependencies_unavailable: 0,
  pools: 1,
  runs: 200,
  terminals: 100,
  failed: 0,
  idle_runs: 0,
  ready_depth: 0,
  oldest_ready_seconds: 0,
  incompatible_attempts: 0,
  workflow_dlq: 0,
};

const worse: readonly Verdict[] = ["healthy", "degraded", "unhealthy", "unknown"];
const rank = (verdict: Verdict) => worse.indexOf(verdict);
const codes = (signals: Signals) => evaluate(signals).reasons.map(({ code }) => code);

test("ruleset v1 is the one that was published: other thresholds are a v2", (t) => {
  t.is(digestOf(rulesetV1), "sha256:e7b0bfd9d1b8458606e692d7dc165b7a37d0abfe85b7b36d34df1f95dfd37671");
});

/** A signal, its value, and the reason that alone makes; none where it is still well. 100 runs ended: a ratio is its percentage. */
const thresholds: readonly (readonly [keyof Signals, number, string?])[] = [
  ["silent_sources", 0],
  ["silent_sources", 1, "TELEMETRY_MISSING"],
  ["telemetry_age_ms", 299_999],
  ["telemetry_age_ms", 300_000],
  ["telemetry_age_ms", 300_001, "TELEMETRY_STALE"],
  ["clock_skew_ms", 29_999],
  ["clock_skew_ms", 30_000],
  ["clock_skew_ms", 30_001, "CLOCK_SKEW"],
  ["dependency_age_ms", 29_999],
  ["dependency_age_ms", 30_000],
  ["dependency_age_ms", 30_001, "DEPENDENCY_STALE"],
  ["dependencies_unavailable", 0],
  ["dependencies_unavailable", 1, "DEPENDENCY_UNAVAILABLE"],
  ["failed", 9],
  ["failed", 10, "FAILURE_RATIO_DEGRADED"],
  ["failed", 11, "FAILURE_RATIO_DEGRADED"],
  ["failed", 24, "FAILURE_RATIO_DEGRADED"],
  ["failed", 25, "FAILURE_RATIO_UNHEALTHY"],
  ["failed", 26, "FAILURE_RATIO_UNHEALTHY"],
  ["idle_runs", 0],
  ["idle_runs", 1, "IDLE_RUNS_DEGRADED"],
  ["idle_runs", 2, "IDLE_RUNS_DEGRADED"],
  ["idle_runs", 4, "IDLE_RUNS_DEGRADED"],
  ["idle_runs", 5, "IDLE_RUNS_UNHEALTHY"],
  ["idle_runs", 6, "IDLE_RUNS_UNHEALTHY"],
  ["ready_depth", 99],
  ["ready_depth", 100, "READY_DEPTH_DEGRADED"],
  ["ready_depth", 101, "READY_DEPTH_DEGRADED"],
  ["ready_depth", 999, "READY_DEPTH_DEGRADED"],
  ["ready_depth", 1_000, "READY_DEPTH_UNHEALTHY"],
  ["ready_depth", 1_001, "READY_DEPTH_UNHEALTHY"],
  ["oldest_ready_seconds", 899],
  ["oldest_ready_seconds", 900, "OLDEST_READY_DEGRADED"],
  ["oldest_ready_seconds", 901, "OLDEST_READY_DEGRADED"],
  ["oldest_ready_seconds", 3_599, "OLDEST_READY_DEGRADED"],
  ["oldest_ready_seconds", 3_600, "OLDEST_READY_UNHEALTHY"],
  ["oldest_ready_seconds", 3_601, "OLDEST_READY_UNHEALTHY"],
  ["incompatible_attempts", 0],
  ["incompatible_attempts", 1, "INCOMPATIBLE_ATTEMPTS_DEGRADED"],
  ["incompatible_attempts", 2, "INCOMPATIBLE_ATTEMPTS_DEGRADED"],
  ["incompatible_attempts", 9, "INCOMPATIBLE_ATTEMPTS_DEGRADED"],
  ["incompatible_attempts", 10, "INCOMPATIBLE_ATTEMPTS_UNHEALTHY"],
  ["incompatible_attempts", 11, "INCOMPATIBLE_ATTEMPTS_UNHEALTHY"],
  ["workflow_dlq", 0],
  ["workflow_dlq", 1, "WORKFLOW_DLQ_DEGRADED"],
  ["workflow_dlq", 2, "WORKFLOW_DLQ_DEGRADED"],
  ["workflow_dlq", 99, "WORKFLOW_DLQ_DEGRADED"],
  ["workflow_dlq", 100, "WORKFLOW_DLQ_UNHEALTHY"],
  ["workflow_dlq", 101, "WORKFLOW_DLQ_UNHEALTHY"],
];

for (const [signal, value, code] of thresholds)
  test(`${signal} ${value}, all else well: ${code ?? "healthy"}`, (t) => {
    t.deepEqual(codes({ ...well, [signal]: value }), code === undefined ? [] : [code]);
  });

test("all pairs of signals: unknown is told alone, else both are told and the worse one is the verdict", (t) => {
  const alone = (signal: keyof Signals, value: number) => evaluate({ ...well, [signal]: value });
  let pairs = 0;
  for (const [one, a] of thresholds)
    for (const [other, b] of thresholds) {
      if (one === other) continue;
      pairs++;
      const [left, right] = [alone(one, a), alone(other, b)];
      const both = evaluate({ ...well, [one]: a, [other]: b });
      const told = [...left.reasons, ...right.reasons];
      const isUnknown = told.some(({ level }) => level === "unknown");
      const expected = told.filter(({ level }) => !isUnknown || level === "unknown").map(({ code }) => code);
      t.deepEqual(both.reasons.map(({ code }) => code).sort(), expected.sort(), `${one} ${a}, ${other} ${b}`);
      t.is(
        rank(both.verdict),
        Math.max(rank(left.verdict), rank(right.verdict)),
        `${one} ${a}, ${other} ${b}`,
      );
    }
  t.true(pairs > 1_500, `${pairs}`);
});

test("fewer than five ended runs are no ratio, and the verdict is less certain", (t) => {
  const few = evaluate({ ...well, terminals: 4, failed: 4 });
  t.like(few, { verdict: "healthy", confidence: "medium" });
  t.false(few.evidence.some(({ signal }) => signal === "failure_ratio_bps"));
  t.like(evaluate({ ...well, terminals: 5, failed: 4 }), { verdict: "unhealthy", confidence: "high" });
  t.is(evaluate({ ...well, terminals: 1_001, failed: 100 }).verdict, "healthy", "9.99 %");
});

test("an environment without pools and runs, and figures that contradict each other, are unknown", (t) => {
  t.deepEqual(codes({ ...well, pools: 0, runs: 0, terminals: 0 }), ["TELEMETRY_MISSING"]);
  t.deepEqual(codes({ ...well, pools: 0 }), []);
  for (const wrong of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])
    t.deepEqual(codes({ ...well, workflow_dlq: wrong }), ["UNCLASSIFIED"], `${wrong}`);
  t.deepEqual(codes({ ...well, failed: 101 }), ["UNCLASSIFIED"]);
  t.is(evaluate({}).confidence, "none");
});

test("every reason has a runbook and a next step", (t) => {
  for (const [signal, value, code] of thresholds) {
    if (code === undefined) continue;
    const [step] = evaluate({ ...well, [signal]: value }).next_steps;
    t.like(step, { code, runbook: `/docs/runbooks/${code}` });
    t.true(runbooks[code as keyof typeof runbooks].steps.length > 1);
  }
});

const names = Object.keys(well) as (keyof Signals)[];
const ages = ["telemetry_age_ms", "clock_skew_ms", "dependency_age_ms"] as const;
const anySignals = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.nat(name.endsWith("_ms") ? 400_000 : 1_200)])),
) as fc.Arbitrary<Signals>;

test("whatever the signals are, removing, ageing or skewing a source never betters the verdict, and a missing one is never healthy", (t) => {
  fc.assert(
    fc.property(anySignals, fc.constantFrom(...names), fc.nat(1_000_000), (signals, name, more) => {
      const before = rank(evaluate(signals).verdict);
      const { [name]: _, ...without } = signals;
      t.is(evaluate(without).verdict, "unknown");
      for (const age of ages) {
        const after = rank(evaluate({ ...signals, [age]: signals[age]! + more }).verdict);
        t.true(after >= before);
      }
    }),
    { numRuns: 500 },
  );
});
