/** Endpoints that events are sent to, and what is kept of their deliveries. */
export const webhooksLimits = {
  /** Of one tenant: each has an effect of its own that waits for events. */
  webhooksMax: 50,
  /** Of one endpoint, those that have ended among them: beyond either the oldest that have ended go, and then events wait. */
  webhookOpenMax: 100_000,
  webhookBytesMax: 64 * 1_024 * 1_024,
  /** Deliveries that one commit changes. */
  webhookStepMax: 500,
  webhookInFlight: 16,
  webhookInFlightMax: 64,
  webhookTimeoutMs: 20_000,
  /** An answer is read so far, to be thrown away. */
  webhookAnswerBytesMax: 64 * 1_024,
  webhookErrorLengthMax: 200,
  webhookRetryAfterMs: 86_400_000,
  /** Without a success for so long it is disabled. */
  webhookFailingMs: 5 * 86_400_000,
  webhookKeptMs: 72 * 3_600_000,
  webhookExhaustedKeptMs: 30 * 86_400_000,
  webhookRetainMs: 3_600_000,
  /** Before it is looked again whether there is room, and whether sending is switched on. */
  webhookFullMs: 5_000,
  webhookOffMs: 60_000,
  /** How long one attempt of the pump waits for events: its position is stored as often. */
  webhookWaitMs: 60_000,
} as const;
