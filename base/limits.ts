/** Every bound of the system, with its reason. Settings may lower or raise some; these are the defaults. */
export const limits = {
  /** Shards of an installation; fixed when a folder or keyspace is made, enough for 64 nodes of four threads. */
  shardCount: 256,

  /** A table key, so that LMDB (1,978 B) and a Cassandra clustering key both take it with room for prefixes. */
  keyBytesMax: 1_024,
  /** One journal batch: below Cassandra's batch guardrail and a fraction of a second of disk. */
  batchBytesMax: 512 * 1_024,
  batchEntriesMax: 1_000,
  /** A journal segment file: a cut costs one file, a folder stays listable. */
  segmentBytesMax: 64 * 1_024 * 1_024,
  /** Rows waiting for a checkpoint; more starts one early. */
  checkpointBytesMax: 16 * 1_024 * 1_024,
  checkpointIntervalMs: 250,

  /** One entity's mailbox: a burst fits, a backlog is refused while the caller still waits. */
  mailboxDepthMax: 1_024,
  mailboxBytesMax: 8 * 1_024 * 1_024,
  tenantMailboxDepthMax: 8_192,
  threadMailboxDepthMax: 16_384,
  threadMailboxBytesMax: 64 * 1_024 * 1_024,
  /** Commands waiting inside an entity for something to happen (long polls). */
  parkedMax: 1_024,
  /** Entities in memory per thread; the idle ones beyond it are put away. */
  residentEntitiesMax: 50_000,
  entityIdleMs: 300_000,
  /** Restarts of one entity within a minute before it is isolated. */
  entityRestartsMax: 5,

  /** Defaults of the spec. */
  pageSizeDefault: 50,
  pageSizeMax: 1_000,
  pageBytesMax: 4 * 1_024 * 1_024,
  pageOffsetMax: 10_000,
  bodyBytesMax: 4 * 1_024 * 1_024,
  headerCountMax: 64,
  headerBytesMax: 8 * 1_024,
  jsonDepthMax: 64,
  requestTimeoutMs: 30_000,
  idempotencyKeyLengthMax: 255,
  idempotencyKeptMs: 86_400_000,
  retryAfterMs: 1_000,
} as const;
