import { assert, type TuplePart } from "#base";
import type { Storage } from "#storage";
import type { Address, RowWriter } from "../actor.ts";
import type { EffectRequest } from "../effects/effect.ts";
import { anyFormat } from "../row-shape.ts";
import type { Entity } from "./cell.ts";
import { type EffectRow, effectCollection, effectTimer, effectToRow } from "./effect-row.ts";
import { type Decision, type RecordedChange, writeDecision, writeRange, writeRow } from "./entry.ts";
import { keyOf, type Partition, shardPartition } from "./partition.ts";
import { Writer } from "./writer.ts";
import { Written } from "./written.ts";

export const duePartition = shardPartition("~due");
export const outboxPartition = shardPartition("~outbox");
export const eventsPartition = shardPartition("~events");
export const chunksPartition = shardPartition("~event-chunks");
export const broadcastsPartition = shardPartition("~broadcasts");
export const timerCollection = "~timer";

/** Messages of one position: their numbers lie between it and the next. */
export const sendsPerCommandMax = 4_096;
/** Timers an activation remembers; beyond it a replaced timer's old row stays until it is due and is found to be stale. */
const knownTimersMax = 10_000;
/** Effects an activation remembers, and how large one may be: a megabyte at most. */
const knownEffectsMax = 256;
const knownEffectBytesMax = 4_096;

export interface TimerChange {
  readonly entity: Entity;
  readonly timerId: string;
  /** Absent: cleared. */
  readonly dueMs: number | undefined;
  readonly key: string | undefined;
}

export interface EffectChange {
  readonly entity: Entity;
  readonly id: string;
  /** `null`: it has ended. */
  readonly row: EffectRow | null;
  readonly bytes: number;
}

/** A change by what it says; a row without a value is deleted. */
export type Change =
  | {
      readonly type: "row";
      readonly partition: Partition;
      readonly key: string;
      readonly value: unknown;
    }
  | {
      readonly type: "range";
      readonly partition: Partition;
      readonly from: string;
      readonly to: string;
    };

/** The row goes. */
export function deletion(partition: Partition, key: string): Change {
  return { type: "row", partition, key, value: undefined };
}

export interface EndedEffect {
  readonly address: Address;
  readonly id: string;
}

export interface OutboxMessage {
  readonly number: number;
  readonly from: Address;
  readonly to: Address;
  readonly message: unknown;
}

export interface Broadcast {
  readonly key: string;
  readonly topic: string;
  readonly payload: unknown;
}

/** One for the whole thread: between its beginning and its end a turn is alone. */
const writer = new Writer();

/** What the changes have become: entries of the journal, and where the values of their rows are. */
export interface Recorded {
  readonly entries: readonly Uint8Array[];
  readonly bytes: Buffer;
  /** What the positions of the changes count from. */
  readonly start: number;
}

/**
 * Takes down what `apply` changes, as the journal will have it; nothing of it counts until the shard joins it to the
 * batch.
 */
export class Recorder implements RowWriter {
  now = 0;
  changes: RecordedChange[] = [];
  /** Where a further journal position begins: in `changes`, and in what is written. */
  splits: { readonly change: number; readonly position: number }[] = [];
  timers: TimerChange[] = [];
  sends: OutboxMessage[] = [];
  broadcasts: Broadcast[] = [];
  endedEffects: EndedEffect[] = [];
  effects: EffectChange[] = [];
  /** Of the ownership term: effects carry it. */
  epoch = 0;
  publishedBytes = 0;
  publishedCount = 0;
  /** Of the published events: a turn is of one tenant. */
  publishedTenant = "";
  /** The chunk that they join. */
  publishedChunk = 0;
  /** In which chunk events of this position and time are. */
  chunkAt: (seq: number, now: number) => number = (seq) => seq;
  #entity!: Entity;
  #seq = 0;
  #ranges: { partition: string; from: string; to: string }[] = [];
  #written = new Written();
  readonly #storage: Pick<Storage, "usedFormat">;
  #format = anyFormat;

  constructor(storage: Pick<Storage, "usedFormat">) {
    this.#storage = storage;
  }

