/** Workflow streams, their objects, what runs wait for. */
export const streamsLimits = {
  /** A record inside a stream; what is larger is an object. */
  streamRecordBytesMax: 64 * 1_024,
  /** Of one append: members of its records, times the pointers that may go through them. About 100 ms of the thread. */
  streamRedactionStepsMax: 400_000,
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
} as const;
