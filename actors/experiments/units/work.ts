import { type FieldError, invalid, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context } from "#runtime";
import type { Snapshot } from "../snapshot.ts";
import { quantityOf, ratio } from "../stats/integers.ts";
import type { Proven } from "./assign.ts";
import { type Event, type StoredScore, scoreRows, unitRows } from "./state.ts";
import { type Integer, storedInteger, type Unit, withScore } from "./unit.ts";

export interface ExposureEntry {
  readonly key: string;
  readonly proven: Proven;
  /** By metric. */
  readonly covariates: Readonly<Record<string, number>>;
}

export interface ScoreEntry {
  readonly key: string;
  readonly scoreId: string;
  readonly metric: string;
  readonly value?: number;
  readonly occurredAt?: number;
  /** Where a receipt was given: it exposes the unit. */
  readonly proven?: Proven;
}

export type Outcome = "exposed" | "known" | "multiple";

/**
 * The work of one command on its units, entry by entry: each sees what those before it did. Units are put once, at the end,
 * as all entries leave them.
 */
export class UnitWork {
  readonly #snapshot: Snapshot;
  readonly #context: Context;
  readonly #units = new Map<string, { readonly before: Unit | null; after: Unit | null }>();
  readonly #scores = new Map<string, StoredScore>();
  readonly #scored: Event[] = [];
  readonly #recent: Recent;

  constructor(snapshot: Snapshot, recent: Recent, context: Context) {
    this.#snapshot = snapshot;
    this.#recent = recent;
    this.#context = context;
  }

  /** A unit that takes part is exposed; `covariates` are those of before. */
  expose(entry: ExposureEntry): Outcome | Refusal {
    return this.#refusalOf(entry.proven) ?? this.assign(entry);
  }

  /** As `expose`, for an assignment that was made just now. */
  assign({ key, proven, covariates }: ExposureEntry): Outcome | Refusal {
    const x = this.covariates(covariates);
    return "refused" in x ? x : this.#enrol(key, proven, x.quantities);
  }

  score(entry: ScoreEntry): Record<string, unknown> | Refusal {
    const { key, scoreId, proven, occurredAt } = entry;
    const read = this.#read(entry);
    if ("refused" in read) return read;
    const refusal = this.#refusalOf(proven);
    if (refusal) return refusal;
    if (proven) this.#enrol(key, proven, {});
    const unit = this.#at(key).after;
    if (unit === null)
      return refuse("FAILED_PRECONDITION", "the unit was not exposed: assign it, or send a receipt", {
        reason: "NOT_EXPOSED",
      });
    const known = this.#known(key, scoreId);
    if (known) {
      if (isSame(known, read, occurredAt)) return this.#message(scoreId, known, unit);
      return refuse("ALREADY_EXISTS", `there is a score ${scoreId} of this unit with another body`);
    }
    const score = this.#scoreOf(unit, read, occurredAt);
    if (score.eligible) this.#at(key).after = withScore(unit, score.metric, read.quantity);
    this.#scores.set(scoreKey(key, scoreId), score);
    this.#scored.push({ type: "scored", key, scoreId, score });
    return this.#message(scoreId, score, unit);
  }

