/** Sequential test of the sample ratio: multinomial against a Dirichlet mixture (Lindon, Malek 2022, as Optimizely's ssrm-test). */
import { limits } from "#base";
import { stdlib } from "./stdlib.ts";

/**
 * p = min(1, 1/BF), valid at every look. ln BF = lnΓ(A) − ΣlnΓ(α_j) + ΣlnΓ(α_j+n_j) − lnΓ(A+N) − Σn_j ln w_j. The gamma functions
 * of large numbers nearly cancel, so each is taken apart by Stirling's formula, whose large parts cancel exactly:
 * ln BF = Σ a_j ln(a_j/(T w_j)) − ½Σ ln(a_j/α_j) + ½ ln(T/A) + Σr(a_j) − r(T) − Σr(α_j) + r(A), a_j = α_j+n_j, T = A+N.
 * Widths are integers: how far counts are from what is expected is exact, and these distances add up to 0.
 */
export function sampleRatioP(
  counts: readonly number[],
  widths: readonly number[],
  concentration: number = limits.experimentRatioConcentration,
): number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const total = concentration + n;
  let logBayes = 0.5 * Math.log1p(n / concentration) - stirlingRest(total) + stirlingRest(concentration);
  for (const [index, width] of widths.entries()) {
    if (width === 0) continue;
    const count = counts[index]!;
    const prior = (concentration * width) / all;
    const after = prior + count;
    logBayes +=
      after * Math.log1p((count * all - n * width) / (total * width)) -
      0.5 * Math.log1p(count / prior) +
      stirlingRest(after) -
      stirlingRest(prior);
  }
  return Math.min(1, Math.exp(-logBayes));
}

/** r(z) = lnΓ(z) − (z − ½)ln z + z − ½ln 2π (Abramowitz, Stegun 6.1.41). */
function stirlingRest(z: number): number {
  if (z < 20) return stdlib.gammaln(z) - (z - 0.5) * Math.log(z) + z - 0.5 * Math.log(2 * Math.PI);
  const w = 1 / (z * z);
  return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / z;
}

/** Pearson's χ² test of goodness of fit (Pearson 1900); the upper tail is the regularised incomplete gamma function. Shares add up to 1; an arm with none has no units. */
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
