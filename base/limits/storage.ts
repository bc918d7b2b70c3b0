/** What is stored: keys, journal, tables, Cassandra, objects. */
export const storageLimits = {
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
} as const;
