/** What a bench file exports by default: one question and who answers it. */
export interface Bench {
  /** One sentence that ends with a question mark. */
  readonly question: string;
  /** By name; each runs alone in a fresh process and returns its figures, units last: `appends_per_s`, `p99_ms`. */
  readonly contenders: Readonly<Record<string, () => Promise<Figures>>>;
  /** How often each contender runs; the order turns round every time. Absent: 3. */
  readonly rounds?: number;
  /** What must hold of medians; a missed bar is reported and makes the run fail. */
  readonly bars?: readonly Bar[];
}

export type Figures = Readonly<Record<string, number>>;

export interface Bar {
  readonly figure: string;
  readonly contender: string;
  /** Absent: the figure itself is held against the bounds. */
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
