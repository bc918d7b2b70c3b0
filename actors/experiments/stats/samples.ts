/** What is known of an arm, from exact sums of integers. */
import { ratio } from "./integers.ts";

/** What is known of one arm, in the units of its metric. */
export interface Sample {
  readonly n: number;
  readonly mean: number;
  /** Of one unit. */
  readonly variance: number;
}

/** Mean and variance of a sample from its exact sums (Chan, Golub, LeVeque 1983): m = Σy/n, s² = (Σy² − (Σy)²/n)/(n−1). */
export function momentsOf(n: bigint, sum: bigint, squares: bigint, scale: number): Sample {
  return {
    n: Number(n),
    mean: ratio(sum, n * 10n ** BigInt(scale)),
    variance: ratio(n * squares - sum * sum, n * (n - 1n) * 10n ** BigInt(2 * scale)),
  };
}

export interface RatioSums {
  readonly n: bigint;
  readonly a: bigint;
  readonly b: bigint;
  readonly aa: bigint;
  readonly ab: bigint;
  readonly bb: bigint;
}

/** Mean of a quotient of sums with its variance by the delta method (Deng, Knoblich, Lu 2018): m = Σa/Σb.. s² = (Σa² − 2mΣab + m²Σb²)/(n−1)/(Σb/n)², with m = Σa/Σb put in, so that it is one quotient. `a` has `scale` decimals. */
export function ratioMomentsOf({ n, a, b, aa, ab, bb }: RatioSums, scale: number): Sample {
  const spread = aa * b * b - 2n * a * b * ab + a * a * bb;
  return {
    n: Number(n),
    mean: ratio(a, b * 10n ** BigInt(scale)),
    variance: ratio(spread * n * n, (n - 1n) * b ** 4n * 10n ** BigInt(2 * scale)),
  };
}

export interface CovariateSums {
  readonly n: bigint;
  readonly y: bigint;
  readonly yy: bigint;
  readonly x: bigint;
  readonly xx: bigint;
  readonly xy: bigint;
}

/** Two arms with the part taken out that a covariate explains (CUPED: Deng, Xu, Kohavi, Walker 2013): m − θ(x̄ − x̄ of both), s² + θ²s_x² − 2θs_xy; θ = cov/var of both arms together. Without variance in x: as they are. */
export function adjusted(
  treatment: CovariateSums,
  control: CovariateSums,
  scale: number,
): { readonly treatment: Sample; readonly control: Sample } {
  const both = sumOf(treatment, control);
  const theta = ratio(both.n * both.xy - both.x * both.y, both.n * both.xx - both.x * both.x);
  const of = (arm: CovariateSums): Sample => {
    const plain = momentsOf(arm.n, arm.y, arm.yy, scale);
    if (!Number.isFinite(theta)) return plain;
    const unit = 10n ** BigInt(scale);
    const away = ratio(arm.x * both.n - both.x * arm.n, arm.n * both.n * unit);
    const square = arm.n * (arm.n - 1n) * unit * unit;
    const xVariance = ratio(arm.n * arm.xx - arm.x * arm.x, square);
    const covariance = ratio(arm.n * arm.xy - arm.x * arm.y, square);
    return {
      n: plain.n,
      mean: plain.mean - theta * away,
      variance: plain.variance + theta * theta * xVariance - 2 * theta * covariance,
    };
  };
  return { treatment: of(treatment), control: of(control) };
}

function sumOf(a: CovariateSums, b: CovariateSums): CovariateSums {
  return {
    n: a.n + b.n,
    y: a.y + b.y,
    yy: a.yy + b.yy,
    x: a.x + b.x,
    xx: a.xx + b.xx,
    xy: a.xy + b.xy,
  };
}
