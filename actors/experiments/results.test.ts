import test from "ava";
import { Random } from "#base";
import type { Message } from "../kit/record.ts";
import type { ExperimentRecord, MetricRecord } from "./record.ts";
import { resultsOf } from "./results.ts";
import { snapshotOf } from "./snapshot.ts";
import { countUnit, emptyCell, storedCell } from "./units/sums.ts";
import { type Unit, withScore } from "./units/unit.ts";

const metric = (fields: Partial<MetricRecord>): MetricRecord => ({
  key: "spent",
  kind: "sum",
  role: "primary",
  direction: "increase",
  scale: 2,
  covariate: false,
  ...fields,
});

function recordOf(fields: Partial<ExperimentRecord> = {}): ExperimentRecord {
  const weights = [500_000, 500_000];
  return {
    id: "01J9ZC5T8N4W0QK7V3M2B6XH1D",
    key: "k",
    name: "n",
    description: "",
    tenant: "t",
    environment: "production",
    status: "running",
    hashVersion: "sha256_v1",
    salt: "s",
    variants: weights.map((weight, index) => ({ key: ["old", "new"][index]!, weight })),
    control: 0,
    coverage: 1_000_000,
    targeting: "",
    overrides: {},
    metrics: [metric({})],
    analysis: { method: "sequential", alpha: 0.05, tuning: 5_000, min_units: 100 },
    phases: [{ number: 1, openedAt: 0, coverage: 1_000_000, weights, targeting: "", carry: "" }],
    createdAt: 0,
    updatedAt: 0,
    recordVersion: 1,
    startedAt: 0,
    ...fields,
  };
}

/** Sums of these units, spread over shards at random. */
function shardsOf(record: ExperimentRecord, units: readonly Unit[], shards: number, random: Random) {
  const { metrics } = snapshotOf(record);
  const made = Array.from({ length: shards }, () => new Map<string, ReturnType<typeof emptyCell>>());
  for (const unit of units) {
    const cells = made[random.uint32() % shards]!;
    const key = `${unit.phase}.${unit.variant}`;
    const cell = cells.get(key) ?? emptyCell(unit.phase, unit.variant, metrics);
    countUnit(cell, unit, 1, metrics);
    cells.set(key, cell);
  }
  return made.map((cells) => ({ cells: [...cells.values()].map(storedCell), days: [] }));
}

function unitsOf(random: Random, counts: readonly number[], lift: number): Unit[] {
  return counts.flatMap((count, variant) =>
    Array.from({ length: count }, () => {
      const unit: Unit = { variant, phase: 1, exposedAt: 0, x: { 0: random.uint32() % 1_000 } };
      const value = (random.uint32() % 1_000) + (variant === 1 ? lift : 0);
      return withScore(unit, 0, BigInt(value));
    }),
  );
}

function look(record: ExperimentRecord, units: readonly Unit[]): Message & { metrics: readonly Metric[] } {
  const shards = shardsOf(record, units, 3, new Random("shards"));
  return resultsOf(record, shards, { now: 0 }) as Message & { metrics: readonly Metric[] };
}

interface Metric {
  readonly variants: readonly Message[];
}

test("the same units in any order, over 1 shard and over 32, have the same figures", (t) => {
  const random = new Random("same");
  const kinds = ["sum", "binary", "count", "mean"] as const;
  for (const kind of kinds) {
    const record = recordOf({ metrics: [metric({ kind, covariate: kind !== "mean" })] });
    const units = unitsOf(random, [400, 410], 50);
    const expected = resultsOf(record, shardsOf(record, units, 1, random), { now: 0 });
    for (let i = 0; i < 5; i++) {
      const shuffled = [...units].sort(() => random.float() - 0.5);
      t.deepEqual(resultsOf(record, shardsOf(record, shuffled, 32, random), { now: 0 }), expected);
    }
  }
});

test("a significant treatment is the winner; with a broken sample ratio nothing is concluded", (t) => {
  const random = new Random("winner");
  const good = look(recordOf(), unitsOf(random, [1_000, 1_000], 200));
  t.like(good, { winner: "new", trustworthy: true, peeked: false });
  t.like(good.metrics[0]!.variants, [{ status: "control" }, { status: "significant" }]);
  const broken = look(recordOf(), unitsOf(random, [4_000, 3_000], 200));
  t.false(broken.trustworthy);
  t.is(broken.winner, undefined);
  const [, treatment] = broken.metrics[0]!.variants;
  t.like(treatment, { status: "untrustworthy", difference: undefined, lift: undefined, n: 3_000 });
  t.regex((broken.problems as string[])[0]!, /sample ratio of phase 1 is off/);
});

