/** Connectors: catalogue, sessions, executions, triggers, refreshes. */
export const connectorsLimits = {
  /** Of one module's question to another: longer than what it may wait for there, a refresh of credentials. */
  moduleCallMs: 60_000,
  /** Of a request to a plain route: a form, or what a provider tells. */
  routeBodyBytesMax: 256 * 1_024,
  /** Connectors: a catalogue file and a JSON Schema in it; both are read by people. */
  catalogueFileBytesMax: 256 * 1_024,
  catalogueSchemaBytesMax: 64 * 1_024,
  /** Of a tenant. An entity each; the directory counts them. */
  providerConfigsMax: 1_000,
  providerConfigVersionsKept: 200,
  providerConfigBytesMax: 64 * 1_024,
  /** What a list asks of entities at a time. */
  connectorsAskedAtOnce: 50,
  /** Connections whose provider and config a thread keeps in memory: some 300 bytes each. */
  connectionsKnownMax: 16_384,
  /** Open sessions of one connection, and how long an ended one can be read. */
  connectSessionsOpenMax: 10,
  connectSessionMs: 1_800_000,
  connectSessionKeptMs: 86_400_000,
  connectTokenBytes: 32,
  /** Fields of a session, encrypted as one. */
  credentialBytesMax: 64 * 1_024,
  connectionMetadataBytesMax: 16 * 1_024,
  /** Of an execution; a commit holds both. */
  executionInputBytesMax: 256 * 1_024,
  executionOutputBytesMax: 256 * 1_024,
  /** Waiting over one connection: an account's rate limit takes hours for more. */
  executionsWaitingMax: 10_000,
  executionsWaitingBytesMax: 32 * 1_024 * 1_024,
  executionsKept: 10_000,
  executionKeptMs: 7 * 86_400_000,
  executionsForgottenAtOnce: 200,
  executionAttemptsMax: 5,
  executionBackOffMs: 1_000,
  executionBackOffMsMax: 60_000,
  executionRetryAfterMsMax: 900_000,
  executionDeadlineMs: 300_000,
  /** As `deadline_seconds` may ask for: a day, then the caller has long gone on without it. */
  executionDeadlineMsMax: 86_400_000,
  executionWaitMs: 20_000,
  /** Of one connection; they are kept in memory with it. */
  triggerSubscriptionsMax: 100,
  /** Of a webhook: what fits an item or a run with what is put beside it. */
  triggerEventBytesMax: 255 * 1_024,
  /** Longer ones are known by their hash. */
  triggerEventIdBytesMax: 128,
  /** Of one subscription. */
  triggerEventsPerSecond: 100,
  /** An event that comes again within this time is the same event: providers repeat for three days at most. */
  triggerSeenMs: 72 * 3_600_000,
  triggerSeenForgottenAtOnce: 500,
  /** How far the time in a signature may be from ours. */
  triggerSkewMs: 300_000,
  /** Of one connection, waiting for their targets. */
  triggerDeliveriesMax: 10_000,
  /** After that an event that its target does not take is dropped. */
  triggerDeliveryMs: 86_400_000,
  triggerBackOffMsMax: 900_000,
  pollSeconds: 300,
  /** Of one commit of a poll; what is more waits for the next one. */
  pollEventsMax: 1_000,
  pollEventsBytesMax: 512 * 1_024,
  executionCallMs: 30_000,
  executionAnswerBytesMax: 4 * 1_024 * 1_024,
  executionErrorLengthMax: 500,
  /** A token is refreshed when less than this, or less than a fifth of its lifetime, is left of it. */
  refreshMarginMs: 900_000,
  refreshMarginShare: 0.2,
  refreshBackOffMs: 1_000,
  refreshBackOffMsMax: 300_000,
  /** How long an execution waits for a refresh that is under way. */
  refreshWaitMs: 45_000,
  revocationMs: 86_400_000,
} as const;
