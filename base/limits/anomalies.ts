/** Monitors of pools, and what they find. */
export const anomaliesLimits = {
  /** Of one pool: with windows of 1,440 values each they take 400 KiB of memory. */
  monitorsMax: 16,
  /** Of one pool: beyond it the oldest closed one is forgotten. */
  anomaliesMax: 200,
  anomalyKeptMs: 30 * 86_400_000,
} as const;
