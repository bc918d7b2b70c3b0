/** What two arms differ by, absolutely and relatively, with the variance of both (delta method for the quotient). */
import type { Sample } from "./samples.ts";
import { stdlib } from "./stdlib.ts";

export interface Estimate {
  readonly estimate: number;
  /** Of the estimate. */
  readonly variance: number;
}

export function differenceOf(treatment: Sample, control: Sample): Estimate {
  return {
    estimate: treatment.mean - control.mean,
    variance: treatment.variance / treatment.n + control.variance / control.n,
  };
}

/** m_t/m_c − 1; `undefined` where the control has no mean to compare with. */
export function liftOf(treatment: Sample, control: Sample): Estimate | undefined {
  if (control.mean === 0) return undefined;
  const { mean: m } = control;
  return {
    estimate: (treatment.mean - m) / m,
    variance:
      treatment.variance / (treatment.n * m ** 2) +
      (control.variance * treatment.mean ** 2) / (control.n * m ** 4),
  };
}

/** What a test says of an estimate. */
export interface Inference {
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
  readonly p: number;
}

/** Confidence sequence of a two-sided normal mixture (Howard, Ramdas, McAuliffe, Sekhon 2021; Waudby-Smith et al. 2024): valid at every look. */
export function sequential(
  { estimate, variance }: Estimate,
  n: number,
  { alpha, tuning }: { readonly alpha: number; readonly tuning: number },
): Inference {
  const rho2 = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tuning;
  const time = n * rho2;
  const half = Math.sqrt(((variance * 2 * (time + 1)) / time) * Math.log(Math.sqrt(time + 1) / alpha));
  const evidence = ((estimate * estimate) / variance) * (time / (2 * (time + 1)));
  const p = Math.min(1, Math.sqrt(time + 1) * Math.exp(-evidence));
  return { estimate, lower: estimate - half, upper: estimate + half, p };
}

export function degreesOfFreedom(a: Sample, b: Sample): number {
  const [va, vb] = [a.variance / a.n, b.variance / b.n];
  return (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
}

/** Welch's t-test (Welch 1947) with the degrees of freedom of Satterthwaite (1946)., valid once, at a moment that was fixed before. */
export function welch({ estimate, variance }: Estimate, df: number, alpha: number): Inference {
  const error = Math.sqrt(variance);
  const half = -stdlib.tQuantile(alpha / 2, df) * error;
  const p = Math.min(1, 2 * stdlib.tCdf(-Math.abs(estimate / error), df));
  return { estimate, lower: estimate - half, upper: estimate + half, p };
}
