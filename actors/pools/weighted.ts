import type { Random } from "#base";
import type { Candidate } from "./router.ts";

/**
 * An index with probability proportional to its weight. `sums` only saves the walk: weights are integers, so both ways
 * find the same index. `without` takes one candidate out.
 */
export function drawWeighted(
  candidates: readonly Candidate[],
  random: Random,
  sums?: Float64Array,
  without = -1,
): number {
  if (sums) {
    const left = without < 0 ? 0 : candidates[without]!.weight;
    const value = Math.floor(random.float() * (sums[sums.length - 1]! - left));
    return search(sums, without >= 0 && value >= sums[without]! - left ? value + left : value);
  }
  let total = 0;
  for (let i = 0; i < candidates.length; i++) if (i !== without) total += candidates[i]!.weight;
  let left = Math.floor(random.float() * total);
  for (let i = 0; i < candidates.length; i++) {
    if (i === without) continue;
    left -= candidates[i]!.weight;
    if (left < 0) return i;
  }
  return candidates.length - 1;
}

export function weightSums(candidates: readonly Candidate[]): Float64Array {
  const sums = new Float64Array(candidates.length);
  let total = 0;
  for (let i = 0; i < candidates.length; i++) {
    total += candidates[i]!.weight;
    sums[i] = total;
  }
  return sums;
}

/** The first index whose sum is greater than `value`. */
function search(sums: Float64Array, value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
