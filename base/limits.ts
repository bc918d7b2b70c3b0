/** Every bound of the system, with its reason. Settings may lower or raise some; these are the defaults. */
export const limits = {
  /** Shards of an installation; fixed when a folder or keyspace is made, enough for 64 nodes of four threads. */
  shardCount: 256,

  /** A table key, so that LMDB (1,978 B) and a Cassandra clustering key both take it with room for prefixes. */
  keyBytesMax: 1_024,
  /** One journal batch: below Cassandra's batch guardrail and a fraction of a second of disk. */
  batchBytesMax: 512 * 1_024,
  batchEntriesMax: 1_000,
  /** A turn's commands share an entry up to this: a batch still has room for some of them. */
  turnBytesMax: 64 * 1_024,
  /** A journal segment file: at full speed a new one every second, and one is read in a tenth of a second. */
  segmentBytesMax: 64 * 1_024 * 1_024,
  /** A worker's first segment: made in a few milliseconds, and kept in reserve for a start on a full disk. */
  segmentStartBytes: 4 * 1_024 * 1_024,
  /** Segments that wait for the tables: their list has a slot of 64 KiB. At full speed this is the journal of 40 minutes. */
  segmentsMax: 2_400,
  /** What one sync makes durable; above this the batches of other shards wait for the next. */
  frameBytesMax: 2 * 1_024 * 1_024,
  /** A partition's name, so that with a key it fits LMDB's 1,978 B. */
  partitionBytesMax: 900,
  /** Two processes that start on one folder: how often the earlier looks again, how long an answer may take. */
  lockRetryMs: 50,
  lockAnswerMs: 1_000,
  /** How often a process looks whether its folder is still its own: a removed lock is noticed within a second. */
  folderWatchMs: 250,
  /** Rows waiting for a checkpoint; more starts one early. */
  checkpointBytesMax: 16 * 1_024 * 1_024,
  checkpointIntervalMs: 250,
  /** Room that must be left on the disk after a write to the tables: what the lists of free pages and deleted ranges take. */
  tablesRoomBytesMin: 32 * 1_024 * 1_024,
  /**
   * With less room than that, rows are stored in transactions of at most `tablesSliceBytesMax` of pages, and none begins with
   * less than `tablesFloorBytesMin` free on the disk: twice a slice, for the list of free pages and a journal that is written meanwhile.
   */
  tablesFloorBytesMin: 8 * 1_024 * 1_024,
  /** Room kept for commands that make room while the disk is full: their entries, and what the tables copy to delete rows. */
  reserveBytesMax: 32 * 1_024 * 1_024,
  /** A reserve of less does not get a write to the tables through. */
  reserveBytesMin: 8 * 1_024 * 1_024,
  /** The reserve is made of what is left above this: with less, making it would fill the disk. */
  reserveSparesBytesMin: 48 * 1_024 * 1_024,
  /** How often a process looks whether the reserve can be made: a start is not slowed down by it. */
  reserveLookMs: 1_000,
  /** Rows and bytes that one transaction of the tables deletes by range, or upgrades: other writes wait for it, some 20 ms. */
  tablesSliceRowsMax: 10_000,
  tablesSliceBytesMax: 4 * 1_024 * 1_024,
  /** Room for the tables' files to be made: empty they are five pages, and a file system needs some of its own. */
  tablesMadeRoomBytesMin: 256 * 1_024,
  /** What one write to the tables takes of it: putting ten thousand rows together stops a thread for some 15 ms. */
  checkpointWriteBytesMax: 2 * 1_024 * 1_024,

  /** Conditional batches under way per node: 256 gave the same rate at ten times the p99. */
  cassandraInFlightMax: 16,
  /** Plain table writes and reads under way per worker: enough to fill a quorum's round trip, not its queues. */
  cassandraRequestsMax: 64,
  /** Longer than the server's own 1.8 s + 2 s for a conditional write, so that its answer usually comes first. */
  cassandraRequestMsMax: 5_000,
  /** A change of the schema, which all nodes take note of before it is answered. */
  cassandraSchemaMsMax: 60_000,
  /** How long an unknown outcome is pursued before the caller is told that it is unknown. */
  cassandraResolveMsMax: 20_000,
  /** Rows of one partition go together up to the size at which a server begins to warn of large batches. */
  cassandraRowBatchBytesMax: 4 * 1_024,
  /** Keys in one IN list: one partition, one page. */
  cassandraKeysMax: 64,
  /** Rows per page of a scan: 256 rows of the largest payload stay below a response frame. */
  cassandraPageRows: 256,
  /**
   * Of so many deleted keys one is looked around (storage/cassandra/sweep.ts), which passes over what lies dead around it:
   * some 60 ms where that is 150,000 rows. A server refuses to read 100,000 marks; so many without a look do not come about.
   */
  cassandraSweepOneOf: 4_096,
  /** The newest format of data in a shared store that this program knows (storage/cassandra/schema.ts says what each is). */
  formatMax: 2,
  /** Nodes whose protocol or format is further apart do not run together: each version knows the one before. */
  versionsApartMax: 1,
  /** A bucket of a collection: a quarter of 256 MB, since what was overwritten stays in it until it is compacted. */
  cassandraBucketBytesMax: 64 * 1_024 * 1_024,
  /** Borders of one shard: they are one row, which is written whole with each change; some 400 KB then. */
  cassandraBordersMax: 4_096,
  /** Buckets of a worker whose growth is followed, and those that wait to be measured. */
  cassandraGrowthMax: 4_096,
  cassandraLooksMax: 64,
  /** Batches of a copy between buckets under way: flushes go first. */
  cassandraCopyRequestsMax: 16,
  /** Copies that were moved stay so long: reads that began before the move, and an owner that was just replaced, still find them. */
  cassandraLeftoverMs: 60_000,
  /** What one page of a replay aims at. */
  cassandraReplayBytes: 4 * 1_024 * 1_024,

  /** An object's chunk, which is also what is read of its file at once, and the chunks of one partition (16 MiB). */
  objectChunkBytes: 256 * 1_024,
  objectSegmentChunks: 64,

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
  parkedBytesMax: 8 * 1_024 * 1_024,
  /** One tenant on a thread: half of what the thread holds, so that another always finds room. */
  tenantParkedMax: 8_192,
  tenantParkedBytesMax: 32 * 1_024 * 1_024,
  /** Each has a timer and a caller's connection, some 4 KiB. */
  threadParkedMax: 16_384,
  threadParkedBytesMax: 64 * 1_024 * 1_024,
  /** Times one command may ask for rows, each a wait for the tables; more is a loop. */
  needRoundsMax: 16,
  /** Entities in memory per thread; the idle ones beyond it are put away. */
  residentEntitiesMax: 50_000,
  /**
   * What they take, estimated, and which share of a thread's heap limit that may be at most: as much again is garbage
   * before a collection, and requests need the rest. 512 MiB are 35,000 idle pools.
   */
  residentBytesMax: 512 * 1_024 * 1_024,
  residentHeapShareMax: 0.25,
  /** An empty one: a third of what an idle pool with its two twins was measured to take. */
  residentEntityBytes: 5_000,
  /** An idle one is put away after this, and then takes no more than its place in other lists; reading it again takes a millisecond. */
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
  /** A subscriber's cursor comes by itself after so many events that are not for it, or so long: far within what is kept. */
  eventsPassedMax: 1_000,
  eventsCursorEveryMs: 60_000,
  /** A read is answered from memory only this long after a commit or heartbeat proved the ownership. */
  ownershipProvenMs: 2_000,

  /** How often a node writes its heartbeat and reads those of the others: three small statements each time. */
  memberBeatMs: 500,
  /** A node whose heartbeat stood still for four rounds is removed: its shards are served again within five seconds. */
  memberSuspectMs: 2_000,
  /** Shards that move to a node at a time; each is paused meanwhile, and opening them takes votes from commits. */
  movesAtOnce: 4,
  /** What a node that gives a shard away waits for the commits under way; after that it keeps the shard for now. */
  moveSettleMs: 2_000,
  /** What a node that takes shards waits for the links to nodes that may hold them; then the fence decides. */
  moveLinksMs: 1_000,
  /** A request that met a shard on the move is tried again after this, doubled up to the maximum, until its deadline. */
  movedRetryMs: 10,
  movedRetryMsMax: 200,
  /** A link to a node that is away is tried again after this, doubled up to the maximum. */
  nodeDialMs: 100,
  nodeDialMsMax: 1_000,
  /** How often nodes say that they are there. One that is silent for `nodeSilentMs` may have told something that was lost. */
  nodePingMs: 250,
  nodeSilentMs: 750,
  /** A link that is silent for this long is closed: longer than a collection of garbage, shorter than most deadlines. */
  nodeGoneMs: 5_000,
  /** What a node that is called has for its answer: it is beside this one, or away. */
  nodeDialAnswerMs: 2_000,
  /** A frame between nodes: all the asks that may wait at once, and as much again of names and texts. */
  nodeFrameBytesMax: 128 * 1_024 * 1_024,
  /** What a start waits for shards to have holders: a node that died is suspected, and its shards opened, several times over. */
  clusterStartMs: 30_000,

  /** Defaults of the spec. */
  pageSizeDefault: 50,
  pageSizeMax: 1_000,
  pageBytesMax: 4 * 1_024 * 1_024,
  pageOffsetMax: 10_000,
  bodyBytesMax: 4 * 1_024 * 1_024,
  /** Bodies that are not complete, of all connections of the process: 64 of the largest, and a small part of a heap. */
  requestMemoryMax: 256 * 1_024 * 1_024,
  /** Answers one connection leaves unread before no further request of it is answered: a quarter of the largest page. */
  connectionUnreadBytesMax: 1_024 * 1_024,
  /** Requests of HTTP/1.1 that wait behind one in progress on their connection: more than clients pipeline. */
  pipelinedMax: 1_000,
  /** Pieces that one body or message may come in: so many, and one more for every so many bytes. */
  piecesMax: 1_000,
  pieceBytesMin: 64,
  /** Files and sockets that clients do not get: journals, tables, threads and logs have some dozens. */
  descriptorsKept: 512,
  headerCountMax: 64,
  /** One header: a large token fits. All of them together: what Node's own parser takes. */
  headerBytesMax: 8 * 1_024,
  headersBytesMax: 16 * 1_024,
  /** Paths whose route is remembered, and how long one may be: those of a thousand pools take less than 300 KiB. */
  knownPathsMax: 1_024,
  knownPathLengthMax: 128,
  /** How often calls that wait are looked through for one whose time is up. */
  deadlineTickMs: 100,
  /** A client that needs longer for its headers is not one of ours. */
  headersTimeoutMs: 10_000,
  /** An answer below this goes out as it is: it fits into a packet either way, and packing it costs 0.1 ms. */
  gzipBytesMin: 1_024,
  /**
   * Bodies that a thread packs or unpacks at once. A bomb of some KiB may grow to a whole body, and the pool of threads that
   * does it also writes the journal.
   */
  gzipsMax: 2,
  /** How often uWebSockets.js is told that a slow body is still waited for: it closes connections that were slow for 10 s. */
  bodyKeepMs: 4_000,
  /** How often certificates are read again: they are renewed days before they end, and operators watch them do it. */
  certificatesLookMs: 10_000,
  /**
   * New space of a worker's heap under load, two halves of 32 MB; it starts small and shrinks at rest. Items live for some
   * milliseconds: with halves of 8 MB many outlived two collections and had to be found dead among the old ones.
   */
  youngGenerationMegabytes: 96,
  /**
   * Old generations of all workers, as a share of the memory there is: the rest is for young generations, buffers, the tables'
   * pages and the other threads. Of one worker: with less it does not start, more V8 gives no process either.
   */
  workersMemoryShareMax: 0.5,
  workerHeapMegabytesMin: 96,
  workerHeapMegabytesMax: 4_096,
  /** A thread that was quiet this long gives its young generation back: V8 wants five seconds. Only a small heap: 30 ms. */
  idleLookMs: 6_000,
  idleCollectionBytesMax: 64 * 1_024 * 1_024,
  /** Longer than the idle time of the usual load balancers, so that they close first. */
  keepAliveTimeoutMs: 75_000,
  jsonDepthMax: 64,
  requestTimeoutMs: 30_000,
  /** A caller may ask for a longer deadline than the default, up to this: an hour holds no slot for ever. */
  requestTimeoutMsMax: 3_600_000,
  /** A long poll answers after its wait; what it takes beyond that is the answer's own way. */
  longPollGraceMs: 5_000,
  /** A stream is opened anew once a day at least, so that a change of credentials or servers reaches it. */
  streamTimeoutMs: 86_400_000,
  /** How long a sender may finish a body that is not wanted any more, so that it gets to read why. */
  lingerMs: 1_000,
  /** How long a client may leave unread what it was sent by a call that is over or a server that stops; below its grace. */
  unreadMs: 5_000,
  /** Calls at once on one HTTP/2 connection: plenty for one client, and a reset flood stays small. */
  http2StreamsMax: 250,
  /** Of them, reset by the client within a second before they were answered: twice all it may have at once. */
  http2ResetsMax: 500,
  http2SessionMegabytesMax: 16,
  /**
   * A client that is gone without a word (a lost network, a machine without power) is noticed by a ping without an answer:
   * so often they are sent, and so long one may take. TCP notices after a quarter of an hour, and only where it sends.
   */
  http2PingMs: 30_000,
  http2PingAnswerMs: 20_000,
  /** A long connection pins a client to one process; after this it is asked to come again. */
  connectionAgeMs: 1_800_000,
  connectionAgeGraceMs: 30_000,
  /** Token buckets in a thread's memory, the least used beyond it are forgotten (and full again). */
  rateBucketsMax: 100_000,
  /**
   * How long a thread may keep tokens of a shared bucket, and how old its refusal may be: a tenth of a second's tokens at most
   * lie unused in an idle thread, and a busy one asks ten times a second instead of once a call.
   */
  rateLeaseMs: 100,
  /** How long a thread that ends waits for its last traces to be taken: a collector that works needs a fraction of it. */
  tracesFlushMs: 2_000,
  /** A free port that is taken in the moment before it is used, this many times in a row, is no accident. */
  freePortAttemptsMax: 16,
  /** How often a thread that replaced another tries the ports it could not open. */
  doorsRetryMs: 1_000,
  /** Redis: how long a start waits for it, how often one that is gone is tried, when a silent connection is given up. */
  redisConnectMs: 1_000,
  redisRetryMs: 1_000,
  redisSilenceMs: 5_000,
  /** Answers in a row that did not come in time before no call waits for Redis any more. */
  redisFailuresMax: 3,
  idempotencyKeyLengthMax: 255,
  idempotencyKeptMs: 86_400_000,
  retryAfterMs: 1_000,
  /** Slow calls logged a second, of a plane and thread: enough to see which; a line costs more than many a call. */
  slowRequestLinesMax: 10,
  /** Lines about refused credentials a second, of a thread, and as many about denied calls: anybody can cause them. */
  accessLinesMax: 10,
  /** Field errors of one answer: enough to mend a form, too few to fill a log. */
  fieldErrorsMax: 20,
  /** Of their texts: RPC errors carry them in trailers, of which some clients take 8 KiB, and base64 adds a third. */
  fieldErrorsLengthMax: 4_096,
  /** A field's path in an error: deeper than any of ours, shorter than what a caller may have invented. */
  fieldPathLengthMax: 256,
  /** A message with more values than this is told its first error only; finding all would cost more than the message. */
  thoroughNodesMax: 2_000,

  /** Filter fields of a list: every combination of their values has a counter in memory and a range that lists read. */
  collectionFiltersMax: 4,
  /** Records of one resource in one entity, where its module says no other number: a list that people read. */
  recordsMax: 1_000,
  /** Entities one collection is spread over: a list asks all of them, and waits for the slowest. */
  partitionsMax: 64,
  /** Handles have 40 bits: a second draw is rare, an eighth means something else is wrong. */
  handleDrawsMax: 8,
  /** A pool: what one entity keeps in memory and one strategy looks through in microseconds. */
  recipientsMax: 10_000,
  /** Free data of a recipient or an outcome: notes and links, not documents; ten thousand of them stay in memory. */
  metadataBytesMax: 16 * 1_024,
  /** Paths of an update mask: a merge patch has one for every member it names, and metadata of 16 KiB has some thousands. */
  updateMaskPathsMax: 4_000,
  /** Labels and skills of a recipient, each: a decision may look at them. Patches add up to no more than one request sets. */
  recipientTraitsMax: 64,
  /** Keys of a pool that have a weight of their own; the pool keeps them in memory. */
  fairnessWeightsMax: 1_000,
  /** Expressions of concurrency controls that a pool remembers, four of them in use: with more, numbers are used again. */
  controlNamesMax: 64,
  rulesMax: 200,
  /** Restrictions, or preferences, held against recipients one after the other; of more, each label and skill is looked at once. */
  selectorsEachMax: 4,
  /** As the contract has it: what is given out is never more than what may be sent. */
  ruleOrderMax: 1_000_000,
  routeBatchMax: 1_000,
  /** What a RouteStream or Work reads ahead of its answers: with one more message of 4 MiB still less than a mailbox takes. */
  streamAheadBytesMax: 1_024 * 1_024,
  /** Reservations of one pool that wait for an outcome or their end. */
  reservationsMax: 100_000,
  redirectHopsMax: 3,
  /** Routing decisions and outcomes can be read for a day; they are forgotten a whole bucket at a time. */
  routingKeptMs: 86_400_000,
  routingBucketMs: 600_000,
  /** Outcomes are kept by the day, and a day longer. */
  outcomeDayMs: 86_400_000,
  /** Recipients that one request has explained: all of the largest pool, some 2 MB. The routes of a batch share them. */
  explainedMax: 10_000,
  /** Of the text that says why: a label may have 256 characters, a key as many. */
  explainedDetailLengthMax: 256,
  /** Of an explanation inside an RPC error: trailers of 8 KiB are all that some clients take, and base64 adds a third. */
  explainedTrailerBytesMax: 4_096,
  /** Round robin starts its count again here, far from the end of exact integers (2 picks times a weight of a million). */
  picksMax: 1_000_000_000,
  /** How exactly a recipient's last assignment is kept where no strategy reads it: a second, for people who look. */
  assignedStepMs: 1_000,
  /** Candidates recorded with a decision; beyond them a sample and a digest. */
  recordedCandidatesMax: 256,
  recordedSampleMax: 16,
  /** A probe or an ejection never keeps a recipient out longer than this. */
  ejectionMsMax: 3_600_000,

  /** CEL: a screen of text; the longest takes some 20 ms to parse. */
  celBytesMax: 4_096,
  celDepthMax: 64,
  /**
   * Of one expression, and of all rules on one item. `bench/cel-cost.bench.ts` keeps a step under 0.4 us on the machine of
   * bench/RESULTS.md: 4 ms and 20 ms at worst.
   */
  celStepsMax: 10_000,
  celItemStepsMax: 50_000,
  /**
   * Of all entries of one command, with what it looks at to route them: 60 ms at worst, and the last entry on top. A batch that
   * needs more goes on in another command, so that others run between.
   */
  commandStepsMax: 150_000,
  /** What an ordinary command takes: 50 us. One that spends more counts as several in the turn of its thread. */
  commandSteps: 200,
  /** To look at one recipient for one route, beside what an item asks of it; for each of those; and to say why it was in or out. */
  recipientSteps: 0.35,
  traitSteps: 0.05,
  explainedSteps: 8,
  /** Values of one item that an expression can see, and characters of one of them. */
  celValuesMax: 10_000,
  celTextMax: 65_536,
  /** Compiled expressions kept per thread. */
  celCacheMax: 4_096,

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
  /** Rows at the head of a line that no longer count and are deleted together. */
  queuePassedMax: 512,
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
  /** Rows a page of a filtered list looks at before it ends with a cursor. */
  queueListLook: 2_000,
  /** Pools a list asks at a time: a page of the usual size at once, and some 30 MB where all are as large as pools may be. */
  poolsAskedAtOnce: 50,
  /** Pools a page of all admission groups asks before it ends with a cursor: each is a question to another entity. */
  groupPoolsAsked: 200,
  /** How long an item is kept for the recipient its key sticks to. */
  stickyKeptMs: 5_000,
  /** Calls to the outside under way in one thread: each holds a socket and a body. */
  effectsRunningMax: 256,
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
  /** A lease token is a bearer's proof: 128 bits cannot be guessed. */
  leaseTokenBytes: 16,
  /** Of a tenant or an entity: seals cursors, redacts, makes fingerprints. As long as the hash it keys. */
  secretBytes: 32,
  /** Of an API key: 256 bits cannot be guessed, so the cost of its hash bounds what a verification takes, not what a guess does. */
  apiKeySecretBytes: 32,
  apiKeyHashCost: 10,
  /** Longer ones are not looked at: `sy_`, 26 characters of id, `_`, 43 of secret. */
  apiKeyLength: 73,
  /** Keys of a tenant that are not revoked. */
  apiKeysActiveMax: 10_000,
  /** A list asks each key of its page when it was last used. */
  apiKeysAskedAtOnce: 50,
  apiKeyUsedEveryMs: 60_000,
  /** Verified keys in one thread's memory, and how long their records are believed: the backstop of a lost broadcast. */
  apiKeysVerifiedMax: 10_000,
  apiKeyVerifiedMs: 60_000,
  /** Hashes of one thread that wait: at 60 ms each the last one waits two seconds. */
  keyHashesWaitingMax: 32,
  /** Hashes of one thread at a time: the journal writes in the same four threads of the process. */
  keyHashesAtOnce: 1,
  /**
   * Bad keys of one source address a second and thread, and at once; and the addresses that are remembered. A hash takes
   * 55 ms: at two a second bad keys take a tenth of a core from those who have good ones.
   */
  badKeysPerSecond: 2,
  badKeysAtOnce: 50,
  badKeySourcesMax: 10_000,
  /** Of a bearer token: longer ones are not looked at. Headers have 16 KiB in all. */
  tokenLengthMax: 8_192,
  keyIdLengthMax: 256,
  /** How far the clocks of who issues tokens and of this service may be apart. */
  tokenClockToleranceMs: 60_000,
  serviceTokenSecondsMax: 300,
  /** Signs service tokens: as long as the hash it keys. */
  tokenSecretBytesMin: 32,
  /** An issuer's keys are fetched anew after the first; while it cannot be reached they are used until the second. */
  issuerKeysMs: 600_000,
  issuerKeysMsMax: 3_600_000,
  /** Between two fetches, whatever tokens come. */
  issuerCoolDownMs: 30_000,
  issuerTimeoutMs: 5_000,
  /** A thread hands its audit entries over this often: what the end of the thread can lose. And so many at once, more are counted as lost. */
  auditBatchMs: 100,
  auditBatchMax: 10_000,
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
  /** Findings of a check that are listed: a log that is damaged everywhere is not listed line by line. */
  auditFindingsMax: 20,
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
  deadLetterRetriesMax: 10,
  deadLetterStepMax: 250,
  deadLetterJobsMax: 10,
  deadLetterJobsKept: 100,
  /** Settlements that one Work stream may have under way. */
  workPendingMax: 2_000,
  /** Frames that wait to be read by a worker before we read no more of it: a few, most carry many results. */
  workUnsentMax: 100,
  /** Leases a Work stream knows, to tell of their loss; its worker may settle them elsewhere. Of older ones it hears when it settles. */
  workHeldMax: 2_000,

  /** Tenants that one thread knows the facts of; a kilobyte or so each. Of others it asks again. */
  tenantsKnownMax: 10_000,
  /** Rows and steps from one partition to another in one step of measuring what tenants store: about a millisecond. */
  measureStepsMax: 500,
  /** How often what tenants store is measured, at most; and how many times as long as it took it pauses: 5 % of a thread. */
  storageMeasureMs: 1_000,
  storageMeasurePauses: 19,
  /** Changed tenants that one re-read names: a thread that missed more asks again at once. */
  tenantChangesMax: 1_000,
  /** How often a thread asks which tenants have changed: with the broadcast lost, a change is known within a second. */
  tenantsReadMs: 500,
  /** After a deletion: longer than a thread needs to know of it, and than a request that was taken before usually lasts. */
  tenantPurgeAfterMs: 60_000,
  /** Entities of a deleted tenant that are told to go at once, and how often its directory looks for more. */
  purgeStepMax: 100,
  purgeStepMs: 1_000,
  /** When what stayed (a legal hold) is told again. */
  purgeAgainMs: 600_000,
  /** What operations without a limit used is told to the quotas this often. */
  quotaNotesMs: 1_000,
  /** Server-sent events: how often a silent one says something, and when a client that reads nothing is cut off. */
  sseHeartbeatMs: 15_000,
  ssePatienceMs: 30_000,
  /** How soon clients come back that were cut off. */
  sseRetryMs: 2_000,

  /** WebSockets: messages a client may send before more are granted, and how long its headers may take. */
  socketCredit: 64,
  socketHeadersMs: 5_000,
  /** Sent and not taken by the client; beyond it the stream waits, as long as a stream of events would. */
  socketUnreadBytesMax: 256 * 1_024,
  /** How often a client is asked whether it is there. */
  socketPingMs: 20_000,

  /** A record inside a stream; what is larger is an object. */
  streamRecordBytesMax: 64 * 1_024,
  /** Records of one append in one row: who reads one record reads no more than this. */
  streamChunkBytesMax: 64 * 1_024,
  /** The end of a stream in memory, for readers that keep up: what some hundred small appends leave. */
  streamTailBytesMax: 256 * 1_024,
  streamTailChunksMax: 256,
  /** Of records in one answer, and the rows that are read for it: single records of some bytes fill a page of a thousand. */
  streamPageBytesMax: 1_024 * 1_024,
  streamPageChunksMax: 1_000,
  /** Rows that one step of pruning looks at: 4 MiB at most. */
  streamTrimChunksMax: 64,
  /** How long an append over a bound of its stream waits to be pruned with others. */
  streamTrimDelayMs: 1_000,
  /** The latest records of a stream that a thread has for its subscribers; who is further behind reads rows. */
  streamLiveRecordsMax: 256,
  streamLiveBytesMax: 1_024 * 1_024,
  /** How long a thread waits for the next record of a stream at a time, and before it asks again one that does not answer. */
  streamLiveWaitMs: 25_000,
  streamLiveRetryMs: 200,
  /** Consumers of a stream: all are looked at for the lowest acknowledgement. */
  streamConsumersMax: 1_000,
  /** Producers that a stream remembers, and of one the runs of records whose sequences a repeat is told. */
  streamProducersMax: 10_000,
  streamProducerRangesMax: 64,
  /** Ceilings of a stream that names none, and how long its appends wait for credit. */
  streamUnreadItems: 10_000,
  streamUnreadBytes: 64 * 1_024 * 1_024,
  streamBlockMs: 30_000,
  /** What a producer is told to wait at most, however slowly consumers read. */
  streamRetryAfterSecondsMax: 60,
  /** An object of a stream; how long it may take to be committed; those of one stream that are not; what is sent at once. */
  streamObjectBytesMax: 32 * 1_024 * 1_024,
  streamObjectExpiryMs: 3_600_000,
  streamObjectsOpenMax: 1_000,
  streamObjectPieceBytes: 64 * 1_024,
  /** How often an object that has expired under a legal hold is looked at again. */
  streamObjectHeldMs: 3_600_000,
  /** When the bytes of an object that was given up are deleted once more: an upload is a stream, and over after a day. */
  streamObjectLateMs: 25 * 3_600_000,
  /** Streams of one run: steps of a workflow have some each. */
  runStreamsMax: 10_000,
  /** Events of one run that are kept, and how long after the last one. */
  waitEventsMax: 1_000_000,
  waitEventsKeptMs: 7 * 86_400_000,
  /** Event keys of a run in memory that were published lately: who waits for one of them is woken. */
  waitKeysHeardMax: 1_000,
  /** Entities that share the units of one experiment; part of their addresses, never changed. 32 fill the threads of a large node. */
  experimentShards: 32,
  /** Of one tenant: each is an entity with 32 others, and a list asks every one of its page. */
  experimentsMax: 10_000,
  experimentGroupsMax: 1_000,
  /** A group is one row. */
  experimentGroupRangesMax: 1_000,
  /** A variant's payload is told with every assignment; all of them are in one row of every shard. */
  experimentPayloadBytesMax: 16 * 1_024,
  experimentPayloadsBytesMax: 128 * 1_024,
  /** What targeting looks at, parsed and converted with every assignment. */
  experimentAttributesBytesMax: 16 * 1_024,
  /** Every phase has its own sums in every shard. */
  experimentPhasesMax: 100,
  /** How often guardrails are looked at: a breach is found soon, and a look costs 33 questions. */
  experimentLookMs: 300_000,
  /** How far the clock of a sender may be ahead. */
  experimentScoreAheadMs: 60_000,
  /** Scores come late; after this they are no outcome of the experiment. */
  experimentScoresOpenMs: 30 * 86_400_000,
  /** Units are kept so long after scores have closed, for questions; sums stay. */
  experimentUnitsKeptMs: 30 * 86_400_000,
  /** A sample ratio of which less is by chance is off; one in a hundred units with two variants is too many. */
  experimentRatioP: 0.001,
  experimentMultipleShare: 0.01,
  /** Secrets of tenants that a thread keeps at its door; 100 bytes each. */
  experimentSecretsMax: 10_000,
  /** Of one page of a list at a time. */
  experimentsAskedAtOnce: 16,
  /** Units of one shard in memory: 32,768 of an experiment, some 300 bytes each. */
  experimentUnitsRecent: 1_024,
  /** Times a door brings a shard the snapshot it asks for; each newer one is a change that came in between. */
  experimentSnapshotsMax: 5,
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
  /** Fields of a session, sealed as one. */
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
  /** A run and its waits that nothing happens to are put away after this: very many wait for days, and reading one takes a millisecond. */
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
  /** Figures of runs that ended are kept in steps of five minutes, for a day. */
  workflowFigureMs: 300_000,
  workflowFiguresMs: 24 * 3_600_000,
  /** Of a pool, besides those in use: what a year of weekly changes leaves, several times over. */
  poolVersionsMax: 200,
  poolVersionBytesMax: 256 * 1_024,
  /** Of a tenant that are not over: each may hold a canary. */
  promotionsOpenMax: 100,
  /** Candidates that a list asks at once: each answers with what its preflight found. */
  promotionsAskedAtOnce: 20,
  promotionChecksMax: 50,
  /** Of one artifact in a preflight: more than anybody reads, and all of them fit an answer. */
  promotionImpactsMax: 100,
  /** How long a caller waits for the targets of an operation before it is told what is still missing. */
  promotionParkMs: 10_000,
  /** Between two looks at a canary: some hundred looks while it runs, so each has a z of 3.29. */
  promotionLookMs: 30_000,
  /** An operation by timer that meets one of a caller tries again after it. */
  promotionAgainMs: 1_000,

  /** Notifications. A card is one row: one read decides what is sent to a subscriber. */
  cardBytesMax: 64 * 1_024,
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
  /** How long a trigger waits for the first outcomes. */
  triggerWaitMs: 10_000,
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
  noticeSubjectMax: 4_096,
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
  broadcastToldEvery: 100,
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

  /** A JSON Schema of a tenant: how deep it goes, and how many errors of a value are told. */
  schemaDepthMax: 16,
  schemaErrorsMax: 20,

  /** Evidence of a tenant: what its directory lists, and the gate of one pack has in memory. */
  evidencePacksOpenMax: 1_000,
  evidenceArtifactsMax: 200,
  evidenceArtifactBytesMax: 256 * 1_024,
  evidenceReceiptsMax: 1_000,
  evidenceRunsOpenMax: 20,
  evidenceRunsMax: 1_000,
  /** Free-form details of a receipt, as JSON. */
  evidenceDetailsBytesMax: 16 * 1_024,
  /** A producer's clock may be this far ahead of ours. */
  evidenceClockSkewMs: 60_000,
  /** How old a receipt may be, and how long it may hold: 400 days, a yearly audit and a month. */
  evidenceAgeMsMax: 400 * 24 * 3_600_000,
  /** Receipts that an explanation tells beside the one that decided. */
  evidenceOthersMax: 20,
  /** Packs that a list asks at once. */
  evidencePacksAskedAtOnce: 50,
  /** Keys of producers that one tenant trusts: each signature is tried with each of them. */
  evidenceTrustedKeysMax: 20,
  /** Of a signed receipt, in base64. */
  evidenceEnvelopeBytesMax: 128 * 1_024,
  evidenceSignaturesMax: 10,
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
  rendersWaitingMax: 4_096,
  renderWaitingBytesMax: 64 * 1_024 * 1_024,
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

  /** A suite of conformance cases: `all` has to fit into a request with its deadline. */
  conformanceSuiteMs: 25_000,
  conformanceCasesAtOnce: 4,
  conformanceDetailLengthMax: 300,
  /** A sandbox tenant is gone after this, whatever becomes of its run. */
  conformanceSandboxMs: 900_000,
  /** Left of a run's deadline for its report. */
  conformanceMarginMs: 2_000,
  conformanceReportsMax: 200,
} as const;
