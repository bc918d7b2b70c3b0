/** So many of so many. */
export interface Sample {
  readonly count: number;
  readonly samples: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Wilson's score interval of a rate. */
export function wilson({ count, samples }: Sample, z: number): Interval {
  const rate = count / samples;
  const square = z * z;
  const denominator = 1 + square / samples;
  const centre = (rate + square / (2 * samples)) / denominator;
  const half =
    (z / denominator) * Math.sqrt((rate * (1 - rate)) / samples + square / (4 * samples * samples));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Newcombe's hybrid score interval of the difference of two independent rates, a − b (his method 10). */
export function newcombe(a: Sample, b: Sample, z: number): Interval {
  const first = a.count / a.samples;
  const second = b.count / b.samples;
  const ofA = wilson(a, z);
  const ofB = wilson(b, z);
  const difference = first - second;
  return {
    low: difference - Math.hypot(first - ofA.low, ofB.high - second),
    high: difference + Math.hypot(ofA.high - first, second - ofB.low),
  };
}