  begin(now: number, seq: number): void {
    this.now = now;
    this.#format = this.#storage.usedFormat ?? anyFormat;
    this.#seq = seq;
    this.changes = [];
    this.#written = new Written();
    writer.begin();
    if (this.splits.length > 0) this.splits = [];
    if (this.timers.length > 0) this.timers = [];
    if (this.sends.length > 0) this.sends = [];
    if (this.broadcasts.length > 0) this.broadcasts = [];
    if (this.endedEffects.length > 0) this.endedEffects = [];
    if (this.effects.length > 0) this.effects = [];
    if (this.#ranges.length > 0) this.#ranges = [];
    this.publishedBytes = 0;
    this.publishedCount = 0;
  }

  /** Ends what `begin` began: what was recorded, as entries with this decision. */
  end(decision: Decision): Recorded {
    const changesEnd = writer.position;
    writeDecision(writer, this.#written, decision);
    const whole = writer.end();
    const { splits } = this;
    const bytes = writer.bytes;
    const start = writer.start - whole.length;
    if (splits.length === 0) return { entries: [whole], bytes, start };
    // Rare: the events stay with the first position, the others have only changes.
    const entries: Uint8Array[] = [];
    this.#written = new Written();
    for (let i = 0; i <= splits.length; i++) {
      const from = splits[i - 1]?.position ?? 0;
      const changes = whole.subarray(from, splits[i]?.position ?? changesEnd);
      writeDecision(writer, this.#written, i === 0 ? decision : { ...decision, steps: [] });
      entries.push(Buffer.concat([changes, writer.end()]));
    }
    return { entries, bytes, start };
  }

  /** What is written so far. */
  get bytes(): number {
    return writer.position;
  }

  /** More than rows of entities changed: messages and broadcasts, or a range whose rows a later change could meet. */
  get reachesOut(): boolean {
    return this.sends.length + this.broadcasts.length + this.#ranges.length > 0;
  }

  /** A row as the open part has it: its value, `null` where it is deleted, `undefined` where nothing is said of it. */
  find(partition: Partition, key: string, from = 0): Uint8Array | null | undefined {
    for (let i = this.changes.length - 1; i >= from; i--) {
      const change = this.changes[i]!;
      if (change.partition !== partition) continue;
      if (change.type === "row") {
        if (change.key !== key) continue;
        const start = writer.start;
        return change.end === 0 ? null : writer.bytes.subarray(start + change.start, start + change.end);
      }
      if (key >= change.from && key < change.to) return null;
    }
    return undefined;
  }

  /** An effect as the open part has it; `null`: it has ended; `undefined` where nothing is said of it. */
  effectOf(entity: Entity, id: string): EffectRow | null | undefined {
    for (let i = this.effects.length - 1; i >= 0; i--) {
      const change = this.effects[i]!;
      if (change.id === id && change.entity === entity) return change.row;
    }
    return undefined;
  }

  /** Whose rows the next calls change. */
  for(entity: Entity): this {
    this.#entity = entity;
    return this;
  }

  put(collection: string, key: readonly TuplePart[], value: unknown): void {
    this.change(this.#own(collection), keyOf(key), value === undefined ? null : value);
  }

  delete(collection: string, key: readonly TuplePart[]): void {
    this.change(this.#own(collection), keyOf(key), undefined);
  }

  deletePrefix(collection: string, prefix: readonly TuplePart[]): void {
    const from = keyOf(prefix);
    this.changeRange(this.#own(collection), from, `${from}\xff`);
  }

  deleteRange(collection: string, from: readonly TuplePart[], to: readonly TuplePart[]): void {
    this.changeRange(this.#own(collection), keyOf(from), keyOf(to));
  }

  setTimer(timerId: string, dueMs: number): void {
    assert(Number.isFinite(dueMs), `the timer ${timerId} has a due time`);
    const due = Math.max(0, Math.ceil(dueMs));
    // It is set already. One that is due may be the one that fires now, and its rows go with it.
    if (due > this.now && this.#known(timerId) === due) return;
    this.#setDue(timerId, due);
    this.change(this.#entity.partition(timerCollection), keyOf([timerId]), due);
  }

  clearTimer(timerId: string): void {
    this.#clearDue(timerId);
    this.change(this.#entity.partition(timerCollection), keyOf([timerId]), undefined);
  }

  /** The timer that started this command is done with, unless the command set it anew. */
  fired(entity: Entity, timerId: string, dueMs: number): void {
    if (this.#passed(entity, timerId, dueMs))
      this.change(entity.partition(timerCollection), keyOf([timerId]), undefined);
  }

  /** A timer's row that its entity has long replaced. */
  stale(entity: Entity, timerId: string, dueMs: number): void {
    const { kind, tenant, key } = entity.address;
    this.change(duePartition, keyOf([dueMs, kind, tenant, key, timerId]), undefined);
  }

  effect(id: string, { kind, dueMs, lane, body }: EffectRequest): void {
    const { address } = this.#entity;
    const due = Math.max(0, Math.ceil(dueMs));
    this.#changeEffect(id, {
      kind,
      dueMs: due,
      lane: lane ?? `${address.kind}/${address.key}`,
      body,
      asked: this.#seq,
      attempt: 1,
      epoch: this.epoch,
      begun: false,
      failures: 0,
    });
    // Its own row says when it is due: its timer needs no second one.
    this.#setDue(effectTimer(id), due);
  }

  endEffect(id: string): void {
    this.#changeEffect(id, undefined);
    this.#clearDue(effectTimer(id));
    this.endedEffects.push({ address: this.#entity.address, id });
  }

  /** A step of an attempt: the mark that it began, or its end; unless its command, whose changes begin at `from`, has said otherwise. */
  effectStepped(entity: Entity, id: string, row: EffectRow, type: "begin" | "done", from: number): void {
    this.for(entity);
    if (this.find(entity.partition(effectCollection), keyOf([id]), from) !== undefined) return;
    if (type === "begin") this.#changeEffect(id, { ...row, begun: true });
    else {
      this.#changeEffect(id, undefined);
      this.#passed(entity, effectTimer(id), row.dueMs);
    }
  }

  #changeEffect(id: string, row: EffectRow | undefined): void {
    const entity = this.#entity;
    const before = writer.position;
    const value = row === undefined ? undefined : effectToRow(row);
    this.change(entity.partition(effectCollection), keyOf([id]), value);
    this.effects.push({ entity, id, row: row ?? null, bytes: writer.position - before });
  }

  send(to: Address, message: unknown): void {
    assert(this.sends.length < sendsPerCommandMax, `a command sends at most ${sendsPerCommandMax} messages`);
    const number = this.#seq * sendsPerCommandMax + this.sends.length;
    const from = this.#entity.address;
    const value = [from.kind, from.tenant, from.key, to.kind, to.tenant, to.key, message, number];
    this.change(outboxPartition, keyOf([number]), value);
    this.sends.push({ number, from, to, message });
  }

  publish(kind: string, subject: string, payload: unknown, environment?: string): void {
    const { address, environment: own } = this.#entity;
    const { tenant } = address;
    const value = [this.now, environment ?? own, kind, subject, payload, address.kind, address.key];
    if (this.publishedCount === 0) this.#enterChunk(tenant);
    const before = writer.position;
    const key = keyOf([this.publishedChunk, tenant, this.#seq, this.publishedCount++]);
    this.change(eventsPartition, key, value);
    this.publishedBytes += writer.position - before;
  }

  /** The row of a new chunk is in the commit of its first event: no event is in a chunk that is not known. */
  #enterChunk(tenant: string): void {
    const chunk = this.chunkAt(this.#seq, this.now);
    this.publishedTenant = tenant;
    this.publishedChunk = chunk;
    if (chunk !== this.#seq) return;
    this.change(chunksPartition, keyOf([chunk]), { firstSeq: chunk, bytes: 0, atMs: this.now });
  }

  broadcast(topic: string, payload: unknown): void {
    const key = keyOf([this.#seq, this.broadcasts.length]);
    this.change(broadcastsPartition, key, [topic, payload]);
    this.broadcasts.push({ key, topic, payload });
  }

  record(change: Change): void {
    if (change.type === "row") this.change(change.partition, change.key, change.value);
    else this.changeRange(change.partition, change.from, change.to);
  }

  /**
   * Without a value the row is deleted. A row that follows a range delete over it takes a position of its own: at one
   * position a delete wins.
   */
  change(partition: Partition, key: string, value: unknown): void {
    for (const range of this.#ranges) {
      if (range.partition !== partition.text || key < range.from || key >= range.to) continue;
      this.splits.push({ change: this.changes.length, position: writer.position });
      this.#ranges = [];
      // Each position is an entry of its own.
      this.#written = new Written(writer.position);
      break;
    }
    this.changes.push(writeRow(writer, this.#written, partition, key, value, this.#format));
  }

  changeRange(partition: Partition, from: string, to: string): void {
    this.#ranges.push({ partition: partition.text, from, to });
    this.changes.push(writeRange(writer, this.#written, partition, from, to));
  }

  #own(collection: string): Partition {
    assert(!collection.startsWith("~"), `${collection} is not a collection of the runtime`);
    return this.#entity.partition(collection);
  }

  #setDue(timerId: string, dueMs: number): void {
    const { kind, tenant, key } = this.#entity.address;
    this.#dropKnown(timerId);
    const row = keyOf([dueMs, kind, tenant, key, timerId]);
    this.change(duePartition, row, [dueMs, kind, tenant, key, timerId]);
    this.timers.push({ entity: this.#entity, timerId, dueMs, key: row });
  }

  #clearDue(timerId: string): void {
    this.#dropKnown(timerId);
    this.timers.push({ entity: this.#entity, timerId, dueMs: undefined, key: undefined });
  }

  /** Its time has passed. True: the command did not set it anew. */
  #passed(entity: Entity, timerId: string, dueMs: number): boolean {
    const { kind, tenant, key } = entity.address;
    const row = keyOf([dueMs, kind, tenant, key, timerId]);
    let again: TimerChange | undefined;
    for (const change of this.timers)
      if (change.entity === entity && change.timerId === timerId) again = change;
    if (again?.key !== row) this.change(duePartition, row, undefined);
    if (again !== undefined) return false;
    this.timers.push({ entity, timerId, dueMs: undefined, key: undefined });
    return true;
  }

  /** When it is due, as far as this activation knows. */
  #known(timerId: string): number | undefined {
    let dueMs = this.#entity.timers.get(timerId);
    for (const change of this.timers)
      if (change.entity === this.#entity && change.timerId === timerId) dueMs = change.dueMs;
    return dueMs;
  }

  #dropKnown(timerId: string): void {
    const dueMs = this.#known(timerId);
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

/** After the join: what the activation knows of its effects. */
export function rememberEffect({ entity: { effects }, id, row, bytes }: EffectChange): void {
  if (row === null || bytes > knownEffectBytesMax) effects.delete(id);
  else if (effects.has(id) || effects.size < knownEffectsMax) effects.set(id, row);
}
