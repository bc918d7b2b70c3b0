/** The audit log. */
export const auditLimits = {
  /** A thread hands its audit entries over this often: what the end of the thread can lose. And so many at once, more are counted as lost. */
  auditBatchMs: 100,
  auditBatchMax: 10_000,
  /** Calls that grace let in are told once a minute and kind: under report every call of a tenant without a snapshot is one. */
  auditGraceMs: 60_000,
  /** Audit entries that wait in the main thread for their sink, about 25 MB; more are counted as lost. */
  auditWaitingMax: 50_000,
  auditLinesAtOnce: 1_000,
  /** Between two tries to write to a sink that fails. */
  auditRetryMs: 1_000,
  auditCheckpointEntries: 1_000,
  auditCheckpointMs: 60_000,
  /** Of any text that a caller wrote; an entry stays below 4 KiB. */
  auditTextMax: 256,
  /** Read at the start to find the last entry. */
  auditTailBytes: 65_536,
  /** Findings of a check that are listed: a log that is corrupt everywhere is not listed line by line. */
  auditFindingsMax: 20,
} as const;
