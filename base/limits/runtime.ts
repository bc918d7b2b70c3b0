/** Threads and their entities: mailboxes, memory, timers, outbox, links between threads, published events, effects. */
export const runtimeLimits = {
  /** One entity's mailbox: a burst fits, a backlog is refused while the caller still waits. */
  mailboxDepthMax: 1_024,
  mailboxBytesMax: 8 * 1_024 * 1_024,
  /** One tenant on a thread: half of what the thread holds, so that another always finds room. */
  tenantMailboxDepthMax: 8_192,
  tenantMailboxBytesMax: 32 * 1_024 * 1_024,
  threadMailboxDepthMax: 16_384,
  threadMailboxBytesMax: 64 * 1_024 * 1_024,
  /** Commands waiting inside one entity for something to happen (long polls), bounded as those that wait to run. */
  parkedMax: 1_024,
  /** Those that only watch, beside them: as many callers as may wait for the results of what they enqueued. */
  watchingMax: 4_096,
  parkedBytesMax: 8 * 1_024 * 1_024,
  /** One tenant on a thread: half of what the thread holds, so that another always finds room. */
  tenantParkedMax: 8_192,
  tenantParkedBytesMax: 32 * 1_024 * 1_024,
  /** Each has a timer and a caller's connection, some 4 KiB. */
  threadParkedMax: 16_384,
  threadParkedBytesMax: 64 * 1_024 * 1_024,
  /** Times one command may ask for rows, each a wait for the tables; more is a loop. */
  needRoundsMax: 16,
  /** Entities in memory per thread; the idle ones beyond it are evicted. */
  residentEntitiesMax: 50_000,
  /**
   * What they take, estimated, and which share of a thread's heap limit that may be at most: as much again is garbage
   * before a collection, and requests need the rest. 512 MiB are 35,000 idle pools.
   */
  residentBytesMax: 512 * 1_024 * 1_024,
  residentHeapShareMax: 0.25,
  /** An empty one: a third of what an idle pool with its two twins was measured to take. */
  residentEntityBytes: 5_000,
  /** An idle one is evicted after this, and then takes no more than its place in other lists; reading it again takes a millisecond. */
  entityIdleMs: 60_000,
  /** Restarts of one entity within a minute before it is isolated. */
  entityRestartsMax: 5,
  entityRestartsWithinMs: 60_000,
  /** How long an isolated entity rests before it is tried once more. */
  entityIsolatedMs: 60_000,
  /** Timers due within this time are in memory; the others are rows only. */
  timerWindowMs: 60_000,
  /** Of one shard; beyond it the window moves on only when it must. */
  timersInMemoryMax: 20_000,
  /** Due timers of one shard whose entities have not run yet: each may bring its entity into memory first. */
  timersHandedMax: 4_096,
  /** Callers that wait for a store that does not answer are told so after this: longer than any disk or quorum that works. */
  storeAnswerMsMax: 10_000,
  /** A thread whose loop has not turned for this long is ended and replaced; a setting may change it. */
  workerStuckMs: 10_000,
  /** Messages to other entities that one shard has in memory, the rest are rows: plenty to go on with, and little for all shards of a thread. */
  outboxMessagesMax: 8_192,
  outboxBytesMax: 1_024 * 1_024,
  /** Targets of a shard's outbox that take nothing and have a place of their own in its rows; those beyond share one. */
  outboxCursorsMax: 1_024,
  /** Entities that applied messages are listed by periods of this length. When one is over, numbers of messages that no sender repeats are deleted: seldom enough to cost little. */
  inboxListedMs: 3_600_000,
  /** How often a thread tells the others which messages of its shards have arrived: some bytes a shard. */
  settledToldMs: 2_000,
  /** Replies held for one shard while its append is under way; more and its entities wait. */
  gatedRepliesMax: 4_096,
  gatedBytesMax: 16 * 1_024 * 1_024,
  /** A wall clock further ahead of the monotonic one than this is taken for a fault: commits are refused. */
  clockJumpMsMax: 60_000,
  /** Data that is further ahead of the clock than this at the start is told: machines differ by less. */
  clockBehindMsMax: 1_000,
  /** After this long a clock that jumped and then ran steadily is believed (a machine that was suspended). */
  clockJumpAcceptedAfterMs: 30_000,
  /** Asks from one thread to another that have no answer yet. */
  linkInFlightMax: 8_192,
  /** What those asks carry: as much as the other thread's mailboxes take, should it be stuck and empty none of them. */
  linkBytesMax: 64 * 1_024 * 1_024,
  /** Sent to a thread and not read: all the asks there may be, and half as much of answers. Over it that thread's asks are refused. */
  linkUnreadBytesMax: 96 * 1_024 * 1_024,
  /** A frame between two threads is posted when it has this much, else at the end of the iteration of its loop: a thread keeps room for one. */
  linkFrameBytes: 256 * 1_024,
  /** Names of members two threads have agreed to number. Callers choose some of them: over it both begin anew. */
  linkShapeNamesMax: 2_048,
  /** Published events kept per shard for subscribers. */
  publishedKeptMs: 86_400_000,
  publishedBytesMax: 64 * 1_024 * 1_024,
  /** One look for events, by number and by bytes: some frames of a link, and what a slow subscriber holds of each thread. */
  eventPageMax: 256,
  eventPageBytesMax: 1_024 * 1_024,
  /** Pages a new subscriber holds until every thread has said where it begins: one that is away is back by then, or is not. */
  eventPagesHeldMax: 32,
  /** A subscriber's cursor names every shard: it comes once for so many events or so long, and while nothing happens far within what is kept. */
  eventsCursorMax: 100,
  eventsCursorMs: 1_000,
  eventsIdleCursorMs: 10_000,
  /** One look back for a list of events, and how many a page of it looks at: what a rare kind costs a caller. */
  eventsPastMax: 64,
  eventsLookedMax: 2_048,
  /** A read is answered from memory only this long after a commit or heartbeat proved the ownership. */
  ownershipProvenMs: 2_000,

  /** Calls to the outside under way in one thread: each holds a socket and a body. */
  effectsRunningMax: 256,
  /** Of handlers that only wait, such as for the next event: each holds a cursor. */
  effectsWaitMax: 2_048,
  /** Of those, of one lane: a slow provider takes an eighth of them. A module may ask for more, up to the second. */
  effectLaneMax: 32,
  effectLaneMaxMax: 128,
  /** Effects whose time has come, in memory: an address each, some 200 bytes. The rest waits in rows. */
  effectsWaitingMax: 65_536,
  /** How long an attempt may take by default, and at most: longer ones are polled for. */
  effectLeaseMs: 60_000,
  effectLeaseMsMax: 900_000,
  /** How long a thread that stops waits for effects under way. */
  effectDrainMs: 10_000,
} as const;
