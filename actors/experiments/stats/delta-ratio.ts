/** Mean of a quotient of sums with its variance by the delta method (Deng, Knoblich, Lu 2018): m = Σa/Σb. */
import type { Sample } from "./moments.ts";
import { ratio } from "./ratio.ts";

export interface RatioSums {
  readonly n: bigint;
  readonly a: bigint;
  readonly b: bigint;
  readonly aa: bigint;
  readonly ab: bigint;
  readonly bb: bigint;
}

/** s² = (Σa² − 2mΣab + m²Σb²)/(n−1)/(Σb/n)², with m = Σa/Σb put in, so that it is one quotient. `a` has `scale` decimals. */
export function ratioMomentsOf({ n, a, b, aa, ab, bb }: RatioSums, scale: number): Sample {
  const spread = aa * b * b - 2n * a * b * ab + a * a * bb;
  return {
    n: Number(n),
    mean: ratio(a, b * 10n ** BigInt(scale)),
    variance: ratio(spread * n * n, (n - 1n) * b ** 4n * 10n ** BigInt(2 * scale)),
  };
}
