import { limits } from "#base";
import type { JournalBatch } from "../journal.ts";
import type { SegmentGrant, ShardSeqs } from "./control.ts";
import { encodeFrame, sealBytes } from "./frame.ts";
import type { JournalFile, OpenJournalFile } from "./journal-file.ts";
import { segmentHeaderBytes } from "./segment.ts";

/** The longest frame that an empty segment of the greatest length can hold. */
export const frameBytesLimit = limits.segmentBytesMax - segmentHeaderBytes - sealBytes;

type Done = (error: Error | null) => void;

/** The segment a worker writes to: one frame after the other, each synced before the next. */
export class SegmentWriter {
  readonly path: string;
  readonly #salt: Buffer;
  readonly #file: JournalFile;
  readonly #bytesMax: number;
  /** Everything before this offset is synced. */
  #offset = segmentHeaderBytes;
  readonly #lastSeqs = new Float64Array(limits.shardCount);

  constructor({ path, salt, bytesMax }: SegmentGrant, openFile: OpenJournalFile) {
    this.path = path;
    this.#salt = Buffer.from(salt);
    this.#bytesMax = bytesMax;
    this.#file = openFile(path);
  }

  fits(length: number): boolean {
    return this.#offset + length + sealBytes <= this.#bytesMax;
  }

  /** Where the last frame ends. */
  get end(): number {
    return this.#offset;
  }

  get isHalfFull(): boolean {
    return this.#offset > this.#bytesMax / 2;
  }

  /** `frame` is the buffer for the encoding, `length` the bytes to write; the writer owns the buffer until `done`. */
  write(frame: Buffer, batches: readonly JournalBatch[], length: number, done: Done): void {
    encodeFrame(frame, batches, { salt: this.#salt, offset: this.#offset });
    this.#file.write(frame, length, this.#offset, (error) => {
      if (!error) this.#offset += length;
      done(error);
    });
  }

  /** Removes what was written of a frame, so that it can never become valid. */
  cutBack(done: Done): void {
    this.#file.truncate(this.#offset, done);
  }

  acknowledged(shard: number, seq: number): void {
    this.#lastSeqs[shard] = seq;
  }

  lastSeqs(): ShardSeqs {
    return [...this.#lastSeqs.entries()].filter(([, seq]) => seq > 0);
  }

  /** Nothing more is written afterwards. Resolves with the error, if there was one. */
  async seal(): Promise<Error | null> {
    const error = await new Promise<Error | null>((resolve) => {
      this.write(Buffer.alloc(sealBytes), [], sealBytes, resolve);
    });
    await this.#file.close();
    return error;
  }
}
