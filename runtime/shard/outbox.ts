import type { Refusal } from "#base";
import type { Address } from "../actor.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import { decodeMessage, Lane, laneName, sizeOfMessage } from "./outbox-lane.ts";
import { keyOf } from "./partition.ts";
import type { Reader } from "./reader.ts";
import { type OutboxMessage, outboxPartition, sendsPerCommandMax } from "./recorder.ts";
import { tellAll } from "./tell-all.ts";

/** Messages of one source shard for one entity, in order; applied by it all, or answered with a refusal. */
export interface Delivery {
  readonly source: number;
  readonly to: Address;
  readonly messages: readonly {
    readonly number: number;
    readonly from: Address;
    readonly message: unknown;
  }[];
}

export interface OutboxHost {
  readonly shard: number;
  readonly durableSeq: () => number;
  deliver(delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void;
  /** The rows of these numbers are no longer needed. */
  delivered(numbers: readonly number[]): void;
  setTimer(delayMs: number, step: () => void): () => void;
  readonly limits: Pick<RuntimeLimits, "outboxMessagesMax" | "outboxBytesMax" | "outboxCursorsMax">;
}

/** Who waits for a message to be delivered, and since when that has been noticed. */
interface Awaited {
  readonly done: (refusal: Refusal | undefined) => void;
  sinceMs: number | undefined;
}

/** Rows read at once: the largest messages are a payload of 256 KiB each. */
const pageRows = 64;
const deliveryMessagesMax = 64;
const backOffMsMin = 50;
const backOffMsMax = 5_000;
/** After this an answer is taken for lost; the target knows a repeat by its number. */
const answerTimeoutMs = 10_000;

/**
 * Delivers a shard's outbox rows: per target in order, one delivery under way. What does not fit in memory stays in
 * the rows and is read when there is room again. To make room, the messages of targets that took none at the last attempt
 * are let go first: each of those lanes has a cursor, and its rows are read from there.
 */
export class Outbox {
  readonly #host: OutboxHost;
  readonly #reader: Reader;
  readonly #lanes = new Map<string, Lane>();
  /** Those whose last attempt failed. */
  readonly #stuck = new Set<Lane>();
  readonly #awaited = new Map<number, Awaited>();
  #cursors = 0;
  #count = 0;
  #bytes = 0;
  /** Rows from this number on are not in memory, whatever their target. */
  #unread: number | undefined = 0;
  /** Every message up to this number was accepted into its lane, or is behind `#unread`. */
  #accepted = 0;
  #reading = false;
  #stopped = false;

  constructor(host: OutboxHost, reader: Reader) {
    this.#host = host;
    this.#reader = reader;
  }

  get size(): number {
    return this.#count;
  }

  /** Messages that an answer waits for. */
  get awaited(): number {
    return this.#awaited.size;
  }

