import { Random } from "#base";
import { levelOf } from "./eligibility.ts";
import { rendezvous } from "./rendezvous.ts";
import { nextInRotation } from "./rotation.ts";
import type { Candidate, RotationClock, RouterRecipient, RouterView, Strategy } from "./router.ts";
import { drawWeighted, weightSums } from "./weighted.ts";

/** What a strategy knows of the item. */
export interface Draw {
  /** Made by `seedOf`: the same seed draws the same recipient from the same candidates. */
  readonly seed: string;
  /** What sticky hashing goes by; without one, the seed. */
  readonly key?: string;
  readonly skills?: Readonly<Record<string, number>>;
  readonly cost: number;
}

/** The seed of one assignment. */
export function seedOf(itemId: string, delivery: number, poolVersion: number): string {
  return `${itemId}:${delivery}:${poolVersion}`;
}

/** One of the candidates by the pool's strategy; `undefined` only where there is none. */
export function choose(
  view: RouterView,
  candidates: readonly RouterRecipient[],
  draw: Draw,
): RouterRecipient | undefined {
  const sums = candidates === view.ready ? sumsOf(view.ready) : undefined;
  return candidates[pick(view.strategy, candidates, draw, view.clock, sums)];
}

/** Index of the chosen candidate, −1 where there is none. Pure: a recorded decision runs through here again. */
export function pick(
  strategy: Strategy,
  candidates: readonly Candidate[],
  draw: Draw,
  clock: RotationClock,
  sums?: Float64Array,
): number {
  if (candidates.length < 2) return candidates.length - 1;
  switch (strategy) {
    case "weighted_random":
      return drawWeighted(candidates, new Random(draw.seed), sums);
    case "round_robin":
      return nextInRotation(candidates, clock);
    case "least_loaded":
      return leastLoaded(candidates, new Random(draw.seed));
    case "two_choice": {
      const [first, second] = twoChoices(candidates, draw, sums);
      return compareLoad(candidates[second]!, candidates[first]!) < 0 ? second : first;
    }
    case "priority":
      return firstTier(candidates, new Random(draw.seed), sums);
    case "sticky_hash":
      return rendezvous(candidates, draw.key || draw.seed, draw.cost);
    case "longest_idle":
      return bestBy(candidates, (candidate) => -candidate.order);
    case "skills":
      return mostSkilled(candidates, draw.skills ?? {});
  }
}

/** The two that two_choice compares: weighted, and different. */
export function twoChoices(
  candidates: readonly Candidate[],
  draw: Draw,
  sums?: Float64Array,
): readonly [number, number] {
  const random = new Random(draw.seed);
  const first = drawWeighted(candidates, random, sums);
  return [first, drawWeighted(candidates, random, sums, first)];
}

/** Cumulative weights of a list that is replaced, never edited; kept as long as the list. */
export function sumsOf(ready: readonly Candidate[]): Float64Array {
  let sums = sumsByList.get(ready);
  if (!sums) {
    sums = weightSums(ready);
    sumsByList.set(ready, sums);
  }
  return sums;
}

const sumsByList = new WeakMap<readonly Candidate[], Float64Array>();

/** Load is what is in flight against the capacity, or against the weight where capacity is unlimited; exact. */
function compareLoad(a: Candidate, b: Candidate): number {
  return a.inFlight * (b.capacity || b.weight) - b.inFlight * (a.capacity || a.weight);
}

/** Among equals the seed decides, so that idle recipients share. */
function leastLoaded(candidates: readonly Candidate[], random: Random): number {
  let best = 0;
  let equals = 1;
  for (let i = 1; i < candidates.length; i++) {
    const order = compareLoad(candidates[i]!, candidates[best]!);
    if (order < 0) {
      best = i;
      equals = 1;
    } else if (order === 0 && random.uint32() % ++equals === 0) best = i;
  }
  return best;
}

/** The lowest tier that has an eligible recipient; its members by weight. */
function firstTier(candidates: readonly Candidate[], random: Random, sums?: Float64Array): number {
  let tier = candidates[0]!.tier;
  let single = true;
  for (const candidate of candidates) {
    if (candidate.tier !== tier) single = false;
    if (candidate.tier < tier) tier = candidate.tier;
  }
  if (single) return drawWeighted(candidates, random, sums);
  const members: number[] = [];
  for (let i = 0; i < candidates.length; i++) if (candidates[i]!.tier === tier) members.push(i);
  const drawn = drawWeighted(
    members.map((index) => candidates[index]!),
    random,
  );
  return members[drawn]!;
}

function mostSkilled(candidates: readonly Candidate[], wanted: Readonly<Record<string, number>>): number {
  const names = Object.keys(wanted);
  let best = 0;
  let bestScore = -1;
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i]!;
    let score = 0;
    for (const name of names) score += levelOf(candidate.skills, name);
    if (score > bestScore || (score === bestScore && candidate.order < candidates[best]!.order)) {
      best = i;
      bestScore = score;
    }
  }
  return best;
}

function bestBy(candidates: readonly Candidate[], value: (candidate: Candidate) => number): number {
  let best = 0;
  for (let i = 1; i < candidates.length; i++) if (value(candidates[i]!) > value(candidates[best]!)) best = i;
  return best;
}
