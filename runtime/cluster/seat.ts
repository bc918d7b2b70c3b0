/** What a worker of a cluster's node knows from its start. */
export interface ClusterSeat {
  readonly node: string;
  /** Written by the main thread: see `ProofReader`. */
  readonly proof: SharedArrayBuffer;
  readonly movesAtOnce: number;
}

/** What the worker with the links says of the cluster, as plain data. */
export interface ClusterStatus {
  readonly version: number;
  /** Shards of this node, of all its workers. */
  readonly held: number;
  /** Shards that no node is known to hold. */
  readonly unheld: number;
  /** Shards on their way to this node. */
  readonly moving: readonly number[];
  readonly links: readonly LinkStatus[];
}

interface LinkStatus {
  readonly node: string;
  readonly held: number;
  /** Since anything was heard of it. */
  readonly silentMs: number;
}

/** The worker that has the links to other nodes: the one with the internal plane. */
export const bridgeWorker = 0;
