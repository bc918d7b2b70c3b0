import type { Candidate, RotationClock } from "./router.ts";

/**
 * Smooth weighted round robin as a sequence of picks: the recipient with the smallest (2 picks + 1) / weight goes next. Over any
 * whole period each gets exactly its weight, evenly spread, and an assignment changes one recipient only. The clock is
 * how far the rotation has come; who was away rejoins there rather than catching up in one burst. Integers only: exact.
 */
export const clockStart: RotationClock = { numerator: 0, weight: 1 };

export function nextInRotation(candidates: readonly Candidate[], clock: RotationClock): number {
  let best = -1;
  let bestNumerator = 0;
  let bestWeight = 1;
  for (let i = 0; i < candidates.length; i++) {
    const { picks, weight } = candidates[i]!;
    let numerator = 2 * picks + 1;
    let divisor = weight;
    if (numerator * clock.weight < clock.numerator * weight) {
      numerator = clock.numerator;
      divisor = clock.weight;
    }
    if (best === -1 || numerator * bestWeight < bestNumerator * divisor) {
      best = i;
      bestNumerator = numerator;
      bestWeight = divisor;
    }
  }
  return best;
}

/** Picks of a recipient once it has this one. */
export function picksAfter(recipient: { picks: number; weight: number }, clock: RotationClock): number {
  return rejoined(recipient, clock) + 1;
}

/** Picks lifted so far that its next one is not before the clock. */
export function rejoined({ picks, weight }: { picks: number; weight: number }, clock: RotationClock): number {
  const least = Math.ceil((clock.numerator * weight - clock.weight) / (2 * clock.weight));
  return Math.max(picks, least);
}

/** The clock as the furthest of all recipients; found again after a removal or a change of weight. */
export function clockOf(recipients: Iterable<{ picks: number; weight: number }>): RotationClock {
  let clock = clockStart;
  for (const recipient of recipients) clock = later(clock, recipient);
  return clock;
}

/** In lowest terms: who is found first among equals must not show. */
export function later(
  clock: RotationClock,
  { picks, weight }: { picks: number; weight: number },
): RotationClock {
  if (picks === 0 || weight === 0) return clock;
  const numerator = 2 * picks - 1;
  if (numerator * clock.weight <= clock.numerator * weight) return clock;
  const divisor = commonDivisor(numerator, weight);
  return { numerator: numerator / divisor, weight: weight / divisor };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
