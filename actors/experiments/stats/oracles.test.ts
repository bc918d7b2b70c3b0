import { readFileSync } from "node:fs";
import tCdf from "@stdlib/stats-base-dists-t-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";
import test, { type ExecutionContext } from "ava";
import { degreesOfFreedom, differenceOf, liftOf, sequential, welch } from "./inference.ts";
import { quantityOf } from "./integers.ts";
import { chiSquare, sampleRatioP } from "./sample-ratio.ts";
import { adjusted, type CovariateSums, momentsOf, ratioMomentsOf } from "./samples.ts";

/** Made by `npm run oracles` with scipy, statsmodels, ssrm-test, confseq and mpmath. */
const samples = JSON.parse(
  readFileSync(new URL("../../../test/oracles/samples.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly [never, never]>> & Samples;

interface Samples {
  readonly welch: readonly (readonly [number[], number[]])[];
  readonly student: readonly (readonly [number[], number[]])[];
  readonly chi_square: readonly (readonly [[number[], number[]], number[]])[];
  readonly delta: readonly (readonly [number[], number[]])[];
  readonly covariate: readonly (readonly [[number[], number[]], number[]])[];
  readonly ssrm: readonly (readonly [[number[], number[]], number])[];
  readonly ratio_large: readonly (readonly [[number[], number[]], number])[];
  readonly sequential: readonly (readonly [number[], number[]])[];
}

/** Of test/oracles/sample_ratio.py. */
const vectors = JSON.parse(
  readFileSync(new URL("../../../test/vectors/sample-ratio.json", import.meta.url), "utf8"),
) as { readonly exact: readonly (readonly [[number[], number[]], number])[] };

/** The worst relative error of all samples, and where it was. */
class Worst {
  error = 0;
  at = "";
  see(ours: number, theirs: number, at: unknown): void {
    const error = ours === theirs ? 0 : Math.abs(ours - theirs) / Math.abs(theirs);
    if (error <= this.error) return;
    this.error = error;
    this.at = `${JSON.stringify(at)}: ${ours}, not ${theirs}`;
  }
  check(t: ExecutionContext, most: number): void {
    t.log(`worst relative error ${this.error.toExponential(2)}`);
    t.true(this.error <= most, this.at);
  }
}

const most = 1e-9;

test("Welch's p, degrees of freedom and interval are those of scipy", (t) => {
  const worst = new Worst();
  for (const [given, [p, df, half]] of samples.welch) {
    const [n1, t1, q1, n2, t2, q2, alpha] = given as [number, number, number, number, number, number, number];
    const a = momentsOf(BigInt(n1), BigInt(t1), BigInt(q1), 0);
    const b = momentsOf(BigInt(n2), BigInt(t2), BigInt(q2), 0);
    const difference = differenceOf(a, b);
    const ours = degreesOfFreedom(a, b);
    const found = welch(difference, ours, alpha);
    worst.see(found.p, p!, given);
    worst.see(ours, df!, given);
    worst.see((found.upper - found.lower) / 2, half!, given);
  }
  worst.check(t, most);
});

test("tails and quantiles of Student's t are those of scipy", (t) => {
  const worst = new Worst();
  for (const [given, [tail, quantile]] of samples.student) {
    const [x, df, p] = given as [number, number, number];
    worst.see(tCdf(-x, df), tail!, given);
    worst.see(-tQuantile(p, df), quantile!, given);
  }
  worst.check(t, most);
});

test("χ² is that of scipy", (t) => {
  const worst = new Worst();
  for (const [[counts, shares], [statistic, p]] of samples.chi_square) {
    const found = chiSquare(counts, shares);
    worst.see(found.statistic, statistic!, [counts, shares]);
    worst.see(found.p, p!, [counts, shares]);
  }
  worst.check(t, most);
});

test("the delta method is that of statsmodels", (t) => {
  const worst = new Worst();
  for (const [given, [mean, variance]] of samples.delta) {
    const [n, a, b, aa, ab, bb] = given.map(BigInt) as [bigint, bigint, bigint, bigint, bigint, bigint];
    const found = ratioMomentsOf({ n, a, b, aa, ab, bb }, 0);
    worst.see(found.mean, mean!, given);
    worst.see(found.variance, variance!, given);
  }
  worst.check(t, most);
});

test("what a covariate takes out is what a regression of statsmodels takes out", (t) => {
  const sumsOf = (given: number[]): CovariateSums => {
    const [n, y, yy, x, xx, xy] = given.map(BigInt) as [bigint, bigint, bigint, bigint, bigint, bigint];
    return { n, y, yy, x, xx, xy };
  };
  const worst = new Worst();
  for (const [[one, two], expected] of samples.covariate) {
    const { treatment, control } = adjusted(sumsOf(one), sumsOf(two), 0);
    const found = [treatment.mean, treatment.variance, control.mean, control.variance];
    for (const [i, value] of found.entries()) worst.see(value, expected[i]!, [one, two]);
  }
  worst.check(t, most);
});

test("the sequential test of the sample ratio is Optimizely's", (t) => {
  const worst = new Worst();
  for (const [[counts, shares], p] of samples.ssrm)
    worst.see(sampleRatioP(counts, inHundredths(shares), 10_000), p, [counts, shares]);
  worst.check(t, most);
});

test("the sample ratio of up to 10^8 units is what 50 digits say", (t) => {
  const worst = new Worst();
  for (const [[counts, shares], p] of samples.ratio_large)
    worst.see(sampleRatioP(counts, inHundredths(shares), 10_000), p, [counts, shares]);
  worst.check(t, most);
});

test("with the concentration of the service, the sample ratio is the one of exact fractions", (t) => {
  const worst = new Worst();
  for (const [[counts, widths], p] of vectors.exact)
    worst.see(sampleRatioP(counts, widths), p, [counts, widths]);
  worst.check(t, most);
});

function inHundredths(shares: readonly number[]): number[] {
  return shares.map((share) => Math.round(share * 100));
}

test("sequential interval and p are those of confseq", (t) => {
  const worst = new Worst();
  for (const [given, [half, p]] of samples.sequential) {
    const [n, alpha, tuning, variance, estimate] = given as [number, number, number, number, number];
    const found = sequential({ estimate, variance }, n, { alpha, tuning });
    worst.see((found.upper - found.lower) / 2, half!, given);
    worst.see(found.p, p!, given);
  }
  worst.check(t, most);
});

test("figures that were published: GrowthBook's tests of its statistics", (t) => {
  const sum = (value: number) => quantityOf(value, 4);
  const a = momentsOf(3407n, sum(1396.87), sum(52377.9767) * 10_000n, 4);
  const b = momentsOf(3461n, sum(2422.7), sum(134698.29) * 10_000n, 4);
  const df = degreesOfFreedom(a, b);
  const rounded = (found: object) =>
    Object.values(found).map((value) => Number((value as number).toFixed(5)));
  t.deepEqual(rounded(welch(differenceOf(b, a), df, 0.05)), [0.29, 0.04538, 0.53462, 0.02016]);
  t.deepEqual(rounded(welch(liftOf(b, a)!, df, 0.05)), [0.70732, -0.03526, 1.44989, 0.06191]);
  const looked = sequential(differenceOf(b, a), 6868, { alpha: 0.05, tuning: 5000 });
  t.is(((looked.upper - looked.lower) / 2).toFixed(5), "0.37941");
  t.is(looked.p.toFixed(5), "0.29074");
  // Of proportions GrowthBook takes m(1 − m) for the variance, without the (n − 1) that ours has.
  const share = (n: number, sum: number) => ({ n, mean: sum / n, variance: (sum / n) * (1 - sum / n) });
  const [c, d] = [share(28, 14), share(30, 16)];
  t.is(welch(liftOf(d, c)!, degreesOfFreedom(c, d), 0.05).p.toFixed(5), "0.80707");
});

test("values of 10^9 ± 1 keep their variance", (t) => {
  const values = [10n ** 9n - 1n, 10n ** 9n, 10n ** 9n + 1n].map((value) => value * 10n ** 6n);
  const sum = values.reduce((total, value) => total + value, 0n);
  const squares = values.reduce((total, value) => total + value * value, 0n);
  t.deepEqual(momentsOf(3n, sum, squares, 6), { n: 3, mean: 1e9, variance: 1 });
});
