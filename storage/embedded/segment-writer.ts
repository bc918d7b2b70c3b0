import { limits } from "#base";
import type { JournalBatch } from "../journal.ts";
import type { SegmentGrant } from "./control.ts";
import { encodeFrame, sealBytes } from "./frame.ts";
import type { JournalFile, OpenJournalFile } from "./journal-file.ts";
import { segmentHeaderBytes } from "./segment.ts";

/** What fits an empty segment of the greatest length. */
export const frameBytesLimit = limits.segmentBytesMax - segmentHeaderBytes - sealBytes;

type Done = (error: Error | null) => void;

/** The segment a worker writes to: one frame after the other, each synced before the next. */
export class SegmentWriter {
  readonly path: string;
  readonly #salt: Buffer;
  readonly #file: JournalFile;
  readonly #bytesMax: number;
  /** Everything before it is synced. */
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

  /** `frame` is room for the encoding, `length` what it takes; both belong to the writer until `done`. */
  write(frame: Buffer, batches: readonly JournalBatch[], length: number, done: Done): void {
    encodeFrame(frame, batches, { salt: this.#salt, offset: this.#offset });
    this.#file.write(frame, length, this.#offset, (error) => {
      if (!error) this.#offset += length;
      done(error);
    });
  }

  /** Whatever part of a frame was written must never become valid. */
  cutBack(done: Done): void {
    this.#file.truncate(this.#offset, done);
  }

  acknowledged(shard: number, seq: number): void {
    this.#lastSeqs[shard] = seq;
  }

  lastSeqs(): [shard: number, seq: number][] {
    return [...this.#lastSeqs.entries()].filter(([, seq]) => seq > 0);
  }

  /** Nothing more is written. Resolves with what went wrong, if anything did. */
  async seal(): Promise<Error | null> {
    const error = await new Promise<Error | null>((resolve) => {
      this.write(Buffer.alloc(sealBytes), [], sealBytes, resolve);
    });
    await this.#file.close();
    return error;
  }
}
