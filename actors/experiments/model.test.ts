import { createHash } from "node:crypto";
import test from "ava";
import { Random } from "#base";
import { experimentsBugs } from "../../test/sim/experiments/bugs.ts";
import { type Assignment, DrivenExperiments, type Message } from "../../test/support/experiments.ts";
import { addCell, type Cell, readCell } from "./units/sums.ts";

/**
 * Random histories against a naive list of units: it keeps every score that counts and adds all of them up anew at the end, with
 * integers of its own.
 */
const metrics = [
  { key: "paid", kind: "binary", role: "primary" },
  { key: "spent", kind: "sum", scale: 2, cap: 50, covariate: true },
  { key: "seen", kind: "count", window_seconds: 30 },
  { key: "rating", kind: "mean", scale: 1 },
];

interface NaiveUnit {
  readonly variant: number;
  readonly phase: number;
  readonly at: number;
  multiple: boolean;
  readonly x: bigint;
  readonly scores: { readonly metric: number; readonly q: bigint }[];
  readonly ids: Map<string, string>;
}

class Naive {
  units = new Map<string, NaiveUnit>();
  weights = [500_000, 300_000, 200_000];
  coverage = 600_000;
  phase = 1;
  first = 1;
  paused = false;

  /** By BigInt, from the definition. */
  variant(salt: string, unit: string): number {
    const digest = createHash("sha256").update(`${salt}\0${unit}`).digest();
    const slot = (BigInt(digest.readUInt32BE(0)) * 1_000_000n) / 2n ** 32n;
    let start = 0n;
    for (const [index, weight] of this.weights.entries()) {
      const width = (BigInt(weight) * BigInt(this.coverage)) / 1_000_000n;
      if (slot >= start && slot < start + width) return index;
      start += BigInt(weight);
    }
    return -1;
  }

  /** Sums by phase and variant, from the first unit to the last. */
  sums(): Record<string, unknown> {
    const cells: Record<string, { n: number; multiple: number; terms: bigint[][] }> = {};
    for (const { variant, phase, multiple, x, scores } of this.units.values()) {
      cells[`${phase}.${variant}`] ??= { n: 0, multiple: 0, terms: [[0n, 0n], zeros(), [0n, 0n], zeros()] };
      const cell = cells[`${phase}.${variant}`]!;
      cell.n++;
      if (multiple) cell.multiple++;
      const of = (metric: number) => scores.filter((score) => score.metric === metric).map(({ q }) => q);
      const add = (metric: number, terms: readonly bigint[]) => {
        for (const [i, term] of terms.entries()) cell.terms[metric]![i]! += term;
      };
      const paid = of(0).some((q) => q !== 0n) ? 1_000_000n : 0n;
      add(0, [paid, paid * paid]);
      const total = of(1).reduce((sum, q) => sum + q, 0n);
      const spent = total > 5_000n ? 5_000n : total;
      add(1, [spent, spent * spent, x, x * x, x * spent]);
      const seen = BigInt(of(2).length) * 1_000_000n;
      add(2, [seen, seen * seen]);
      const [a, b] = [of(3).reduce((sum, q) => sum + q, 0n), BigInt(of(3).length)];
      add(3, [a, b, a * a, a * b, b * b]);
    }
    return cells;
  }
}

const zeros = () => [0n, 0n, 0n, 0n, 0n];
const keys = ["a", "b", "c"];
const scales = [6, 2, 6, 1];

/** One history. `Run` keeps module and model in step. */
class Run {
  readonly module: DrivenExperiments;
  readonly naive = new Naive();
  /** Answers that were not the model's. */
  readonly unlike: string[] = [];
  readonly #random: Random;
  readonly #receipts: { receipt: string; unit: string; variant: number; phase: number; at: number }[] = [];
  id = "";

  constructor(seed: string, module = new DrivenExperiments()) {
    this.module = module;
    this.#random = new Random(seed);
  }

