/** What two arms differ by, absolutely and relatively, with the variance of both (delta method for the quotient). */
import type { Sample } from "./moments.ts";

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
