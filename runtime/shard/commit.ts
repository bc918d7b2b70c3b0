import { limits as defaults, type Refusal } from "#base";
import { Fifo } from "../fifo.ts";
import { tellAll } from "./tell-all.ts";

/** What leaves when a position is durable; with a refusal, when it never will be. */
interface Held {
  readonly seq: number;
  readonly bytes: number;
  /** Answers somebody waits for; with none, it leaves whenever its position is durable. */
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
  heldCount = 0;
  heldBytes = 0;
  readonly #limits: BatchLimits;
  readonly #waiting = new Fifo<Group>();
  #heldInFlight: Held[] = [];
  #heldNext: Held[] = [];

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
  hold(seq: number, bytes: number, release: Held["release"], answers = 0): void {
    if (seq <= this.durableSeq) {
      release(undefined);
      return;
    }
    const held = { seq, bytes, answers, release };
    this.heldCount += countOf(held);
    this.heldBytes += bytes;
    if (this.inFlight !== undefined && seq <= this.inFlight.lastSeq) this.#heldInFlight.push(held);
    else this.#heldNext.push(held);
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
      this.#heldInFlight = this.#heldNext;
      this.#heldNext = [];
    } else {
      const all = this.#heldNext;
      this.#heldNext = [];
      for (const held of all) (held.seq <= lastSeq ? this.#heldInFlight : this.#heldNext).push(held);
    }
    return this.inFlight;
  }

  /** The append under way has succeeded. Returns what may leave now, in order. */
  succeeded(): readonly Held[] {
    const batch = this.inFlight!;
    this.durableSeq = batch.lastSeq;
    this.confirmedMs = batch.beganMs;
    this.inFlight = undefined;
    const released = this.#heldInFlight;
    this.#heldInFlight = [];
    for (const held of released) {
      this.heldCount -= countOf(held);
      this.heldBytes -= held.bytes;
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
    tellAll([...this.#heldInFlight, ...this.#heldNext], (held) => {
      if (held.answers === 0) return;
      const { release } = held;
      held.release = () => undefined;
      release(refusal);
    });
  }

  /** Everything that still waits, for the end of the tenure. */
  abandon(): readonly Held[] {
    const all = [...this.#heldInFlight, ...this.#heldNext];
    this.#heldInFlight = [];
    this.#heldNext = [];
    this.heldCount = 0;
    this.heldBytes = 0;
    return all;
  }
}

/** What is no answer takes its place as well. */
function countOf({ answers }: Held): number {
  return Math.max(1, answers);
}