  #is(found: unknown, expected: unknown, what: string): void {
    if (found !== expected) this.unlike.push(`${what}: ${found}, not ${expected}`);
  }

  async start(): Promise<void> {
    const variants = keys.map((key, index) => ({ key, weight: this.naive.weights[index]! / 1_000_000 }));
    this.id = await this.module.started({ variants, metrics, coverage: this.naive.coverage / 1_000_000 });
  }

  async step(): Promise<void> {
    this.module.driver.now += this.#upTo(20_000);
    const dice = this.#upTo(100);
    if (dice < 40) await this.assign();
    else if (dice < 50) await this.expose();
    else if (dice < 80) await this.score();
    else if (dice < 85) await this.patch();
    else if (dice < 90) await this.pauseOrStart();
    else if (dice < 95) await this.remove();
    else this.module.driver.restart();
  }

  async assign(): Promise<void> {
    const unit = `u${this.#upTo(60)}`;
    const expose = this.#upTo(3) > 0;
    const x = this.#upTo(10_000);
    const given = { expose, covariates: { spent: x / 100 } };
    const found = await this.module.assign(this.id, unit, given);
    const known = this.naive.units.get(unit);
    const variant = this.naive.variant(this.id, unit);
    this.#is(found.reason, this.#expected(known, variant), `assign ${unit}`);
    if (!found.in_experiment) return;
    const at = known?.at ?? this.module.driver.now;
    const phase = known?.phase ?? this.naive.phase;
    this.#is(found.variant, keys[known?.variant ?? variant]!, `variant of ${unit}`);
    this.#keep(found, unit, { variant: known?.variant ?? variant, phase, at });
    if (!known && expose) this.naive.units.set(unit, newUnit({ variant, phase, at, x: BigInt(x) }));
  }

  #expected(known: NaiveUnit | undefined, variant: number): string {
    if (known) return known.phase < this.naive.first ? "previous_phase" : "sticky";
    if (this.naive.paused) return "paused";
    return variant < 0 ? "not_covered" : "assigned";
  }

  #keep({ receipt }: Assignment, unit: string, of: { variant: number; phase: number; at: number }): void {
    this.#receipts.push({ receipt: receipt!, unit, ...of });
  }

  async expose(): Promise<void> {
    const chosen = Array.from(
      { length: 1 + this.#upTo(4) },
      () => this.#receipts[this.#upTo(this.#receipts.length)],
    );
    const sent = chosen.filter((one) => one !== undefined);
    if (sent.length === 0) return;
    const exposures = sent.map(({ receipt }) => ({ receipt }));
    const { results } = await this.module.call<{ results: Message[] }>("RecordExposures", {
      experiment_id: this.id,
      exposures,
    });
    for (const [i, one] of sent.entries())
      this.#is(results[i]!.outcome, this.#enrol(one), `expose ${one.unit}`);
  }

  #enrol({ unit, variant, phase, at }: { unit: string; variant: number; phase: number; at: number }): string {
    const known = this.naive.units.get(unit);
    if (!known) {
      this.naive.units.set(unit, newUnit({ variant, phase, at, x: 0n }));
      return "exposed";
    }
    if (known.variant === variant) return "known";
    known.multiple = true;
    return "multiple";
  }

  async score(): Promise<void> {
    const metric = this.#upTo(4);
    const q = this.#upTo(7) === 0 ? 0 : this.#upTo(4_000) - 500;
    const value = q / 10 ** scales[metric]!;
    const receipt = this.#upTo(3) === 0 ? this.#receipts[this.#upTo(this.#receipts.length)] : undefined;
    const unit = receipt?.unit ?? `u${this.#upTo(60)}`;
    const score_id = `s${this.#upTo(30)}`;
    const occurred = this.module.driver.now - this.#upTo(60_000);
    const body = { metric: metrics[metric]!.key, value, occurred_at: new Date(occurred).toISOString() };
    const of = receipt ? { receipt: receipt.receipt } : { unit_id: unit };
    const refused = await this.module.refusal("RecordScore", {
      experiment_id: this.id,
      score_id,
      ...of,
      ...body,
    });
    if (receipt) this.#enrol(receipt);
    const known = this.naive.units.get(unit);
    const text = JSON.stringify(body);
    const before = known?.ids.get(score_id);
    if (!known) this.#is(refused, "FAILED_PRECONDITION NOT_EXPOSED", `score of ${unit}`);
    else if (before !== undefined)
      this.#is(refused, before === text ? undefined : "ALREADY_EXISTS", `score of ${unit}`);
    else {
      this.#is(refused, undefined, `score of ${unit}`);
      known.ids.set(score_id, text);
      const inWindow = metric !== 2 || occurred - known.at <= 30_000;
      if (occurred >= known.at && inWindow) known.scores.push({ metric, q: BigInt(q) });
    }
  }

  async patch(): Promise<void> {
    const { naive } = this;
    const carry = this.#upTo(3) === 0 ? "exclude" : "keep";
    const weights = (
      [
        [500_000, 300_000, 200_000],
        [0, 500_000, 500_000],
        [800_000, 100_000, 100_000],
      ] as const
    )[this.#upTo(3)]!;
    const coverage = [300_000, 600_000, 1_000_000][this.#upTo(3)]!;
    const opens =
      coverage < naive.coverage || weights.some((weight, index) => weight !== naive.weights[index]);
    await this.module.call("UpdateExperiment", {
      experiment_id: this.id,
      variants: keys.map((key, index) => ({ key, weight: weights[index]! / 1_000_000 })),
      coverage: coverage / 1_000_000,
      ...(opens && { carry }),
    });
    naive.weights = [...weights];
    naive.coverage = coverage;
    if (!opens) return;
    naive.phase++;
    if (carry === "exclude") naive.first = naive.phase;
  }

  async pauseOrStart(): Promise<void> {
    await this.module.call(this.naive.paused ? "StartExperiment" : "PauseExperiment", {
      experiment_id: this.id,
    });
    this.naive.paused = !this.naive.paused;
  }

  async remove(): Promise<void> {
    const unit = `u${this.#upTo(60)}`;
    const refused = await this.module.refusal("DeleteUnit", { experiment_id: this.id, unit_id: unit });
    this.#is(refused, this.naive.units.delete(unit) ? undefined : "NOT_FOUND", `delete ${unit}`);
  }

  /** Sums of all shards together, without cells that have been emptied. */
  sums(): Record<string, unknown> {
    const cells = new Map<string, Cell>();
    for (const stored of this.module.sums(this.id).flatMap((shard) => shard.cells)) {
      const cell = readCell(stored);
      const into = cells.get(`${cell.phase}.${cell.variant}`);
      if (into) addCell(into, cell);
      else cells.set(`${cell.phase}.${cell.variant}`, cell);
    }
    const left = [...cells].filter(([, { n }]) => n > 0);
    return Object.fromEntries(left.map(([key, { n, multiple, terms }]) => [key, { n, multiple, terms }]));
  }

  /** Units by phase, variant and day, of all shards together and of the model. */
  days(): [Record<string, number>, Record<string, number>] {
    const told: Record<string, number> = {};
    for (const { phase, variant, day, units } of this.module.sums(this.id).flatMap((shard) => shard.days))
      told[`${phase}.${variant}.${day}`] = (told[`${phase}.${variant}.${day}`] ?? 0) + units;
    const counted: Record<string, number> = {};
    for (const { phase, variant, at } of this.naive.units.values()) {
      const day = `${phase}.${variant}.${Math.floor(at / 86_400_000)}`;
      counted[day] = (counted[day] ?? 0) + 1;
    }
    return [told, counted];
  }

  /** What `GetUnit` says of every unit. */
  async checkUnits(): Promise<void> {
    for (const [unit, { variant, phase, at, multiple }] of this.naive.units) {
      const found = await this.module.call("GetUnit", { experiment_id: this.id, unit_id: unit });
      const told = [found.variant, found.phase, Date.parse(found.exposed_at as string), found.multiple];
      this.#is(String(told), String([keys[variant], phase, at, multiple]), `unit ${unit}`);
    }
  }

  #upTo(most: number): number {
    return most === 0 ? 0 : this.#random.uint32() % most;
  }
}

