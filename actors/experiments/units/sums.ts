import type { UnitMetric } from "../snapshot.ts";
import { type Integer, storedInteger, termCount, termsOf, type Unit } from "./unit.ts";

/** The exact sums of one phase and variant: integers, so that neither order nor sharding of units shows in them. */
export interface Cell {
  readonly phase: number;
  readonly variant: number;
  n: number;
  multiple: number;
  /** By metric: what its units add, see `termsOf`. */
  readonly terms: bigint[][];
}

/** A cell as it is stored and told. */
export interface StoredCell {
  readonly phase: number;
  readonly variant: number;
  readonly n: number;
  readonly multiple: number;
  readonly terms: readonly (readonly Integer[])[];
}

export function emptyCell(phase: number, variant: number, metrics: readonly UnitMetric[]): Cell {
  const terms = metrics.map((metric) => new Array<bigint>(termCount(metric)).fill(0n));
  return { phase, variant, n: 0, multiple: 0, terms };
}

export function storedCell({ phase, variant, n, multiple, terms }: Cell): StoredCell {
  return { phase, variant, n, multiple, terms: terms.map((sums) => sums.map(storedInteger)) };
}

export function readCell({ phase, variant, n, multiple, terms }: StoredCell): Cell {
  return { phase, variant, n, multiple, terms: terms.map((sums) => sums.map((term) => BigInt(term))) };
}

/** Takes a unit in (1) or out (-1). */
export function countUnit(cell: Cell, unit: Unit, sign: 1 | -1, metrics: readonly UnitMetric[]): void {
  cell.n += sign;
  if (unit.multiple) cell.multiple += sign;
  for (const [index, metric] of metrics.entries()) {
    // A unit without a score or a covariate adds nothing.
    if (unit.y?.[index] === undefined && unit.x?.[index] === undefined) continue;
    const sums = cell.terms[index]!;
    for (const [i, term] of termsOf(metric, index, unit).entries())
      sums[i] = sign === 1 ? sums[i]! + term : sums[i]! - term;
  }
}

export function addCell(into: Cell, { n, multiple, terms }: Cell): void {
  into.n += n;
  into.multiple += multiple;
  for (const [index, sums] of terms.entries()) {
    const totals = into.terms[index]!;
    for (const [i, term] of sums.entries()) totals[i] = totals[i]! + term;
  }
}
