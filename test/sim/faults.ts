import type { Random } from "#base";

/** Which faults a run has, and how often. Each run draws them from its seed, so that rare combinations occur too. */
export interface Faults {
  readonly latencyMs: number;
  readonly appendUnknown: number;
  readonly appendUnavailable: number;
  readonly appendFull: number;
  readonly readUnavailable: number;
  readonly writeBroken: number;
  readonly fsyncFailed: number;
  readonly messageLost: number;
  readonly messageTwice: number;
  readonly kill: boolean;
  readonly pause: boolean;
  readonly move: boolean;
  readonly cut: boolean;
  readonly clock: boolean;
  /** Time between two faults of the kinds above. */
  readonly actEveryMs: number;
  readonly skewMs: number;
  /** Few changes and no timers: a cut-off owner has few occasions to notice. */
  readonly quiet: boolean;
  /** Entities are evicted all the time, and are loaded again from their rows. */
  readonly crowded: boolean;
  /** Bounds are reached all the time. */
  readonly tight: boolean;
  /** Entities fail by a bug of their own. */
  readonly flaky: number;
}

export type FaultName = keyof Faults;

export function drawFaults(random: Random): Faults {
  const sometimes = (share: number, most: number) => (random.chance(share) ? random.float() * most : 0);
  return {
    latencyMs: random.pick([0.2, 2, 20]),
    appendUnknown: sometimes(0.5, 0.05),
    appendUnavailable: sometimes(0.3, 0.05),
    appendFull: sometimes(0.2, 0.05),
    readUnavailable: sometimes(0.3, 0.05),
    writeBroken: sometimes(0.4, 0.3),
    fsyncFailed: sometimes(0.2, 0.01),
    messageLost: sometimes(0.5, 0.2),
    messageTwice: sometimes(0.5, 0.2),
    kill: random.chance(0.7),
    pause: random.chance(0.6),
    move: random.chance(0.6),
    actEveryMs: random.pick([300, 1_000, 3_000]),
    skewMs: random.chance(0.3) ? random.int(2_000) - 1_000 : 0,
    quiet: random.chance(0.2),
    clock: random.chance(0.4),
    cut: random.chance(0.6),
    crowded: random.chance(0.5),
    flaky: sometimes(0.3, 0.02),
    tight: random.chance(0.3),
  };
}

export const noFaults: Faults = {
  latencyMs: 0.2,
  appendUnknown: 0,
  appendUnavailable: 0,
  appendFull: 0,
  readUnavailable: 0,
  writeBroken: 0,
  fsyncFailed: 0,
  messageLost: 0,
  messageTwice: 0,
  kill: false,
  pause: false,
  move: false,
  cut: false,
  clock: false,
  actEveryMs: 1_000,
  skewMs: 0,
  quiet: false,
  crowded: false,
  flaky: 0,
  tight: false,
};
