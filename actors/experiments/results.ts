import { limits, toRfc3339 } from "#base";
import type { MultipleExposures, SampleRatio, UnitsOfDay } from "#protos";
import type { Message } from "../kit/record.ts";
import { type Comparison, compare, type Trust, variantMessage } from "./compare.ts";
import { type Guardrail, guardrailOf } from "./guardrail.ts";
import { million, widthsOf } from "./hash.ts";
import { type ExperimentRecord, firstPhaseOf, type MetricRecord, type PhaseRecord } from "./record.ts";
import { snapshotOf } from "./snapshot.ts";
import { chiSquare, sampleRatioP } from "./stats/sample-ratio.ts";
import type { ShardSums } from "./units/decide.ts";
import { dayMs } from "./units/state.ts";
import { addCell, type Cell, emptyCell, readCell } from "./units/sums.ts";

/** The figures of an experiment from the sums of its shards; `phase`: of that one only. */
export function resultsOf(
  record: ExperimentRecord,
  shards: readonly ShardSums[],
  { now, phase }: { readonly now: number; readonly phase?: number },
): Message {
  const phases = record.phases.map(({ number }) => number);
  const counted = phases.filter((one) =>
    phase === undefined ? one >= firstPhaseOf(record.phases) : one === phase,
  );
  const cells = cellsOf(record, shards);
  const arms = record.variants.map((_, variant) => armOf(record, cells, counted, variant));
  const ratios = record.phases.map((one) => ratioOf(record, one, cells));
  const multiple = multipleOf(arms);
  const problems = problemsOf(ratios, counted, multiple);
  const trust: Trust = {
    analysis: record.analysis,
    alpha: alphaOf(record),
    trustworthy: problems.length === 0,
  };
  const guardrails = record.metrics.flatMap((metric, index) =>
    metric.role === "guardrail" ? guardrailsOf(record, metric, index, arms, trust) : [],
  );
  const compared = record.metrics.map((metric, index) => compareAll(record, metric, index, arms, trust));
  const peeked = record.analysis.method === "fixed" && record.endedAt === undefined;
  const winner = peeked ? undefined : winnerOf(record, compared, guardrails);
  return {
    experiment_id: record.id,
    status: record.status,
    computed_at: toRfc3339(now),
    method: record.analysis.method,
    alpha: trust.alpha,
    peeked,
    trustworthy: trust.trustworthy,
    problems,
    phases: counted,
    variants: record.variants.map(({ key }, index) => ({
      variant: key,
      control: index === record.control,
      units: arms[index]!.n,
    })),
    metrics: record.metrics.map(({ key, kind, role, direction }, index) => ({
      metric: key,
      kind,
      role,
      direction,
      variants: compared[index]!.map((comparison) => variantMessage(comparison, breachedBy(guardrails, key))),
    })),
    sample_ratios: ratios,
    multiple_exposures: multiple,
    guardrails,
    units_by_day: daysOf(record, shards, counted),
    ...(winner !== undefined && { winner }),
  };
}

/** For one comparison: Bonferroni over the treatments. */
function alphaOf({ analysis, variants }: ExperimentRecord): number {
  return analysis.alpha / (variants.length - 1);
}

type Cells = ReadonlyMap<string, Cell>;

function cellsOf(record: ExperimentRecord, shards: readonly ShardSums[]): Cells {
  const cells = new Map<string, Cell>();
  const { metrics } = snapshotOf(record);
  for (const stored of shards.flatMap((shard) => shard.cells)) {
    const key = `${stored.phase}.${stored.variant}`;
    const into = cells.get(key) ?? emptyCell(stored.phase, stored.variant, metrics);
    addCell(into, readCell(stored));
    cells.set(key, into);
  }
  return cells;
}

function armOf(record: ExperimentRecord, cells: Cells, phases: readonly number[], variant: number): Cell {
  const arm = emptyCell(0, variant, snapshotOf(record).metrics);
  for (const phase of phases) {
    const cell = cells.get(`${phase}.${variant}`);
    if (cell) addCell(arm, cell);
  }
  return arm;
}

