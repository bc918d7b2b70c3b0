/** Calls to the outside: the HTTP client, templates, integrations and providers that send messages. */
export const outboundLimits = {
  /** A call to the outside: by default, and the longest that may be asked for. */
  outgoingTimeoutMs: 30_000,
  outgoingTimeoutMsMax: 900_000,
  outgoingConnectMs: 10_000,
  /** Connections to one origin, and how long one without a call is kept. */
  outgoingConnectionsMax: 64,
  outgoingIdleMs: 10_000,
  /** Of an answer, inflated: by default, and the most that may be asked for. It is in memory as a whole. */
  outgoingBodyBytes: 1_024 * 1_024,
  outgoingBodyBytesMax: 32 * 1_024 * 1_024,
  outgoingRedirectsMax: 5,
  /** How long nothing more is logged of a call to an address that is not allowed, and how many addresses a thread remembers for it. */
  egressWarningMs: 60_000,
  egressWarningsMax: 1_000,
  /** A template: source, output, and how it is rendered. Sources are of tenants, so every one is bounded. */
  templateSourceBytesMax: 64 * 1_024,
  renderOutputBytesMax: 512 * 1_024,
  /** What a header line of a mail may hold (RFC 5322). */
  renderSubjectLengthMax: 998,
  renderMessageLengthMax: 500,
  /** Liquid counts what it allocates, in characters and elements: less than the heap of its thread has room for. */
  renderMemoryUnitsMax: 4_000_000,
  renderTimeoutMsMax: 10_000,
  /** Attempts of a delivery whose render runs out of time: a busy machine may be the reason, a slow template ends as many threads. */
  renderTimeoutAttemptsMax: 3,
  /** Of a render thread, in MiB: templates with their data are small, and one that is not is hostile. */
  renderHeapMb: 64,
  renderYoungHeapMb: 16,
  /** Characters of sources whose compiled form a render thread keeps. */
  renderCacheLengthMax: 1_024 * 1_024,
  /** Jobs of one post to a render thread: they run again when one of them ends it. */
  renderBatchMax: 32,
  /** After so long a render thread gives back the jobs of its batch that it has not begun: other tenants wait for their turn. */
  renderTurnMs: 25,
  /** Jobs that wait, of all tenants of a worker and of one: the rest is for others. */
  rendersWaitingMax: 4_096,
  renderWaitingBytesMax: 64 * 1_024 * 1_024,
  rendersWaitingOfTenantMax: 1_024,
  renderWaitingBytesOfTenantMax: 16 * 1_024 * 1_024,
  /** Layouts of a tenant: written by hand, and listed by one entity. */
  layoutsMax: 1_000,
  layoutNameLengthMax: 200,
  /** Integrations of a tenant: each of its 64 audiences has a copy of them in memory. */
  integrationsMax: 100,
  integrationMetadataBytesMax: 16 * 1_024,
  /** Deleted integrations that readers of old deliveries can still look up. */
  integrationsDeletedMax: 200,
  /** A pacer grants the slots of so long at once, each at least the lead ahead of its time: a message takes as long as that. */
  pacerAheadMs: 200,
  pacerLeadMs: 20,
  /** A slot may be used so late at most; the burst of a rate has to make up for it. */
  pacerLateMsMax: 2_000,
  /** Direct slots in a row while broadcasts wait: a tenth is for broadcasts. */
  pacerDirectRun: 9,
  /** How long a file with static connections is taken for what is on the disk. */
  connectionsFileMs: 10_000,
  /** One call of a provider that sends a message, and what is read of its answer. */
  providerCallMs: 20_000,
  providerAnswerBytesMax: 64 * 1_024,
  providerMessageLengthMax: 512,
  /** Of a header's name in the field of an error: longer than every header that may be set. */
  mailHeaderNameLengthMax: 64,
  /** Connections to one mail server, of a thread. */
  smtpConnectionsMax: 8,
  /** Mails of a connection under way in a thread: each connection has one, and the next one waits. */
  smtpLaneMax: 16,
  /** What RFC 8291 leaves of a record of 4,096 bytes. */
  webPushPayloadBytesMax: 3_993,
  /** Push services keep nothing longer: four weeks. */
  webPushTtlSecondsMax: 2_419_200,
  /** Service accounts whose access token a thread keeps. */
  fcmTokensMax: 1_000,
} as const;
