/** Meters and health reports. */
export const healthLimits = {
  /** One report for all that ask within it. */
  healthSlotMs: 15_000,
  /** Periods of one environment whose reports are kept: more are asked for by hand, seldom. */
  healthPeriodsMax: 16,
  healthPeriodStepMs: 300_000,
  healthPeriodMaxMs: 24 * 3_600_000,
  /** A worker looks so often at what its node depends on; the verdict is unknown where it is 30 s since. */
  healthLookMs: 10_000,
  /** A source that has not answered by then is missing: the caller still gets a report. */
  healthSourceMs: 3_000,
  /** A pool that is older and that no meter has heard of is missed. */
  healthUnheardMs: 60_000,
  /** Of them, how many are asked to tell for one report; the next one asks others. */
  healthAskedMax: 256,
} as const;
