/** Notifications: subscribers, topics, triggers, deliveries, broadcasts, inboxes. */
export const notificationsLimits = {
  /** Notifications. A subscriber is one row: one read decides what is sent to a subscriber. */
  subscriberBytesMax: 64 * 1_024,
  subscriberDataBytesMax: 16 * 1_024,
  endpointsMax: 20,
  preferencesMax: 100,
  notifyMetadataBytesMax: 4 * 1_024,
  notifyPayloadBytesMax: 256 * 1_024,
  previewPayloadBytesMax: 64 * 1_024,
  /** Schedules and zones whose next boundary is known: more than the preferences that one audience reads in a second. */
  scheduleCacheMax: 2_000,
  /** Of a tenant: its directory lists them. */
  topicsMax: 100_000,
  topicsAskedAtOnce: 50,
  /** How long a caller's transaction id is that of one body: 7 days. */
  transactionClaimMs: 7 * 24 * 3_600_000,
  /** How long the link of a confirmation is good: 7 days. */
  confirmationMs: 7 * 24 * 3_600_000,
  /** Secrets of audiences that a thread remembers, to sign the links of mails: those of 64 tenants. */
  linkSecretsMax: 4_096,
  /** Deliveries of a trigger to one subscriber: 20 endpoints and a skip for each channel. */
  directDeliveriesMax: 100,
  /** Attempts under way of an audience, and of one integration in it; a tenth stays for broadcasts, a quarter for direct ones. */
  audienceRunningMax: 128,
  integrationRunningMax: 64,
  broadcastSlotsShare: 0.1,
  directSlotsShare: 0.25,
  /** Waiting deliveries that one command starts; those of broadcasts wait until as many slots of their integration are free. */
  deliveriesStartedAtOnce: 32,
  broadcastSlotsRefilled: 16,
  deliveryAttemptsMax: 6,
  deliveryAttemptsShown: 10,
  deliveryBackOffMs: 2_000,
  deliveryBackOffMsMax: 900_000,
  deliveryRetryAfterMsMax: 3_600_000,
  deliveryDetailLengthMax: 512,
  /** A delivery that its workflow gives no time to live: a day. */
  deliveryTtlSeconds: 86_400,
  /** As the contract says of `PutNotice`: a workflow definition hands the same over. */
  noticeSubjectBytesMax: 4_096,
  noticeTtlSecondsMax: 2_592_000,
  redrivesMax: 10,
  observationsMax: 1_000,
  /** An integration that failed so often in a row is left alone for half a minute, by this thread. */
  breakerFailures: 5,
  breakerOpenMs: 30_000,
  breakersMax: 10_000,
  /** Manifests that a thread remembers, so that not every attempt of a broadcast asks for its payload. */
  manifestsCachedMax: 64,
  /** And those of direct triggers, small ones only: at most 8 MiB. */
  manifestsSeenMax: 512,
  manifestSeenLengthMax: 16 * 1_024,
  /** Broadcasts of a topic: members that a step reads, members and messages that are with audiences. */
  broadcastsRunningMax: 16,
  broadcastsWaitingMax: 1_000,
  broadcastStepMembers: 2_000,
  broadcastPartMembers: 64,
  broadcastPartsMax: 64,
  /** Deliveries of a broadcast that an audience still has at work when it answers its parts: the next part then fits into its slots. */
  broadcastBusyLow: 16,
  /** Ended deliveries after which an audience tells the topic, if nothing else makes it. */
  broadcastReportedEvery: 100,
  broadcastKeptMs: 30 * 24 * 3_600_000,
  /** What one member of a broadcast takes of a turn, in quarters of a microsecond. */
  fanOutSteps: 200,
  /** Old deliveries are looked for every hour, some at a time. */
  deliveriesLookedAtMs: 3_600_000,
  deliveriesForgottenAtOnce: 200,
  /** An inbox keeps its newest messages. */
  inboxMessagesMax: 1_000,
  inboxMarkedMax: 1_000,
  inboxWatchedAtOnce: 100,
  /** How long one question of a watcher waits for a change. */
  inboxWatchMs: 20_000,
  /** Inboxes of an audience whose state is in memory for watchers. */
  inboxesSeenMax: 10_000,
  /** What the sink of a thread remembers, for development. */
  sinkMessagesMax: 1_000,
} as const;
