import { assert, limits } from "#base";
import { StorageError } from "../error.ts";
import type { JournalBatch } from "../journal.ts";
import type { SegmentGrant } from "./control.ts";
import { fullError, isFull } from "./durable.ts";
import type { Fence } from "./fence.ts";
import { encodeFrame, frameBytes, groupBytes } from "./frame.ts";
import type { JournalFile, OpenJournalFile } from "./journal-file.ts";
import { segmentHeaderBytes } from "./segment.ts";
import type { Status } from "./status.ts";

export interface JournalWriterOptions {
  readonly fence: Fence;
  readonly status: Status;
  readonly openFile: OpenJournalFile;
  /** A synced, empty segment under its final name. */
  readonly nextSegment: (starting: boolean) => Promise<SegmentGrant>;
  readonly sealed: (path: string, lastSeqs: [shard: number, seq: number][]) => void;
  readonly stop: (reason: string) => void;
}

/**
 * Group commit: while one frame is being made durable, the appends of all shards of the worker wait, and form the next.
 * At most one frame is ever unsynced.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #waiting: Waiter[] = [];
  readonly #underWay = new Set<number>();
  #scheduled = false;
  #busy = false;
  #closed = false;
  #segment: ActiveSegment | undefined;
  #next: Promise<SegmentGrant> | undefined;
  #frame = Buffer.allocUnsafeSlow(256 * 1_024);

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  async append(batch: JournalBatch): Promise<void> {
    if (this.#closed) throw new StorageError("closed", "the journal is closed");
    if (!this.#options.fence.holds(batch.shard, batch.epoch)) throw fenced(batch);
    assert(!this.#underWay.has(batch.shard), `one append to shard ${batch.shard} at a time`);
    const head = this.#options.fence.head(batch.shard);
    assert(
      batch.firstSeq === head + 1,
      `an append to shard ${batch.shard} at ${batch.firstSeq} follows its head ${head}`,
    );
    const bytes = groupBytes(batch);
    assert(frameBytes(bytes) <= limits.segmentBytesMax - segmentHeaderBytes, "a batch fits a segment");
    this.#underWay.add(batch.shard);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, bytes, resolve, reject });
      this.#schedule();
    });
  }

  /** Appends of this turn of the event loop share a frame, so the first does not sync alone. */
  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#writeFrame();
    });
  }

  #writeFrame(): void {
    const group = this.#takeGroup();
    if (group.waiters.length === 0) {
      this.#settled();
      return;
    }
    this.#busy = true;
    const length = frameBytes(group.bytes);
    const segment = this.#segment;
    if (!segment || segment.offset + length > limits.segmentBytesMax) {
      this.#roll().then(
        () => this.#writeInto(this.#segment!, group.waiters, length),
        (error: unknown) => this.#failed(group.waiters, error),
      );
      return;
    }
    this.#writeInto(segment, group.waiters, length);
  }

  /** What one frame holds: all that wait, up to its greatest length; who has lost its shard meanwhile is told now. */
  #takeGroup(): { waiters: Waiter[]; bytes: number } {
    const waiters: Waiter[] = [];
    let bytes = 0;
    let taken = 0;
    for (const waiter of this.#waiting) {
      if (bytes > 0 && bytes + waiter.bytes > limits.frameBytesMax) break;
      taken++;
      if (!this.#options.fence.holds(waiter.batch.shard, waiter.batch.epoch)) {
        this.#refuse(waiter, fenced(waiter.batch));
        continue;
      }
      waiters.push(waiter);
      bytes += waiter.bytes;
    }
    this.#waiting = taken === this.#waiting.length ? [] : this.#waiting.slice(taken);
    return { waiters, bytes };
  }

  #writeInto(segment: ActiveSegment, waiters: readonly Waiter[], length: number): void {
    if (length > this.#frame.length) this.#frame = Buffer.allocUnsafeSlow(length * 2);
    const batches = waiters.map((waiter) => waiter.batch);
    encodeFrame(this.#frame, batches, { salt: segment.salt, offset: segment.offset });
    segment.file.write(this.#frame, length, segment.offset, (error) => {
      if (error) {
        this.#writeFailed(segment, waiters, error);
        return;
      }
      segment.offset += length;
      for (const waiter of waiters) this.#acknowledge(segment, waiter);
      this.#options.status.full = false;
      if (segment.offset > limits.segmentBytesMax / 2) this.#prefetch();
      this.#settled();
    });
  }

  #acknowledge(segment: ActiveSegment, waiter: Waiter): void {
    const { shard, epoch, firstSeq, entries } = waiter.batch;
    const last = firstSeq + entries.length - 1;
    if (this.#options.fence.advance(shard, epoch, firstSeq - 1, last)) {
      segment.lastSeqs[shard] = last;
      this.#underWay.delete(shard);
      waiter.resolve();
    } else this.#refuse(waiter, fenced(waiter.batch));
  }

  #refuse(waiter: Waiter, error: unknown): void {
    this.#underWay.delete(waiter.batch.shard);
    waiter.reject(error);
  }

  /** Whatever part of the frame was written must never become valid: it goes before anyone is told. */
  #writeFailed(segment: ActiveSegment, waiters: readonly Waiter[], error: Error): void {
    if (isFull(error)) {
      segment.file.truncate(segment.offset, (truncateError) => {
        if (truncateError)
          this.#stop(waiters, `${segment.path} could not be cut back: ${truncateError.message}`);
        else this.#failed(waiters, error);
      });
    } else this.#stop(waiters, `a write or sync of ${segment.path} failed: ${error.message}`);
  }

  #failed(waiters: readonly Waiter[], error: unknown): void {
    const told = storageError(error);
    if (told.kind === "full") this.#options.status.full = true;
    for (const waiter of waiters) this.#refuse(waiter, told);
    this.#settled();
  }

  #stop(waiters: readonly Waiter[], reason: string): void {
    this.#closed = true;
    this.#options.stop(reason);
    for (const waiter of [...waiters, ...this.#waiting])
      this.#refuse(waiter, new StorageError("closed", reason));
    this.#waiting = [];
    this.#settled();
  }

  #settled(): void {
    this.#busy = false;
    if (this.#waiting.length > 0) this.#schedule();
    else this.#idle?.();
  }

  /** A segment asked for in good time is there when it is needed. */
  #prefetch(): void {
    if (this.#next !== undefined) return;
    this.#next = this.#options.nextSegment(this.#segment === undefined);
    // A failure is met, and retried, by the append that needs the segment.
    this.#next.catch(() => {
      this.#next = undefined;
    });
  }

  async #roll(): Promise<void> {
    this.#prefetch();
    const { path, salt } = await this.#next!;
    this.#next = undefined;
    const old = this.#segment;
    this.#segment = {
      path,
      salt: Buffer.from(salt),
      file: this.#options.openFile(path),
      offset: segmentHeaderBytes,
      lastSeqs: new Float64Array(limits.shardCount),
    };
    if (old) await this.#seal(old);
  }

  async #seal(segment: ActiveSegment): Promise<void> {
    await segment.file.close();
    const lastSeqs: [number, number][] = [];
    for (const [shard, seq] of segment.lastSeqs.entries()) if (seq > 0) lastSeqs.push([shard, seq]);
    this.#options.sealed(segment.path, lastSeqs);
  }

  #idle: (() => void) | undefined;

  /** Everything already waiting is still written; then the segment is cut to its content. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#busy || this.#scheduled || this.#waiting.length > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment) await this.#seal(segment);
  }
}

interface Waiter {
  readonly batch: JournalBatch;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

interface ActiveSegment {
  readonly path: string;
  readonly salt: Buffer;
  readonly file: JournalFile;
  /** Everything before it is synced. */
  offset: number;
  readonly lastSeqs: Float64Array;
}

function fenced({ shard, epoch }: JournalBatch): StorageError {
  return new StorageError("fenced", `shard ${shard} has another owner than epoch ${epoch}`);
}

function storageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (isFull(error)) return fullError(error);
  return new StorageError("unavailable", "the journal could not be written", { cause: error });
}
