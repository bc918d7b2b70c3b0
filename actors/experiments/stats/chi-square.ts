/** Pearson's χ² test of goodness of fit (Pearson 1900); the upper tail is the regularised incomplete gamma function. */
import { stdlib } from "./stdlib.ts";

/** Shares add up to 1; an arm with none has no units. */
export function chiSquare(
  counts: readonly number[],
  shares: readonly number[],
): { readonly statistic: number; readonly p: number } {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return { statistic: 0, p: 1 };
  let statistic = 0;
  let arms = 0;
  for (const [index, share] of shares.entries()) {
    if (share === 0) continue;
    const expected = share * total;
    statistic += (counts[index]! - expected) ** 2 / expected;
    arms++;
  }
  if (arms < 2) return { statistic, p: 1 };
  return { statistic, p: stdlib.gammainc(statistic / 2, (arms - 1) / 2, true, true) };
}
