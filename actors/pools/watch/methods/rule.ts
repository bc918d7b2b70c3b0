type Method = "zscore" | "iqr" | "rate_change" | "pattern";
export type Pattern = "same_side" | "trend" | "alternating" | "two_of_three" | "flatline";

/** What a method reads of its monitor. */
export interface Rule {
  readonly method: Method;
  readonly direction: "both" | "above" | "below";
  /** Of `zscore`: standard deviations. */
  readonly threshold: number;
  /** Of `iqr`: distances between the quartiles, beyond the nearer one. */
  readonly multiplier: number;
  /** Of `rate_change`: the share of the base that is gone. */
  readonly drop: number;
  /** A lower base says nothing. */
  readonly min_base: number;
  readonly patterns: readonly Pattern[];
}
