import { hash32 } from "#base";
import type { Candidate } from "./router.ts";

/** How far over its fair share of what is in flight a recipient may go before a key moves on to its next choice. */
const loadBound = 1.25;

/**
 * Weighted rendezvous hashing: each candidate scores the key, the highest wins, so a key moves only when its own
 * recipient comes or goes. With bounded load: a recipient above 1.25 times its share passes the key on.
 */
export function rendezvous(candidates: readonly Candidate[], key: string, cost: number): number {
  const high = hash32(key);
  const low = hash32(`${key}\u0000`);
  let best = 0;
  let bestScore = -1;
  let inFlight = cost;
  let weight = 0;
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i]!;
    inFlight += candidate.inFlight;
    weight += candidate.weight;
    const uniform = uniformOf(candidate, high, low);
    // −ln u is at least 1 − u: most candidates are out before their logarithm is taken.
    if ((1 - uniform) * bestScore > candidate.weight) continue;
    const score = candidate.weight / -Math.log(uniform);
    if (score > bestScore) {
      best = i;
      bestScore = score;
    }
  }
  const fits = (candidate: Candidate) =>
    candidate.inFlight + cost <= Math.ceil((loadBound * inFlight * candidate.weight) / weight);
  if (fits(candidates[best]!)) return best;
  const ranked = candidates
    .map((candidate, index) => ({ index, score: scoreOf(candidate, high, low) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  return ranked.find(({ index }) => fits(candidates[index]!))?.index ?? best;
}

function scoreOf(candidate: Candidate, high: number, low: number): number {
  return candidate.weight / -Math.log(uniformOf(candidate, high, low));
}

/** In (0, 1), from the key and the recipient. */
function uniformOf(candidate: Candidate, high: number, low: number): number {
  const x = mix(Math.imul(candidate.hash, 0x9e3779b1) ^ high);
  const y = mix((Math.imul(candidate.hash, 0x85ebca6b) + low) ^ x);
  return (x * 2 ** 21 + (y >>> 11) + 0.5) / 2 ** 53;
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
