/** Nodes that share a store: versions, membership, moves of shards, links between nodes. */
export const clusterLimits = {
  /** The newest format of data in a shared store that this program knows (docs/cassandra.md says what each is). */
  formatMax: 1,
  /** Nodes whose protocol or format is further apart do not run together: each version knows the one before. */
  versionsApartMax: 1,
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
} as const;
