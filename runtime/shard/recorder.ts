import { assert, type TuplePart } from "#base";
import type { Address, RowWriter } from "../actor.ts";
import type { Entity } from "./cell.ts";
import { packValue, textOf } from "./codec.ts";
import type { RecordedChange } from "./entry.ts";
import { type Key, keyOf, type Partition, shardPartition } from "./partition.ts";

export const duePartition = shardPartition("~due");
export const outboxPartition = shardPartition("~outbox");
export const eventsPartition = shardPartition("~events");
export const timerCollection = "~timer";

/** Messages of one command: their numbers lie between its position and the next. */
export const sendsPerCommandMax = 4_096;
/** Timers an activation remembers; beyond it a replaced timer's old row stays until it is due and is found to be stale. */
const knownTimersMax = 10_000;

export interface TimerChange {
  readonly entity: Entity;
  readonly timerId: string;
  /** Absent: cleared. */
  readonly dueMs: number | undefined;
  readonly key: Key | undefined;
}

export interface OutboxMessage {
  readonly number: number;
  readonly from: Address;
  readonly to: Address;
  readonly message: unknown;
}

export interface Broadcast {
  readonly topic: string;
  readonly payload: unknown;
}

/** Takes down what `apply` changes; nothing of it counts until the shard joins it to the batch. */
export class Recorder implements RowWriter {
  now = 0;
  changes: RecordedChange[] = [];
  /** Where in `changes` a further journal position begins. */
  splits: number[] = [];
  timers: TimerChange[] = [];
  sends: OutboxMessage[] = [];
  broadcasts: Broadcast[] = [];
  publishedBytes = 0;
  publishedCount = 0;
  #entity!: Entity;
  #seq = 0;
  #ranges: { partition: string; from: string; to: string | undefined }[] = [];

  begin(now: number, seq: number): void {
    this.now = now;
    this.#seq = seq;
    this.changes = [];
    if (this.splits.length > 0) this.splits = [];
    if (this.timers.length > 0) this.timers = [];
    if (this.sends.length > 0) this.sends = [];
    if (this.broadcasts.length > 0) this.broadcasts = [];
    if (this.#ranges.length > 0) this.#ranges = [];
    this.publishedBytes = 0;
    this.publishedCount = 0;
  }

  /** Whose rows the next calls change. */
  for(entity: Entity): this {
    this.#entity = entity;
    return this;
  }

  put(collection: string, key: readonly TuplePart[], value: unknown): void {
    this.change(this.#own(collection), keyOf(key), packValue(value));
  }

  delete(collection: string, key: readonly TuplePart[]): void {
    this.change(this.#own(collection), keyOf(key), undefined);
  }

  deletePrefix(collection: string, prefix: readonly TuplePart[]): void {
    const from = textOf(keyOf(prefix).bytes);
    this.changeRange(this.#own(collection), from, `${from}\xff`);
  }

  setTimer(timerId: string, dueMs: number): void {
    assert(Number.isFinite(dueMs), `the timer ${timerId} has a due time`);
    const due = Math.max(0, Math.ceil(dueMs));
    const { kind, tenant, key } = this.#entity.address;
    this.#dropKnown(timerId);
    const row = keyOf([due, kind, tenant, key, timerId]);
    this.change(duePartition, row, packValue([due, kind, tenant, key, timerId]));
    this.change(this.#entity.partition(timerCollection), keyOf([timerId]), packValue(due));
    this.timers.push({ entity: this.#entity, timerId, dueMs: due, key: row });
  }

  clearTimer(timerId: string): void {
    this.#dropKnown(timerId);
    this.change(this.#entity.partition(timerCollection), keyOf([timerId]), undefined);
    this.timers.push({ entity: this.#entity, timerId, dueMs: undefined, key: undefined });
  }

  /** The timer that started this command is done with, unless the command set it anew. */
  fired(entity: Entity, timerId: string, dueMs: number): void {
    const { kind, tenant, key } = entity.address;
    const row = keyOf([dueMs, kind, tenant, key, timerId]);
    let again: TimerChange | undefined;
    for (const change of this.timers)
      if (change.entity === entity && change.timerId === timerId) again = change;
    if (again?.key?.text === row.text) return;
    this.change(duePartition, row, undefined);
    if (again === undefined) {
      this.change(entity.partition(timerCollection), keyOf([timerId]), undefined);
      this.timers.push({ entity, timerId, dueMs: undefined, key: undefined });
    }
  }

  /** A timer's row that its entity has long replaced. */
  stale(entity: Entity, timerId: string, dueMs: number): void {
    const { kind, tenant, key } = entity.address;
    this.change(duePartition, keyOf([dueMs, kind, tenant, key, timerId]), undefined);
  }

  send(to: Address, message: unknown): void {
    assert(this.sends.length < sendsPerCommandMax, `a command sends at most ${sendsPerCommandMax} messages`);
    const number = this.#seq * sendsPerCommandMax + this.sends.length;
    const from = this.#entity.address;
    const value = packValue([from.kind, from.tenant, from.key, to.kind, to.tenant, to.key, message, number]);
    this.change(outboxPartition, keyOf([number]), value);
    this.sends.push({ number, from, to, message });
  }

  publish(kind: string, subject: string, payload: unknown): void {
    const { address } = this.#entity;
    const value = packValue([this.now, address.tenant, kind, subject, payload, address.kind, address.key]);
    this.publishedBytes += value.length;
    this.change(eventsPartition, keyOf([this.#seq, this.publishedCount++]), value);
  }

  broadcast(topic: string, payload: unknown): void {
    this.broadcasts.push({ topic, payload });
  }

  /** A row that follows a range delete over it takes a position of its own: at one position a delete wins. */
  change(partition: Partition, key: Key, value: Uint8Array | undefined): void {
    for (const range of this.#ranges) {
      if (range.partition !== partition.text || key.text < range.from) continue;
      if (range.to !== undefined && key.text >= range.to) continue;
      this.splits.push(this.changes.length);
      this.#ranges = [];
      break;
    }
    this.changes.push({ type: "row", partition, key, value });
  }

  changeRange(partition: Partition, from: string, to: string | undefined): void {
    this.#ranges.push({ partition: partition.text, from, to });
    this.changes.push({ type: "range", partition, from, to });
  }

  #own(collection: string): Partition {
    assert(!collection.startsWith("~"), `${collection} is not a collection of the runtime`);
    return this.#entity.partition(collection);
  }

  #dropKnown(timerId: string): void {
    let dueMs = this.#entity.timers.get(timerId);
    for (const change of this.timers)
      if (change.entity === this.#entity && change.timerId === timerId) dueMs = change.dueMs;
    if (dueMs === undefined) return;
    const { kind, tenant, key } = this.#entity.address;
    this.change(duePartition, keyOf([dueMs, kind, tenant, key, timerId]), undefined);
  }
}

/** After the join: what the activation knows of its timers. */
export function rememberTimer(change: TimerChange): void {
  const { entity, timerId, dueMs } = change;
  if (dueMs === undefined) entity.timers.delete(timerId);
  else if (entity.timers.has(timerId) || entity.timers.size < knownTimersMax)
    entity.timers.set(timerId, dueMs);
}
