export function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Of a sample: of n values, divided by n − 1. */
export function deviationOf(values: readonly number[], mean: number): number {
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/** Type 7 of Hyndman and Fan, as numpy and R have it unless they are told otherwise. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const least = sorted[below]!;
  return place === below ? least : least + (place - below) * (sorted[below + 1]! - least);
}
