/** Experiments. */
export const experimentsLimits = {
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
  /**
   * How strongly the test of the sample ratio holds to the expected shares at first, in units. With 20 it sees 70:30 after about 110
   * units and 55:45 after about 1,900; with 10,000 it took 980 and 4,600. Small losses are seen as soon with either.
   */
  experimentRatioConcentration: 20,
  experimentMultipleShare: 0.01,
  /** Of one page of a list at a time. */
  experimentsAskedAtOnce: 16,
  /** Units of one shard in memory: 32,768 of an experiment, some 300 bytes each. */
  experimentUnitsRecent: 1_024,
  /** Times a door brings a shard the snapshot it asks for; each newer one is a change that came in between. */
  experimentSnapshotsMax: 5,
} as const;