test("498 and 202 units of two equal arms are no sample to trust, and name no winner", (t) => {
  const found = look(recordOf(), unitsOf(new Random("few"), [498, 202], 200));
  t.like(found, { trustworthy: false, winner: undefined });
  t.like(found.metrics[0]!.variants[1], { status: "untrustworthy", n: 202 });
});

test("an arm without a unit counts in the sample ratio", (t) => {
  const found = look(recordOf(), unitsOf(new Random("empty"), [3_000, 0], 0));
  t.like((found.sample_ratios as Message[])[0], { mismatch: true });
});

test("what is bad is not a winner, and fixed names none while the experiment runs", (t) => {
  const random = new Random("bad");
  const units = unitsOf(random, [1_000, 1_000], 200);
  const decrease = recordOf({ metrics: [metric({ direction: "decrease" })] });
  t.is(look(decrease, units).winner, undefined);
  const analysis = { method: "fixed" as const, alpha: 0.05, tuning: 5_000, min_units: 100 };
  t.like(look(recordOf({ analysis }), units), { peeked: true, winner: undefined });
  t.like(look(recordOf({ analysis, status: "completed", endedAt: 1 }), units), {
    peeked: false,
    winner: "new",
  });
});

test("too few units, or no variance: insufficient_data with the reason", (t) => {
  const random = new Random("few");
  const few = look(recordOf(), unitsOf(random, [1_000, 99], 0)).metrics[0]!.variants[1]!;
  t.like(few, { status: "insufficient_data", reason: "an arm has 99 units, less than 100" });
  const still = unitsOf(random, [200, 200], 0).map(({ variant, phase, exposedAt }) => ({
    variant,
    phase,
    exposedAt,
  }));
  t.like(look(recordOf(), still).metrics[0]!.variants[1]!, {
    status: "insufficient_data",
    mean: 0,
    variance: 0,
  });
});

test("guardrails: breached, safe and inconclusive, on either side and beside a control below 0", (t) => {
  const random = new Random("guard");
  const verdict = (fields: Partial<MetricRecord>, lift: number, sign = 1n) => {
    const guard = metric({ role: "guardrail", margin: 0.1, on_breach: "flag", ...fields });
    const record = recordOf({ metrics: [guard, metric({ key: "other" })] });
    const units = unitsOf(random, [1_000, 1_000], lift).map((unit) =>
      withScore({ variant: unit.variant, phase: 1, exposedAt: 0 }, 0, sign * BigInt(unit.y![0]!.sum)),
    );
    return (look(record, units).guardrails as Message[])[0]!.verdict;
  };
  t.is(verdict({ direction: "decrease" }, 300), "breached");
  t.is(verdict({ direction: "increase" }, 300), "safe");
  t.is(verdict({ direction: "increase" }, -300), "breached");
  t.is(verdict({ direction: "decrease" }, -300), "safe");
  t.is(verdict({ direction: "decrease" }, 50), "inconclusive");
  t.is(verdict({ direction: "decrease" }, 300, -1n), "safe");
  t.is(verdict({ direction: "increase" }, 300, -1n), "breached");
});

test("excluded phases do not count, and every phase has its own sample ratio", (t) => {
  const [first] = recordOf().phases;
  const phases = [first!, { ...first!, number: 2, carry: "exclude" as const, weights: [900_000, 100_000] }];
  const units = unitsOf(new Random("phases"), [900, 100], 0).map((unit) => ({ ...unit, phase: 2 }));
  const old = unitsOf(new Random("old"), [500, 500], 0);
  const found = look(recordOf({ phases }), [...units, ...old]);
  t.deepEqual(found.phases, [2]);
  t.deepEqual(
    (found.variants as Message[]).map((one) => one.units),
    [900, 100],
  );
  t.deepEqual(
    (found.sample_ratios as Message[]).map(({ mismatch }) => mismatch),
    [false, false],
  );
});
