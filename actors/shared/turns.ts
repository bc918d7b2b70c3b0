import type { Candidate, TurnClock } from "./router.ts";

/**
 * Smooth weighted round robin as a sequence of turns: the recipient with the smallest (2 turns + 1) / weight goes next. Over any
 * whole period each gets exactly its weight, evenly spread, and an assignment changes one recipient only. The clock is
 * how far the rotation has come; who was away rejoins there rather than catching up in one burst. Integers only: exact.
 */
export const clockStart: TurnClock = { numerator: 0, weight: 1 };

export function nextTurn(candidates: readonly Candidate[], clock: TurnClock): number {
  let best = -1;
  let bestNumerator = 0;
  let bestWeight = 1;
  for (let i = 0; i < candidates.length; i++) {
    const { turns, weight } = candidates[i]!;
    let numerator = 2 * turns + 1;
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

/** Turns of a recipient once it takes this one. */
export function turnsAfter(recipient: { turns: number; weight: number }, clock: TurnClock): number {
  return rejoined(recipient, clock) + 1;
}

/** Turns lifted so far that its next one is not before the clock. */
export function rejoined({ turns, weight }: { turns: number; weight: number }, clock: TurnClock): number {
  const least = Math.ceil((clock.numerator * weight - clock.weight) / (2 * clock.weight));
  return Math.max(turns, least);
}

/** The clock as the furthest of all recipients; found again after a removal or a change of weight. */
export function clockOf(recipients: Iterable<{ turns: number; weight: number }>): TurnClock {
  let clock = clockStart;
  for (const recipient of recipients) clock = later(clock, recipient);
  return clock;
}

/** In lowest terms: who is found first among equals must not show. */
export function later(clock: TurnClock, { turns, weight }: { turns: number; weight: number }): TurnClock {
  if (turns === 0 || weight === 0) return clock;
  const numerator = 2 * turns - 1;
  if (numerator * clock.weight <= clock.numerator * weight) return clock;
  const divisor = commonDivisor(numerator, weight);
  return { numerator: numerator / divisor, weight: weight / divisor };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
