import type { UnitMetric } from "../snapshot.ts";

/** An integer as it is stored: a number where it is safe, else its decimal digits. */
export type Integer = number | string;

/** What is stored of one unit: no id, only what was decided for it and what came of it. */
export interface Unit {
  readonly variant: number;
  readonly phase: number;
  readonly exposedAt: number;
  /** It was exposed to another variant as well. */
  readonly multiple?: true;
  /** By index of the metric: the covariate. */
  readonly x?: Readonly<Record<number, Integer>>;
  /** By index of the metric: scores that count. */
  readonly y?: Readonly<Record<number, Scored>>;
}

interface Scored {
  readonly count: number;
  /** Of them, those that are not 0. */
  readonly nonZero: number;
  readonly sum: Integer;
}

export function storedInteger(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

export function withScore(unit: Unit, metric: number, quantity: bigint): Unit {
  const before = unit.y?.[metric];
  const scored: Scored = {
    count: (before?.count ?? 0) + 1,
    nonZero: (before?.nonZero ?? 0) + (quantity === 0n ? 0 : 1),
    sum: storedInteger(BigInt(before?.sum ?? 0) + quantity),
  };
  return { ...unit, y: { ...unit.y, [metric]: scored } };
}

/**
 * What a unit adds to the sums of a metric. Mean: a, b, a², ab, b², where a is the sum of its scores and b their number. Others:
 * y, y², and with a covariate x, x², xy.
 */
export function termsOf(metric: UnitMetric, index: number, unit: Unit): readonly bigint[] {
  const scored = unit.y?.[index];
  if (metric.kind === "mean") {
    const a = BigInt(scored?.sum ?? 0);
    const b = BigInt(scored?.count ?? 0);
    return [a, b, a * a, a * b, b * b];
  }
  const y = scored === undefined ? 0n : quantityIn(metric, scored);
  if (!metric.covariate) return [y, y * y];
  const x = BigInt(unit.x?.[index] ?? 0);
  return [y, y * y, x, x * x, x * y];
}

export function termCount({ kind, covariate }: UnitMetric): number {
  return kind === "mean" || covariate ? 5 : 2;
}

/** As a quantity with the decimals of its metric, whatever its kind: y and x are of one unit. */
function quantityIn({ kind, cap, scale }: UnitMetric, { count, nonZero, sum }: Scored): bigint {
  const one = 10n ** BigInt(scale);
  switch (kind) {
    case "binary":
      return nonZero > 0 ? one : 0n;
    case "count":
      return BigInt(count) * one;
    case "sum":
    case "mean": {
      const total = BigInt(sum);
      return cap !== undefined && total > BigInt(cap) ? BigInt(cap) : total;
    }
  }
}
