/** Mean and variance of a sample from its exact sums (Chan, Golub, LeVeque 1983): m = Σy/n, s² = (Σy² − (Σy)²/n)/(n−1). */
import { ratio } from "./ratio.ts";

/** What is known of one arm, in the units of its metric. */
export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** Of one unit. */
  readonly variance: number;
}

export function momentsOf(n: bigint, sum: bigint, squares: bigint, scale: number): Sample {
  return {
    n: Number(n),
    mean: ratio(sum, n * 10n ** BigInt(scale)),
    variance: ratio(n * squares - sum * sum, n * (n - 1n) * 10n ** BigInt(2 * scale)),
  };
}
