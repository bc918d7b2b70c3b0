/** Records of modules, pools, recipients, rules, routing. */
export const poolsLimits = {
  /** Filter fields of a list: every combination of their values has a counter in memory and a range that lists read. */
  collectionFiltersMax: 4,
  /** Rows that one page of a list by name looks at: where most are filtered out, the page is short and its cursor goes on. */
  collectionLookMax: 2_000,
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
} as const;
