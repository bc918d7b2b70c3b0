import { assert, limits } from "#base";
import { StorageError } from "../error.ts";
import type { JournalBatch, OpenedShard } from "../journal.ts";
import type { SegmentGrant, ShardSeqs } from "./control.ts";
import { fullError, isFull } from "./durable.ts";
import type { Fence } from "./fence.ts";
import { frameBytes, groupBytes } from "./frame.ts";
import type { OpenJournalFile } from "./journal-file.ts";
import { frameBytesLimit, SegmentWriter } from "./segment-writer.ts";
import type { Status } from "./status.ts";

export interface JournalWriterOptions {
  readonly fence: Fence;
  readonly status: Status;
  readonly openFile: OpenJournalFile;
  /** A synced, empty segment under its final name. */
  readonly nextSegment: (starting: boolean) => Promise<SegmentGrant>;
  readonly sealed: (path: string, end: number, lastSeqs: ShardSeqs) => void;
  readonly stop: (reason: string) => void;
  /** Resolves when the reserve is removed; undefined if removing it was not asked for. */
  readonly reserveReleased: () => Promise<void> | undefined;
}

/**
 * Group commit: while one frame is being made durable, the appends of all shards of the worker wait; together they form
 * the next frame. At most one frame is unsynced at any time.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #waiting: Waiter[] = [];
  /** By shard: the epoch whose append is under way; 0: none. */
  readonly #underWay = new Float64Array(limits.shardCount);
  readonly #epochs = new Float64Array(limits.shardCount);
  readonly #heads = new Float64Array(limits.shardCount);
  #scheduled = false;
  #busy = false;
  #closed = false;
  #stopped = false;
  #segment: SegmentWriter | undefined;
  #next: Promise<SegmentGrant> | undefined;
  #frame = Buffer.allocUnsafeSlow(256 * 1_024);
  /** Called when the last frame is written: `close` waits for it. */
  #idle: (() => void) | undefined;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** The worker owns the shard from here on. */
  opened({ shard, epoch, head }: OpenedShard): void {
    this.#epochs[shard] = epoch;
    this.#heads[shard] = head;
  }

  append(batch: JournalBatch): Promise<void> {
    const { shard, epoch, firstSeq } = batch;
    if (this.#closed) return Promise.reject(new StorageError("closed", "the journal is closed"));
    if (!this.#holds(batch)) return Promise.reject(fenced(batch));
    const bytes = groupBytes(batch);
    return new Promise((resolve, reject) => {
      assert(this.#underWay[shard] !== epoch, "a shard has one append under way at a time");
      assert(firstSeq === this.#heads[shard]! + 1, "an append follows its shard's head");
      assert(frameBytes(bytes) <= frameBytesLimit, "a batch fits a segment");
      this.#underWay[shard] = epoch;
      this.#waiting.push({ batch, bytes, resolve, reject });
      // The appends of one step of the runtime share a frame.
      this.#schedule(this.#write);
    });
  }

  #holds({ shard, epoch }: JournalBatch): boolean {
    return this.#epochs[shard] === epoch && this.#options.fence.holds(shard, epoch);
  }

  #schedule(step: () => void): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    queueMicrotask(step);
  }

  readonly #write = () => {
    this.#scheduled = false;
    this.#writeFrame();
  };

  /**
   * Runs after the callers of the frame just written: their next appends then share a frame with those that wait
   * already.
   */
  readonly #writeLater = () => void setImmediate(this.#write);

  #writeFrame(): void {
    const group = this.#takeGroup();
    if (group.waiters.length === 0) {
      this.#settled();
      return;
    }
    this.#busy = true;
    this.#writeGroup({ waiters: group.waiters, length: frameBytes(group.bytes), again: false });
  }

  #writeGroup(group: Group): void {
    if (this.#segment?.fits(group.length)) this.#writeInto(this.#segment, group);
    else
      this.#roll(group.length).then(
        () => this.#writeInto(this.#segment!, group),
        (error: unknown) => this.#failed(group, error),
      );
  }

  /**
   * The appends for one frame: all that wait, up to the greatest length of a frame. An append whose shard was lost
   * meanwhile is refused here.
   */
  #takeGroup(): { waiters: Waiter[]; bytes: number } {
    const waiters: Waiter[] = [];
    let bytes = 0;
    let taken = 0;
    for (const waiter of this.#waiting) {
      if (bytes > 0 && bytes + waiter.bytes > limits.frameBytesMax) break;
      taken++;
      if (!this.#holds(waiter.batch)) {
        this.#refuse(waiter, fenced(waiter.batch));
        continue;
      }
      waiters.push(waiter);
      bytes += waiter.bytes;
    }
    this.#waiting = taken === this.#waiting.length ? [] : this.#waiting.slice(taken);
    return { waiters, bytes };
  }

  #writeInto(segment: SegmentWriter, group: Group): void {
    const { waiters, length } = group;
    if (length > this.#frame.length) this.#frame = Buffer.allocUnsafeSlow(length * 2);
    const batches = waiters.map((waiter) => waiter.batch);
    segment.write(this.#frame, batches, length, (error) => {
      if (error) {
        this.#writeFailed(segment, group, error);
        return;
      }
      for (const waiter of waiters) this.#acknowledge(segment, waiter);
      this.#options.status.journalFull = false;
      if (segment.isHalfFull) this.#prefetch();
      this.#settled();
    });
  }

  #acknowledge(segment: SegmentWriter, waiter: Waiter): void {
    const { shard, epoch, firstSeq, entries } = waiter.batch;
    const last = firstSeq + entries.length - 1;
    if (this.#options.fence.advance(shard, epoch, firstSeq - 1, last)) {
      this.#heads[shard] = last;
      segment.acknowledged(shard, last);
      this.#release(waiter);
      waiter.resolve();
    } else this.#refuse(waiter, fenced(waiter.batch));
  }

  #refuse(waiter: Waiter, error: unknown): void {
    this.#release(waiter);
    waiter.reject(error);
  }

  /** The shard may have been opened again meanwhile, and have a later append under way. */
  #release({ batch: { shard, epoch } }: Waiter): void {
    if (this.#underWay[shard] === epoch) this.#underWay[shard] = 0;
  }

  /** A partly written frame is cut off before its appends are refused. */
  #writeFailed(segment: SegmentWriter, group: Group, error: Error): void {
    const { waiters } = group;
    if (isFull(error)) {
      segment.cutBack((cutError) => {
        if (cutError) this.#stop(waiters, `${segment.path} could not be cut back: ${cutError.message}`);
        else this.#failed(group, error);
      });
    } else this.#stop(waiters, `a write or sync of ${segment.path} failed: ${error.message}`);
  }

  #failed(group: Group, error: unknown): void {
    const { waiters } = group;
    const told = storageError(error);
    const released = told.kind === "full" && !group.again ? this.#options.reserveReleased() : undefined;
    if (released !== undefined) {
      void released.then(() => this.#writeGroup({ ...group, again: true }));
      return;
    }
    if (told.kind === "full") this.#options.status.journalFull = true;
    for (const waiter of waiters) this.#refuse(waiter, told);
    this.#settled();
  }

  #stop(waiters: readonly Waiter[], reason: string): void {
    this.#closed = true;
    // After a failed sync no file is used again.
    this.#stopped = true;
    this.#segment = undefined;
    this.#options.stop(reason);
    for (const waiter of [...waiters, ...this.#waiting])
      this.#refuse(waiter, new StorageError("closed", reason));
    this.#waiting = [];
    this.#settled();
  }

  #settled(): void {
    this.#busy = false;
    if (this.#waiting.length > 0) this.#schedule(this.#writeLater);
    else this.#idle?.();
  }

  /** Asks for the next segment before it is needed. */
  #prefetch(): void {
    if (this.#next !== undefined) return;
    this.#next = this.#options.nextSegment(this.#segment === undefined);
    // The append that needs the segment sees the failure and tries again.
    this.#next.catch(() => {
      this.#next = undefined;
    });
  }

  /** A worker's first segment is short, so that a long frame may need the one after it. */
  async #roll(length: number): Promise<void> {
    while (!this.#segment?.fits(length)) await this.#nextSegment();
  }

  async #nextSegment(): Promise<void> {
    if (this.#stopped) throw new StorageError("closed", "the journal has stopped");
    this.#prefetch();
    const grant = await this.#next!;
    const old = this.#segment;
    this.#segment = new SegmentWriter(grant, this.#options.openFile);
    // Cleared only now: a segment that could not be opened is still granted to us, and the next append tries it again.
    this.#next = undefined;
    if (old) await this.#seal(old);
  }

  /** On a full disk a segment stays without its last, empty frame. That frame only helps to recognise corruption. */
  async #seal(segment: SegmentWriter): Promise<void> {
    const error = await segment.seal();
    if (error && !isFull(error))
      this.#stop([], `a write or sync of ${segment.path} failed: ${error.message}`);
    else this.#options.sealed(segment.path, segment.end, segment.lastSeqs());
  }

  /** Appends that wait already are still written. */
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

/** What one frame holds. */
interface Group {
  readonly waiters: readonly Waiter[];
  readonly length: number;
  /** True: it met a full disk before and is written again, into the room of the reserve. */
  readonly again: boolean;
}

interface Waiter {
  readonly batch: JournalBatch;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

function fenced({ shard, epoch }: JournalBatch): StorageError {
  return new StorageError("fenced", `shard ${shard} has another owner than epoch ${epoch}`);
}

function storageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (isFull(error)) return fullError(error);
  return new StorageError("unavailable", "the journal could not be written", { cause: error });
}
