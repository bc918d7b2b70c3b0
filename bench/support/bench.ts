import type { Part } from "../../test/support/parts.ts";

/** What a bench file exports by default: one question and its contenders. */
export interface Bench {
  /** One sentence that ends with a question mark. */
  readonly question: string;
  /**
   * By name. Each runs alone in a fresh process and returns its stats, with the unit last: `appends_per_s`, `p99_ms`.
   */
  readonly contenders: Readonly<Record<string, () => Promise<Stats>>>;
  /** What it needs beside Node: looked for before anything is measured. */
  readonly needs?: readonly Part[];
  /** How often each contender runs; the order is reversed every time. Absent: 3. */
  readonly rounds?: number;
  /** Conditions on medians; a missed bar is reported and makes the run fail. */
  readonly bars?: readonly Bar[];
}

export type Stats = Readonly<Record<string, number>>;

export interface Bar {
  readonly figure: string;
  readonly contender: string;
  /** Absent: the figure itself is compared with the bounds. */
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
