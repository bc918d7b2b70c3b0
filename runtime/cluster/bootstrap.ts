import type { LinkStats } from "../links/stats.ts";
import type { ThreadStats } from "../stats.ts";
import type { MoveStats } from "./stats.ts";

/** What a worker of a cluster's node knows from its start. */
export interface ClusterBootstrap {
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
  readonly moving: readonly number[];
  readonly links: readonly LinkStatus[];
}

interface LinkStatus extends LinkStats {
  readonly node: string;
  readonly held: number;
  /** Since anything was heard of it. */
  readonly silentMs: number;
}

/** The cluster as one node sees it, for operators. */
export interface ClusterReport {
  readonly node: string;
  readonly version: number;
  readonly nodes: readonly NodeReport[];
  readonly unheld: number;
  readonly moving: readonly number[];
  readonly stats: MoveStats;
}

export interface NodeReport {
  readonly node: string;
  readonly address: string;
  readonly zone: string;
  readonly workers: number;
  /** "leaving": not in the list any more, and still there. "silent": in the list, and not heard. */
  readonly state: "member" | "leaving" | "silent";
  /** Shards it says to hold, and those it should hold. */
  readonly held: number;
  readonly share: number;
  /** Since it was last heard; 0 for the node that is asked. */
  readonly silentMs: number;
  /** Shards on their way to it, as it told last. */
  readonly moving: readonly number[];
  readonly link: LinkStats | undefined;
}

export interface NodeStats {
  readonly node: string;
  readonly allStats: readonly ThreadStats[];
}

/** The worker that has the links to other nodes: the one with the internal plane. */
export const bridgeWorker = 0;
