import type { Refusal } from "#base";
import type { Address } from "../actor.ts";
import { Fifo } from "../fifo.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import { unpackValue } from "./codec.ts";
import { keyOf } from "./partition.ts";
import { sizeOfPlain } from "./plain.ts";
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
  readonly limits: Pick<RuntimeLimits, "outboxMessagesMax" | "outboxBytesMax">;
}

interface Lane {
  readonly to: Address;
  readonly queue: Fifo<OutboxMessage>;
  inFlight: readonly OutboxMessage[] | undefined;
  attempt: number;
  backOffMs: number;
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
 * the rows and is read when there is room again.
 */
export class Outbox {
  readonly #host: OutboxHost;
  readonly #reader: Reader;
  readonly #lanes = new Map<string, Lane>();
  readonly #awaited = new Map<number, Awaited>();
  #count = 0;
  #bytes = 0;
  /** Rows from this number on are not in memory. */
  #unread: number | undefined = 0;
  #reading = false;
  #stopped = false;

  constructor(host: OutboxHost, reader: Reader) {
    this.#host = host;
    this.#reader = reader;
  }

  get size(): number {
    return this.#count;
  }

  /** Messages that somebody waits for. */
  get awaited(): number {
    return this.#awaited.size;
  }

  stop(refusal: Refusal): void {
    this.#stopped = true;
    this.giveUpAnswers(refusal);
  }

  /** Tells whoever waits for a delivery not to wait any longer. */
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
      if (this.#full(1)) this.#unread = message.number;
      else this.#enqueue(message);
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
    if (this.#unread !== undefined) return undefined;
    const numbers: number[] = [];
    for (const lane of this.#lanes.values()) {
      const all = [...(lane.inFlight ?? [])];
      for (let i = 0; i < lane.queue.length; i++) all.push(lane.queue.at(i)!);
      for (const message of all) {
        const same = message.from.key === from.key && message.from.kind === from.kind;
        if (same && message.from.tenant === from.tenant) numbers.push(message.number);
      }
    }
    return numbers;
  }

  /** Reads on in the rows, when there is room. */
  read(): void {
    if (this.#reading || this.#unread === undefined || this.#full(2) || this.#stopped) return;
    this.#reading = true;
    const order = { from: keyOf([this.#unread]), to: undefined, limit: pageRows, reverse: false };
    this.#reader.scan(outboxPartition, order, (failure, rows) => {
      this.#reading = false;
      if (this.#stopped) return;
      if (failure !== undefined) {
        this.#host.setTimer(backOffMsMax, () => this.read());
        return;
      }
      const durableEnd = (this.#host.durableSeq() + 1) * sendsPerCommandMax;
      let next: number | undefined = this.#unread;
      let isWhole = true;
      for (const row of rows) {
        const message = decodeMessage(row.value);
        next = message.number;
        if (message.number >= durableEnd || this.#full(1)) {
          isWhole = false;
          break;
        }
        this.#enqueue(message);
        next = message.number + 1;
      }
      // What was left is read when it has become durable, or when others are delivered.
      this.#unread = isWhole && rows.length < pageRows ? undefined : next;
      if (isWhole) this.read();
    });
  }

  /** True when no more fit, or, with a `part` of two, when more than half of what fits is here. */
  #full(part: number): boolean {
    const { outboxMessagesMax, outboxBytesMax } = this.#host.limits;
    return this.#count >= outboxMessagesMax / part || this.#bytes >= outboxBytesMax / part;
  }

  #enqueue(message: OutboxMessage): void {
    const name = `${message.to.kind}\0${message.to.tenant}\0${message.to.key}`;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = { to: message.to, queue: new Fifo(), inFlight: undefined, attempt: 0, backOffMs: backOffMsMin };
      this.#lanes.set(name, lane);
    }
    lane.queue.push(message);
    this.#count++;
    this.#bytes += sizeOfPlain(message.message);
    if (lane.inFlight === undefined) this.#deliver(name, lane);
  }

  #deliver(name: string, lane: Lane): void {
    if (this.#stopped) return;
    if (lane.inFlight === undefined) {
      if (lane.queue.length === 0) {
        this.#lanes.delete(name);
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
      if (refusal === undefined) this.#applied(name, lane);
      else {
        this.#host.setTimer(lane.backOffMs, () => this.#deliver(name, lane));
        lane.backOffMs = Math.min(lane.backOffMs * 2, backOffMsMax);
      }
    };
    const cancel = this.#host.setTimer(answerTimeoutMs, () => {
      if (!answered && attempt === lane.attempt) this.#deliver(name, lane);
    });
    this.#host.deliver({ source: this.#host.shard, to: lane.to, messages: lane.inFlight }, answer);
  }

  #applied(name: string, lane: Lane): void {
    const numbers = lane.inFlight!.map((message) => message.number);
    lane.backOffMs = backOffMsMin;
    this.#count -= numbers.length;
    for (const { message } of lane.inFlight!) this.#bytes -= sizeOfPlain(message);
    lane.inFlight = undefined;
    this.#host.delivered(numbers);
    for (const number of numbers) {
      const awaited = this.#awaited.get(number);
      if (awaited === undefined) continue;
      this.#awaited.delete(number);
      awaited.done(undefined);
    }
    this.#deliver(name, lane);
    this.read();
  }
}

type StoredMessage = [string, string, string, string, string, string, unknown, number];

function decodeMessage(value: Uint8Array): OutboxMessage {
  const [kind, tenant, key, toKind, toTenant, toKey, message, number] = unpackValue(
    value,
    outboxPartition,
  ) as StoredMessage;
  return { number, from: { kind, tenant, key }, to: { kind: toKind, tenant: toTenant, key: toKey }, message };
}
