import { limits as defaults, type Refusal } from "#base";
import { Fifo } from "../fifo.ts";
import { tellAll } from "./tell-all.ts";

/** What leaves when a position is durable; with a refusal, when it never will be. */
interface Gated {
  readonly seq: number;
  readonly bytes: number;
  /** Answers that callers wait for; with none, it leaves whenever its position is durable. */
  readonly answers: number;
  release: (refusal: Refusal | undefined) => void;
}

interface Group {
  readonly entries: readonly Uint8Array[];
  readonly bytes: number;
  readonly commands: number;
}

interface BatchLimits {
  readonly batchEntriesMax: number;
  readonly batchBytesMax: number;
}

export interface Batch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly entries: readonly Uint8Array[];
  readonly bytes: number;
  readonly commands: number;
  readonly beganMs: number;
}

/**
 * Group commit and output gate of one shard: at most one append is under way, what is decided meanwhile is the next
 * batch, and nothing that saw a position leaves before that position is durable.
 */
export class CommitLog {
  /** Last position that is durable. */
  durableSeq: number;
  /** Last position that is decided. */
  decidedSeq: number;
  /** When the last append that succeeded began, on the monotonic clock: until then we surely were the owner. */
  confirmedMs = Number.NEGATIVE_INFINITY;
  inFlight: Batch | undefined = undefined;
  waitingEntries = 0;
  waitingBytes = 0;
  gatedCount = 0;
  gatedBytes = 0;
  readonly #limits: BatchLimits;
  readonly #waiting = new Fifo<Group>();
  #gatedInFlight: Gated[] = [];
  #gatedNext: Gated[] = [];

  constructor(head: number, limits: BatchLimits = defaults) {
    this.#limits = limits;
    this.durableSeq = head;
    this.decidedSeq = head;
  }

  /** The entries of so many commands; they stay together and become durable in one append. */
  join(entries: readonly Uint8Array[], commands: number): void {
    let bytes = 0;
    for (const entry of entries) bytes += entry.length;
    this.#waiting.push({ entries, bytes, commands });
    this.waitingEntries += entries.length;
    this.waitingBytes += bytes;
    this.decidedSeq += entries.length;
  }

  /** Calls `release` when `seq` is durable: now, or at the end of the append that carries it. */
  whenDurable(seq: number, bytes: number, release: Gated["release"], answers = 0): void {
    if (seq <= this.durableSeq) {
      release(undefined);
      return;
    }
    const gated = { seq, bytes, answers, release };
    this.gatedCount += countOf(gated);
    this.gatedBytes += bytes;
    if (this.inFlight !== undefined && seq <= this.inFlight.lastSeq) this.#gatedInFlight.push(gated);
    else this.#gatedNext.push(gated);
  }

  /** Takes the next batch, if there is anything to append and nothing under way. */
  next(nowMs: number): Batch | undefined {
    if (this.inFlight !== undefined || this.#waiting.length === 0) return undefined;
    const entries: Uint8Array[] = [];
    let bytes = 0;
    let commands = 0;
    for (let group = this.#waiting.peek(); group !== undefined; group = this.#waiting.peek()) {
      const full =
        entries.length + group.entries.length > this.#limits.batchEntriesMax ||
        bytes + group.bytes > this.#limits.batchBytesMax;
      if (full && entries.length > 0) break;
      this.#waiting.shift();
      for (const entry of group.entries) entries.push(entry);
      bytes += group.bytes;
      commands += group.commands;
    }
    this.waitingEntries -= entries.length;
    this.waitingBytes -= bytes;
    const firstSeq = this.durableSeq + 1;
    const lastSeq = this.durableSeq + entries.length;
    this.inFlight = { firstSeq, lastSeq, entries, bytes, commands, beganMs: nowMs };
    if (this.#waiting.length === 0) {
      this.#gatedInFlight = this.#gatedNext;
      this.#gatedNext = [];
    } else {
      const all = this.#gatedNext;
      this.#gatedNext = [];
      for (const gated of all) (gated.seq <= lastSeq ? this.#gatedInFlight : this.#gatedNext).push(gated);
    }
    return this.inFlight;
  }

  /** The append under way has succeeded. Returns what may leave now, in order. */
  succeeded(): readonly Gated[] {
    const batch = this.inFlight!;
    this.durableSeq = batch.lastSeq;
    this.confirmedMs = batch.beganMs;
    this.inFlight = undefined;
    const released = this.#gatedInFlight;
    this.#gatedInFlight = [];
    for (const gated of released) {
      this.gatedCount -= countOf(gated);
      this.gatedBytes -= gated.bytes;
    }
    return released;
  }

  /** Copies what waits out of the slabs it was written into. */
  compact(): void {
    for (const group of this.#waiting.drain())
      this.#waiting.push({ ...group, entries: group.entries.map((entry) => new Uint8Array(entry)) });
  }

  /** Tells everybody who waits for an answer not to wait any longer; what was decided stays, and may become durable. */
  giveUpAnswers(refusal: Refusal): void {
    tellAll([...this.#gatedInFlight, ...this.#gatedNext], (gated) => {
      if (gated.answers === 0) return;
      const { release } = gated;
      gated.release = () => undefined;
      release(refusal);
    });
  }

  /** Everything that still waits, for the end of the ownership term. */
  abandon(): readonly Gated[] {
    const all = [...this.#gatedInFlight, ...this.#gatedNext];
    this.#gatedInFlight = [];
    this.#gatedNext = [];
    this.gatedCount = 0;
    this.gatedBytes = 0;
    return all;
  }
}

/** Events and broadcasts wait at the gate like answers. */
function countOf({ answers }: Gated): number {
  return Math.max(1, answers);
}