  /** Every message up to this number was applied by its target, and its target's commit is durable. Never goes back. */
  settled(): number {
    let first = this.#unread ?? this.#accepted + 1;
    for (const lane of this.#lanes.values()) first = Math.min(first, lane.first() ?? first);
    return first - 1;
  }

  stop(refusal: Refusal): void {
    this.#stopped = true;
    this.giveUpAnswers(refusal);
  }

  /** Tells callers that wait for a delivery not to wait any longer. */
  giveUpAnswers(refusal: Refusal): void {
    const awaited = [...this.#awaited.values()];
    this.#awaited.clear();
    tellAll(awaited, ({ done }) => done(refusal));
  }

  /** Now and then: tells those who have waited this long for a delivery that it has not come about yet. */
  giveUpOld(nowMs: number, waitedMs: number, refusal: Refusal): void {
    for (const [number, awaited] of this.#awaited) {
      awaited.sinceMs ??= nowMs;
      if (nowMs - awaited.sinceMs < waitedMs) continue;
      this.#awaited.delete(number);
      awaited.done(refusal);
    }
  }

  /** These messages have become durable, in this order. */
  add(messages: readonly OutboxMessage[]): void {
    for (const message of messages) {
      if (this.#unread !== undefined) break;
      if (this.#accept(message)) this.#accepted = message.number;
      else this.#unread = message.number;
    }
    if (this.#unread !== undefined) this.read();
  }

  /** Calls back when all of these messages have been applied by their targets. */
  awaitDelivered(numbers: readonly number[], done: (refusal: Refusal | undefined) => void): void {
    let waiting = numbers.length;
    if (waiting === 0) {
      done(undefined);
      return;
    }
    let failed: Refusal | undefined;
    for (const number of numbers) {
      const before = this.#awaited.get(number);
      const settled = (refusal: Refusal | undefined) => {
        before?.done(refusal);
        failed ??= refusal;
        if (--waiting === 0) done(failed);
      };
      this.#awaited.set(number, { done: settled, sinceMs: before?.sinceMs });
    }
  }

  /** The numbers of one entity's messages that are under way; none where there may be others, in rows not read yet. */
  pendingOf(from: Address): number[] | undefined {
    if (this.#unread !== undefined || this.#cursors > 0) return undefined;
    const numbers: number[] = [];
    for (const lane of this.#lanes.values())
      for (const message of lane.messages()) {
        const same = message.from.key === from.key && message.from.kind === from.kind;
        if (same && message.from.tenant === from.tenant) numbers.push(message.number);
      }
    return numbers;
  }

  /** Reads on in the rows, when there is room. */
  read(): void {
    if (this.#reading || this.#unread === undefined || this.#stopped || !this.#hasRoom(2)) return;
    this.#reading = true;
    this.#reader.scan(outboxPartition, { from: keyOf([this.#unread]), limit: pageRows }, (failure, rows) => {
      if (this.#stopped) return;
      if (failure !== undefined) {
        this.#reading = false;
        this.#host.setTimer(backOffMsMax, () => this.read());
        return;
      }
      const durableEnd = (this.#host.durableSeq() + 1) * sendsPerCommandMax;
      let next: number | undefined = this.#unread;
      let isWhole = true;
      for (const row of rows) {
        const message = decodeMessage(row.value);
        next = message.number;
        if (message.number >= durableEnd || !this.#accept(message)) {
          isWhole = false;
          break;
        }
        next = message.number + 1;
      }
      this.#reading = false;
      // What was left is read when it has become durable, or when others are delivered.
      this.#unread = isWhole && rows.length < pageRows ? undefined : next;
      if (this.#unread === undefined) this.#accepted = Math.max(this.#accepted, durableEnd - 1);
      if (isWhole) this.read();
    });
  }

  /** Puts a message into its lane; false: there is no room for it. One whose lane has a cursor is left in its row. */
  #accept(message: OutboxMessage): boolean {
    const name = laneName(message.to);
    if (this.#lanes.get(name)?.cursor !== undefined) return true;
    if (!this.#hasRoom(1)) return false;
    let lane = this.#lanes.get(name);
    // It was let go just now, to make room.
    if (lane?.cursor !== undefined) return true;
    if (lane === undefined) {
      lane = new Lane(message.to, backOffMsMin);
      this.#lanes.set(name, lane);
    }
    this.#enqueue(lane, message);
    if (lane.inFlight === undefined && !lane.backsOff) this.#deliver(lane);
    return true;
  }

  #enqueue(lane: Lane, message: OutboxMessage): void {
    lane.queue.push(message);
    this.#count++;
    this.#bytes += sizeOfMessage(message);
  }

  /** False when no more fit, or, with a `part` of two, when more than half of what fits is here. */
  #hasRoom(part: number): boolean {
    const { outboxMessagesMax, outboxBytesMax, outboxCursorsMax } = this.#host.limits;
    const isFull = () => this.#count >= outboxMessagesMax / part || this.#bytes >= outboxBytesMax / part;
    if (!isFull()) return true;
    for (const lane of this.#stuck) {
      if (lane.cursor === undefined && this.#cursors >= outboxCursorsMax) continue;
      if (lane.cursor === undefined) this.#cursors++;
      const spilled = lane.spill();
      if (lane.cursor === undefined) this.#cursors--;
      this.#forget(spilled);
      if (!isFull()) return true;
    }
    return false;
  }

  #forget(messages: readonly OutboxMessage[]): void {
    this.#count -= messages.length;
    for (const message of messages) this.#bytes -= sizeOfMessage(message);
  }

  #deliver(lane: Lane): void {
    if (this.#stopped) return;
    lane.backsOff = false;
    if (lane.inFlight === undefined) {
      if (lane.queue.length === 0) {
        if (lane.cursor !== undefined) this.#readLane(lane, lane.cursor);
        else {
          this.#lanes.delete(lane.name);
          this.#stuck.delete(lane);
        }
        return;
      }
      const messages: OutboxMessage[] = [];
      while (messages.length < deliveryMessagesMax && lane.queue.length > 0)
        messages.push(lane.queue.shift()!);
      lane.inFlight = messages;
    }
    const attempt = ++lane.attempt;
    let answered = false;
    const answer = (refusal: Refusal | undefined) => {
      if (answered || attempt !== lane.attempt || this.#stopped) return;
      answered = true;
      cancel();
      if (refusal === undefined) this.#applied(lane);
      else this.#refused(lane);
    };
    const cancel = this.#host.setTimer(answerTimeoutMs, () => {
      if (answered || attempt !== lane.attempt) return;
      this.#stuck.add(lane);
      this.#deliver(lane);
      this.read();
    });
    this.#host.deliver({ source: this.#host.shard, to: lane.to, messages: lane.inFlight }, answer);
  }

  #refused(lane: Lane): void {
    this.#stuck.add(lane);
    lane.backsOff = true;
    this.#host.setTimer(lane.backOffMs, () => this.#deliver(lane));
    lane.backOffMs = Math.min(lane.backOffMs * 2, backOffMsMax);
    // Others may have waited for the room that its messages take.
    this.read();
  }

  /**
   * Reads the rows of a lane from its cursor on, past those of others, up to where all rows are unread. A target that took
   * nothing at the last attempt is tried with one message.
   */
  #readLane(lane: Lane, cursor: number): void {
    if (lane.reading) return;
    lane.reading = true;
    const end = this.#unread;
    const limit = this.#stuck.has(lane) ? 1 : pageRows;
    const to = end === undefined ? undefined : keyOf([end]);
    this.#reader.scan(outboxPartition, { from: keyOf([cursor]), to, limit }, (failure, rows) => {
      lane.reading = false;
      if (this.#stopped) return;
      if (failure !== undefined) {
        this.#host.setTimer(backOffMsMax, () => this.#deliver(lane));
        return;
      }
      // From there on messages come by themselves, when they are durable or there is room.
      const taken = Math.min(
        (this.#host.durableSeq() + 1) * sendsPerCommandMax,
        this.#unread ?? Number.POSITIVE_INFINITY,
      );
      let isWhole = rows.length < limit;
      let next = end;
      for (const row of rows) {
        const message = decodeMessage(row.value);
        if (message.number >= taken) {
          isWhole = true;
          next = undefined;
          break;
        }
        if (laneName(message.to) === lane.name) this.#enqueue(lane, message);
        if (!isWhole) next = message.number + 1;
      }
      // Where all rows are unread has moved on: those in between are not in the lane yet.
      lane.cursor = isWhole && next === this.#unread ? undefined : next;
      if (lane.cursor === undefined) this.#cursors--;
      this.#deliver(lane);
    });
  }

  #applied(lane: Lane): void {
    const applied = lane.inFlight!;
    lane.backOffMs = backOffMsMin;
    lane.inFlight = undefined;
    this.#stuck.delete(lane);
    this.#forget(applied);
    const numbers = applied.map((message) => message.number);
    this.#host.delivered(numbers);
    for (const number of numbers) {
      const awaited = this.#awaited.get(number);
      if (awaited === undefined) continue;
      this.#awaited.delete(number);
      awaited.done(undefined);
    }
    this.#deliver(lane);
    this.read();
  }
}
