/** Workflow definitions and runs. */
export const workflowsLimits = {
  /** A workflow: what one entity keeps of a version, and of a draft with its problems. */
  workflowBodyBytesMax: 64 * 1_024,
  workflowStepsMax: 200,
  workflowDepthMax: 5,
  workflowBranchesMax: 10,
  /** Problems that are told at once: enough to work through, and stored with the draft. */
  workflowProblemsMax: 100,
  /** Timeouts and waits of a workflow: a year. */
  workflowTimeoutSecondsMax: 31_536_000,
  workflowAttemptsMax: 100,
  workflowBackoffMsMax: 24 * 3_600_000,
  /** Of a tenant: its directory lists them, and each is an entity. */
  workflowDefinitionsMax: 10_000,
  /** Of a definition: published by hand or by a pipeline, not by a loop. */
  workflowVersionsMax: 10_000,
  /** Definitions that a list asks at once. */
  workflowsAskedAtOnce: 50,
  /** A run that its definition gives no timeout: 30 days. */
  workflowTimeoutSeconds: 2_592_000,
  /** The answer of a call of a step that has no timeout: longer than a node needs to be replaced. */
  workflowCallSeconds: 300,
  /** A run whose calls get no answer for so long is idle, and they are asked for again. */
  workflowIdleMs: 300_000,
  /** Times of calls that are further away than two of these are rounded down to one, so that the calls of a run share a timer. */
  workflowLookMs: 60_000,
  /** A run and its waits that nothing happens to are evicted after this: very many wait for days, and reading one takes a millisecond. */
  workflowRestMs: 2_000,
  workflowInputBytesMax: 256 * 1_024,
  /** Of a step, after its `select`, and of all steps of a run: what its entity has in memory. */
  workflowOutputBytesMax: 64 * 1_024,
  workflowRunOutputBytesMax: 1_024 * 1_024,
  /** Signals that no step has waited for yet. */
  workflowEventsMax: 100,
  workflowSignalBytesMax: 64 * 1_024,
  /** A run that has ended: 30 days. */
  workflowKeptMs: 30 * 24 * 3_600_000,
  /** Runs that one of sixteen entities of a tenant lists: counters in memory, entries in rows. */
  workflowRunsMax: 10_000_000,
  /** Stats of runs that ended are kept in steps of five minutes, for a day and the step that it begins in. */
  workflowFigureMs: 300_000,
  workflowFiguresMs: 24 * 3_600_000 + 300_000,
} as const;
