/** Welch's t-test (Welch 1947) with the degrees of freedom of Satterthwaite (1946). */
import type { Estimate } from "./effects.ts";
import type { Inference } from "./inference.ts";
import type { Sample } from "./moments.ts";
import { stdlib } from "./stdlib.ts";

export function degreesOfFreedom(a: Sample, b: Sample): number {
  const [va, vb] = [a.variance / a.n, b.variance / b.n];
  return (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
}

/** Valid once, at a moment that was fixed before. */
export function welch({ estimate, variance }: Estimate, df: number, alpha: number): Inference {
  const error = Math.sqrt(variance);
  const half = -stdlib.tQuantile(alpha / 2, df) * error;
  const p = Math.min(1, 2 * stdlib.tCdf(-Math.abs(estimate / error), df));
  return { estimate, lower: estimate - half, upper: estimate + half, p };
}