function newUnit(of: Pick<NaiveUnit, "variant" | "phase" | "at" | "x">): NaiveUnit {
  return { ...of, multiple: false, scores: [], ids: new Map() };
}

const steps = 600;

for (let seed = 0; seed < 8; seed++)
  test(`history ${seed}: every answer is the model's, and the sums are equal bit for bit`, async (t) => {
    const run = new Run(`experiments ${seed}`);
    await run.start();
    for (let step = 0; step < steps; step++) await run.step();
    await run.checkUnits();
    t.deepEqual(run.unlike, []);
    t.deepEqual(run.sums(), run.naive.sums());
    t.deepEqual(...run.days());
    run.module.driver.restart();
    t.deepEqual(...run.days());
    t.deepEqual(run.sums(), run.naive.sums());
    for (const shard of run.module.shards(run.id)) t.deepEqual(run.module.driver.unlikeReplay(shard), []);
  });

/** The driver delivers messages at once: it shows the bugs of units, not of delivery. */
for (const { name, breakActor } of experimentsBugs.slice(1))
  test(`caught by the model when planted: ${name}`, async (t) => {
    const run = new Run("planted", new DrivenExperiments(breakActor));
    await run.start();
    for (let step = 0; step < steps; step++) await run.step();
    await run.checkUnits();
    t.notDeepEqual([run.unlike, run.sums()], [[], run.naive.sums()]);
  });
