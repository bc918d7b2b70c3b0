/** Expressions, and what a command may cost. */
export const celLimits = {
  /** CEL: a screen of text; the longest takes some 20 ms to parse. */
  celBytesMax: 4_096,
  celDepthMax: 64,
  /**
   * Of one expression, and of all rules on one item. `bench/cel-cost.bench.ts` keeps a step under 0.4 us on the machine of
   * bench/RESULTS.md: 4 ms and 20 ms at worst.
   */
  celStepsMax: 10_000,
  celItemStepsMax: 50_000,
  /**
   * Of all entries of one command, with what it looks at to route them: 60 ms at worst, and the last entry on top. A batch that
   * needs more goes on in another command, so that others run between.
   */
  commandStepsMax: 150_000,
  /** What an ordinary command takes: 50 us. One that spends more counts as several in the turn of its thread. */
  commandSteps: 200,
  /** To look at one recipient for one route, beside what an item asks of it; for each of those; and to say why it was in or out. */
  recipientSteps: 0.35,
  traitSteps: 0.05,
  explainedSteps: 8,
  /** Values of one item that an expression can see, and characters of one of them. */
  celValuesMax: 10_000,
  celTextMax: 65_536,
  /** Compiled expressions kept per thread. */
  celCacheMax: 4_096,
} as const;
