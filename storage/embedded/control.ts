/** What a worker asks of the host, which owns the generation file and the list of segments. */
export type ControlRequest =
  /** Answered with OpenedShard[]. */
  | { readonly type: "open"; readonly shards: readonly number[] }
  /** Answered with a SegmentGrant. `starting`: the worker has none yet and may use a spare kept for starts. */
  | { readonly type: "segment"; readonly starting: boolean }
  /** A segment is full: its end, and the last sequence in it of each shard as [shard, sequence]. */
  | {
      readonly type: "sealed";
      readonly file: string;
      readonly end: number;
      readonly lastSeqs: readonly (readonly [number, number])[];
    }
  | { readonly type: "trim"; readonly marks: readonly (readonly [number, number])[] }
  /** Asks for the reserve to be removed, for a write that makes room. */
  | { readonly type: "reserve" }
  /** Answered with JournalFiles. */
  | { readonly type: "files"; readonly shard: number };

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
