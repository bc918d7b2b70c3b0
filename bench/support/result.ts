import type { Bar, Stats } from "./bench.ts";

/** One file in bench/results: the only form in which stats are stored. */
export interface BenchResult {
  readonly schema: 1;
  readonly name: string;
  readonly question: string;
  readonly at: string;
  readonly commit: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memory_gib: number;
    readonly node: string;
  };
  readonly rounds: number;
  readonly contenders: Readonly<Record<string, Readonly<Record<string, Measured>>>>;
  readonly bars: readonly BarResult[];
}

interface Measured {
  readonly median: number;
  /** Raw values, in the order of the rounds. */
  readonly values: readonly number[];
}

export interface BarResult extends Bar {
  readonly value: number;
  readonly held: boolean;
}

export function measured(runs: Readonly<Record<string, readonly Stats[]>>): BenchResult["contenders"] {
  return Object.fromEntries(Object.entries(runs).map(([contender, stats]) => [contender, byFigure(stats)]));
}

/**
 * Against another contender: the median of the ratios of all rounds, because the machine's speed changes from one round
 * to the next.
 */
export function judged(bars: readonly Bar[], contenders: BenchResult["contenders"]): BarResult[] {
  return bars.map((bar) => {
    const own = figureOf(contenders, bar.contender, bar.figure);
    const other = bar.against === undefined ? undefined : figureOf(contenders, bar.against, bar.figure);
    const value = other ? median(own.values.map((each, round) => each / other.values[round]!)) : own.median;
    const held = value >= (bar.atLeast ?? -Infinity) && value <= (bar.atMost ?? Infinity);
    return { ...bar, value, held };
  });
}

function byFigure(runs: readonly Stats[]): Record<string, Measured> {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))];
  return Object.fromEntries(
    names.map((name) => {
      const values = runs.map((run) => run[name]).filter((value) => value !== undefined);
      return [name, { median: median(values), values }];
    }),
  );
}

function figureOf(contenders: BenchResult["contenders"], contender: string, figure: string): Measured {
  const found = contenders[contender]?.[figure];
  if (!found) throw new Error(`a bar names ${contender}.${figure}, which was not measured`);
  return found;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