  events(): Event[] {
    const puts: Event[] = [];
    for (const [key, { before, after }] of this.#units)
      if (after && after !== before) puts.push({ type: "put", key, before, after });
    return [...puts, ...this.#scored];
  }

  /** Puts a unit in, or marks it where it had another variant before: the first exposure stays. */
  #enrol(key: string, proven: Proven, x: Readonly<Record<number, Integer>>): Outcome {
    const at = this.#at(key);
    if (at.after === null) {
      const { variant, phase, exposedAt } = proven;
      at.after = { variant, phase, exposedAt, ...(Object.keys(x).length > 0 && { x }) };
      return "exposed";
    }
    if (at.after.variant === proven.variant) return "known";
    if (!at.after.multiple) at.after = { ...at.after, multiple: true };
    return "multiple";
  }

  /** As quantities, by the index of their metric. */
  covariates(
    given: Readonly<Record<string, number>>,
  ): { readonly quantities: Readonly<Record<number, Integer>> } | Refusal {
    const problems: FieldError[] = [];
    const quantities: Record<number, Integer> = {};
    for (const [key, value] of Object.entries(given)) {
      const field = `covariates[${JSON.stringify(key)}]`;
      const index = this.#snapshot.metrics.findIndex((metric) => metric.key === key && metric.covariate);
      if (index < 0) {
        problems.push({ field, reason: "there is no metric of this key with a covariate" });
        continue;
      }
      const quantity = fitting(value, this.#snapshot.metrics[index]!.scale);
      if (quantity === undefined) problems.push({ field, reason: `${value} is out of range` });
      else quantities[index] = storedInteger(quantity);
    }
    return problems.length > 0 ? invalid(...problems) : { quantities };
  }

  #at(key: string) {
    let at = this.#units.get(key);
    if (at === undefined) {
      const stored = unitAt(key, this.#recent, this.#context);
      at = { before: stored, after: stored };
      this.#units.set(key, at);
    }
    return at;
  }

  #known(key: string, scoreId: string): StoredScore | null {
    return this.#scores.get(scoreKey(key, scoreId)) ?? this.#context.get(scoreRows, [key, scoreId]);
  }

  /** Metric and quantity of a score, or what is wrong with it. */
  #read({ metric: key, value, occurredAt }: ScoreEntry): Read | Refusal {
    const metric = this.#snapshot.metrics.findIndex((one) => one.key === key);
    if (metric < 0) return invalid({ field: "metric", reason: `there is no metric ${key}` });
    const { kind, scale } = this.#snapshot.metrics[metric]!;
    if (value === undefined && (kind === "sum" || kind === "mean"))
      return invalid({ field: "value", reason: `is required: ${key} is a ${kind}` });
    const quantity = fitting(value ?? 1, scale);
    if (quantity === undefined) return invalid({ field: "value", reason: `${value} is out of range` });
    if (occurredAt !== undefined && occurredAt > this.#context.now + limits.experimentScoreAheadMs)
      return invalid({ field: "occurred_at", reason: "is in the future" });
    return { metric, quantity };
  }

  #scoreOf({ exposedAt }: Unit, { metric, quantity }: Read, given: number | undefined): StoredScore {
    const occurredAt = given ?? this.#context.now;
    const { windowMs = Number.POSITIVE_INFINITY } = this.#snapshot.metrics[metric]!;
    const eligible = occurredAt >= exposedAt && occurredAt - exposedAt <= windowMs;
    return { metric, quantity: storedInteger(quantity), occurredAt, dated: given !== undefined, eligible };
  }

  #message(scoreId: string, score: StoredScore, unit: Unit): Record<string, unknown> {
    const { key, scale } = this.#snapshot.metrics[score.metric]!;
    return {
      score_id: scoreId,
      metric: key,
      value: ratio(BigInt(score.quantity), 10n ** BigInt(scale)),
      occurred_at: toRfc3339(score.occurredAt),
      eligible: score.eligible,
      variant: this.#snapshot.variants[unit.variant]!.key,
      phase: unit.phase,
    };
  }

  /** Closed, or a receipt of a phase or a variant that this experiment has not had. */
  #refusalOf(proven: Proven | undefined): Refusal | undefined {
    const { closeAt, phase, variants } = this.#snapshot;
    if (closeAt !== undefined && this.#context.now >= closeAt)
      return refuse("FAILED_PRECONDITION", `scores were taken until ${toRfc3339(closeAt)}`, {
        reason: "SCORES_CLOSED",
      });
    if (!proven || (proven.phase <= phase && proven.variant < variants.length)) return undefined;
    return invalid({ field: "receipt", reason: "is not of this experiment" });
  }
}

/** Units that are in memory. */
type Recent = ReadonlyMap<string, Unit>;

export function unitAt(key: string, recent: Recent, context: Context): Unit | null {
  return recent.get(key) ?? context.get(unitRows, [key]);
}

/** Names what the entries are going to read. */
export function prefetch(
  entries: readonly (ExposureEntry | ScoreEntry)[],
  recent: Recent,
  context: Context,
): void {
  const refs = entries.flatMap((entry) => {
    const unit = recent.has(entry.key) ? [] : [{ collection: unitRows, key: [entry.key] }];
    return "scoreId" in entry ? [...unit, { collection: scoreRows, key: [entry.key, entry.scoreId] }] : unit;
  });
  context.prefetch(refs);
}

interface Read {
  /** Index. */
  readonly metric: number;
  readonly quantity: bigint;
}

/** `undefined`: as an integer it is not safe. */
function fitting(value: number, scale: number): bigint | undefined {
  if (!Number.isFinite(value)) return undefined;
  const quantity = quantityOf(value, scale);
  return Number.isSafeInteger(Number(quantity)) ? quantity : undefined;
}

function isSame(known: StoredScore, { metric, quantity }: Read, occurredAt: number | undefined): boolean {
  const dated = occurredAt !== undefined;
  return (
    known.metric === metric &&
    BigInt(known.quantity) === quantity &&
    known.dated === dated &&
    (!dated || known.occurredAt === occurredAt)
  );
}

function scoreKey(key: string, scoreId: string): string {
  return `${key} ${scoreId}`;
}