function compareAll(
  record: ExperimentRecord,
  metric: MetricRecord,
  index: number,
  arms: readonly Cell[],
  trust: Trust,
): Comparison[] {
  const control = arms[record.control]!;
  return arms.map((arm, variant) => ({
    variant: record.variants[variant]!.key,
    n: arm.n,
    ...compare(metric, arm, control, { ...trust, index }),
  }));
}

function guardrailsOf(
  record: ExperimentRecord,
  metric: MetricRecord,
  index: number,
  arms: readonly Cell[],
  trust: Trust,
): Guardrail[] {
  const control = arms[record.control]!;
  return arms.flatMap((arm, variant) =>
    arm === control
      ? []
      : [guardrailOf(metric, record.variants[variant]!.key, [arm, control], { ...trust, index })],
  );
}

function breachedBy(guardrails: readonly Guardrail[], metric: string): ReadonlySet<string> {
  const breached = guardrails.filter((one) => one.metric === metric && one.verdict === "breached");
  return new Set(breached.map(({ variant }) => variant));
}

/** The best of the treatments that are better for certain; none that breaches a guardrail. */
function winnerOf(
  { metrics }: ExperimentRecord,
  compared: readonly (readonly Comparison[])[],
  guardrails: readonly Guardrail[],
): string | undefined {
  const primary = metrics.findIndex(({ role }) => role === "primary");
  const sign = metrics[primary]!.direction === "increase" ? 1 : -1;
  const better = compared[primary]!.flatMap(({ variant, status, difference }) => {
    const gain = sign * (difference?.estimate ?? 0);
    const breaches = guardrails.some((one) => one.variant === variant && one.verdict === "breached");
    return status === "significant" && gain > 0 && !breaches ? [{ variant, gain }] : [];
  });
  return better.sort((a, b) => b.gain - a.gain)[0]?.variant;
}

/** Empty arms count too. */
function ratioOf(
  { variants }: ExperimentRecord,
  { number, weights, coverage }: PhaseRecord,
  cells: Cells,
): SampleRatio {
  const widths = widthsOf(weights, coverage);
  const total = widths.reduce((sum, width) => sum + width, 0);
  const shares = widths.map((width) => (total === 0 ? 0 : width / total));
  const counts = variants.map((_, variant) => cells.get(`${number}.${variant}`)?.n ?? 0);
  const p_value = sampleRatioP(counts, widths);
  const chi = chiSquare(counts, shares);
  return {
    phase: number,
    p_value,
    chi_square: chi.statistic,
    chi_square_p_value: chi.p,
    mismatch: p_value < limits.experimentRatioP,
    arms: variants.map(({ key }, index) => ({
      variant: key,
      units: counts[index]!,
      expected_share: shares[index]!,
    })),
  };
}

function multipleOf(arms: readonly Cell[]): MultipleExposures {
  const units = arms.reduce((sum, { multiple }) => sum + multiple, 0);
  const all = arms.reduce((sum, { n }) => sum + n, 0);
  const share = all === 0 ? 0 : units / all;
  return { units, share, too_many: share >= limits.experimentMultipleShare };
}

function problemsOf(
  ratios: readonly SampleRatio[],
  counted: readonly number[],
  { units, share, too_many }: MultipleExposures,
): string[] {
  const off = ratios.filter(({ phase, mismatch }) => mismatch && counted.includes(phase));
  const problems = off.map(
    ({ phase, p_value }) => `the sample ratio of phase ${phase} is off, p = ${p_value.toPrecision(3)}`,
  );
  if (too_many)
    problems.push(`${units} units were exposed to more than one variant, ${(share * 100).toPrecision(3)} %`);
  return problems;
}

function daysOf(
  { variants }: ExperimentRecord,
  shards: readonly ShardSums[],
  phases: readonly number[],
): UnitsOfDay[] {
  const units = new Map<number, number>();
  // Day and variant in one number, which sorts by day.
  for (const { phase, variant, day, units: more } of shards.flatMap((shard) => shard.days))
    if (phases.includes(phase)) {
      const at = day * million + variant;
      units.set(at, (units.get(at) ?? 0) + more);
    }
  return [...units.entries()]
    .sort(([a], [b]) => a - b)
    .map(([at, count]) => ({
      day: toRfc3339(Math.floor(at / million) * dayMs).slice(0, 10),
      variant: variants[at % million]!.key,
      units: count,
    }));
}
