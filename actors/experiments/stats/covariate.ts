/** Two arms with the part taken out that a covariate explains (CUPED: Deng, Xu, Kohavi, Walker 2013). */
import { momentsOf, type Sample } from "./moments.ts";
import { ratio } from "./ratio.ts";

export interface CovariateSums {
  readonly n: bigint;
  readonly y: bigint;
  readonly yy: bigint;
  readonly x: bigint;
  readonly xx: bigint;
  readonly xy: bigint;
}

/** m − θ(x̄ − x̄ of both), s² + θ²s_x² − 2θs_xy; θ = cov/var of both arms together. Without variance in x: as they are. */
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
