import type { OpenedShard } from "../journal.ts";

/** What a worker asks of the host, which owns the generation file and the list of segments. */
export interface Control {
  open(shards: readonly number[]): Promise<OpenedShard[]>;
  /** `starting`: the worker has none yet and may use a spare kept for starts. */
  segment(starting: boolean): Promise<SegmentGrant>;
  /** A segment is full: its end, and the last sequence in it of each shard. */
  sealed(path: string, end: number, lastSeqs: ShardSeqs): Promise<void>;
  trim(marks: ShardSeqs): Promise<void>;
  /** Asks for the reserve to be removed, for a write that makes room. */
  reserve(): Promise<void>;
  files(shard: number): JournalFiles;
}

/** A sequence of each of some shards. */
export type ShardSeqs = readonly (readonly [shard: number, seq: number])[];

export interface JournalFiles {
  readonly paths: readonly string[];
  /** The shard's last open. */
  readonly opened: { readonly epoch: number; readonly head: number };
}

export interface SegmentGrant {
  readonly path: string;
  readonly salt: Uint8Array;
  /** The greatest length of the segment. */
  readonly bytesMax: number;
}
