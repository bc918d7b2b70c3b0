/** Confidence sequence of a two-sided normal mixture (Howard, Ramdas, McAuliffe, Sekhon 2021; Waudby-Smith et al. 2024): valid at every look. */
import type { Estimate } from "./effects.ts";
import type { Inference } from "./inference.ts";

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
