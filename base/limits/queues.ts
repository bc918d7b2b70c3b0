/** Queues, dead letters, the Work stream. */
export const queuesLimits = {
  /** A pool that is watched is asked so often, and has so long to answer. */
  liveSampleMs: 1_000,
  liveAskMs: 5_000,
  /** Over this time rates are told; samples of it are in memory, a few for each pool. */
  liveRatesMs: 10_000,
  /** Of a pool with ten thousand: what a screen shows. */
  liveRecipientsMax: 100,
  livePoolsMaxDefault: 2_000,
  /** Intervals by which a queue knows how long its ready items wait: some two hours by the minute, or a week with wider ones. */
  queueAgesMax: 96,
  /** A queue tells its meter so long after a change, one message for all of them, and so often while an item waits or is leased. */
  queueTellMs: 10_000,
  queueTellAgainMs: 60_000,
  /** A day by the minute is 1,440 rows of some 60 bytes; `queue.series_hours` says another number, at most a week. */
  queueSeriesHoursDefault: 24,
  /** A queue. Bands are part of the contract; the rest bounds what one queue keeps in memory or does in one step. */
  queueBands: 5,
  payloadBytesMax: 256 * 1_024,
  enqueueBatchMax: 1_000,
  claimItemsMax: 100,
  /** Payloads of one claim: gRPC clients take messages of 4 MiB unless told otherwise, and what they refuse is leased already. */
  claimBytesMax: 2 * 1_024 * 1_024,
  claimWaitMs: 30_000,
  settleBatchMax: 1_000,
  /** What one command of a drain or a purge moves; longer ones are several commands. */
  queueStepMax: 1_000,
  /** Eligibility classes with live items: a claim looks at the head of each. */
  queueClassesMax: 64,
  /** Lists of a queue that memory knows, empty ones among them: one for each recipient of a full pool, and the classes. */
  queueListsMax: 10_064,
  /** Leases are in memory, since slots and expiry are counted from them. */
  queueLeasesMax: 100_000,
  /** Leases taken away that workers are told of; who is further behind hears of it when it settles. */
  queueLostLeasesMax: 1_000,
  /** Leases of one claim that share a row: fewer rows where they end together, little to write anew where they do not. */
  queueLeasesPerRow: 8,
  /** A payload up to here is written again with its item rather than kept in a row of its own. */
  queueInlineBytesMax: 1_024,
  /**
   * The head of each line in memory, and how many rows bring more of it: several claims for one read, and more than one run
   * of the timer takes (`queueTickItemsMax`).
   */
  queueWindowMax: 2_048,
  queueWindowRefill: 512,
  /** Items in line that have no row there yet: with more in line, new ones get one at once; after so long, all do. */
  queueRecentMax: 2_048,
  queueLineAfterMs: 10_000,
  queueLineSoonMs: 100,
  /** Items of all sorts that may come after one without a row: a restart reads them, in two or three rounds. */
  queueRecentReach: 20_000,
  /** Items that have waited longest, in memory: the age of the oldest is then read from rows once for as many departures. */
  queueOldestMax: 64,
  /** Held items of one admission group in memory. */
  queueHeldWindowMax: 64,
  /** Items a claim passes over before it gives its caller what it has. */
  queueLooksMax: 1_000,
  /** Items before another that are counted to tell its place behind a group; beyond it only a first bound is told. */
  queuePlaceLook: 1_000,
  /** Keys in memory; while all of a queue's keys fit, none is ever read. */
  queueGroupsHotMax: 50_000,
  queueFlowsHotMax: 50_000,
  queueDedupsHotMax: 50_000,
  flowKeyLengthMax: 64,
  /** Of a dedup id as it is: three bytes each, it still fits into a row's key of 1,024. */
  dedupLengthMax: 256,
  /** Longer keys are hashed anew each time: a thread keeps 50,000 texts with their ids, and a key may be 256 KiB. */
  redactedLengthMax: 256,
  /** Payloads of the items next in line. */
  queueBodiesAhead: 128,
  /** Rows one question asks for at a time. */
  queueReadsMax: 20_000,
  queueBodyCacheBytesMax: 16 * 1_024 * 1_024,
  /** Timers, leases and finished items handled by one run of a queue's timer: a few milliseconds. */
  queueTickItemsMax: 500,
  queueForgetRowsMax: 20,
  /** Finished items are forgotten in steps of this, so that one timer serves many. */
  queueRetentionStepMs: 1_000,
  /** How soon at the earliest a merged request is looked at again: its item may live on for days where retention is short. */
  queueRememberedLookMs: 60_000,
  queueSweepMs: 60_000,
  /** Rows one step of a sweep looks at, and the pause between two steps: a pass of 50,000 keys takes half a minute. */
  queueSweepMax: 500,
  queueSweepStepMs: 250,
  /** Who cleared a group and why can be read for as long as a finished item. */
  queueClearedKeptMs: 86_400_000,
  queueScanMax: 10_000,
  /** What a page of a filtered list looks at before it ends with a cursor: rows, and for a filter in CEL payloads and steps. */
  queueListLook: 2_000,
  queueFilterBytesMax: 4 * 1_024 * 1_024,
  queueFilterStepsMax: 200_000,
  /** Pools a list asks at a time: a page of the usual size at once, and some 30 MB where all are as large as pools may be. */
  poolsAskedAtOnce: 50,
  /** Pools a page of all admission groups asks before it ends with a cursor: each is a question to another entity. */
  groupPoolsAsked: 200,
  /** How long an item is kept for the recipient its key sticks to. */
  stickyKeptMs: 5_000,
  /** How often one dead letter may be retried. */
  deadLetterRetriesMax: 10,
  /** Jobs of one entity at once, what one step of a job looks at, and how many that have ended can be read, for how long. */
  jobsRunningMax: 4,
  jobStepMax: 250,
  jobsKept: 20,
  jobKeptMs: 7 * 86_400_000,
  /** Entries of an item's history that can be read, and how much of an error each keeps. */
  queueHistoryMax: 20,
  queueHistoryErrorMax: 512,
  /** What a worker may say of one lease, and all workers of a queue together: it is in memory with the leases. */
  progressDataBytesMax: 4 * 1_024,
  queueProgressBytesMax: 32 * 1_024 * 1_024,
  /** Settlements that one Work stream may have under way. */
  workPendingMax: 2_000,
  /** Frames that wait to be read by a worker before we read no more of it: a few, most carry many results. */
  workUnsentMax: 100,
  /** Leases a Work stream knows, to tell of their loss; its worker may settle them elsewhere. Of older ones it hears when it settles. */
  workHeldMax: 2_000,
} as const;
