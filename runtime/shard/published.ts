import { decodeTuple } from "#base";
import type { Row } from "#storage";
import type { EventPoint, PastEvents, PublishedEvent } from "../event-page.ts";
import { unpackValue } from "./codec.ts";
import { joinSystem } from "./join.ts";
import { failureOf } from "./load.ts";
import { metaPartition } from "./meta.ts";
import { keyOf } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import type { Done } from "./reader.ts";
import { type Change, chunksPartition, eventsPartition, type Recorder } from "./recorder.ts";

/** How many events, and how many bytes of them, a look takes. */
export interface EventRoom {
  readonly events: number;
  readonly bytes: number;
}

export interface EventsRead {
  readonly events: readonly PublishedEvent[];
  readonly bytes: number;
}

/** A stretch of events that is forgotten as a whole; its first position is its name. */
interface Chunk {
  firstSeq: number;
  bytes: number;
  atMs: number;
}

const retryMs = 1_000;
/** Rows read at once: what is read beyond the room there is stays small, however large events are. */
const pageRows = 32;
const trimmedKey = keyOf(["events-trimmed"]);
/** Parts of what is kept, by bytes and by time, that are forgotten one by one. */
const chunksByBytes = 32;
const chunksByTime = 24;

/** Of how many tenants it is known where their last event is. */
const tenantsKnownMax = 256;

/**
 * Published events of a shard are rows (chunk, tenant, position, index) of the same commit, so that a reader passes over no event of
 * another tenant; this keeps account of them and forgets old ones.
 */
export class PublishedEvents {
  readonly #shard: ShardParts;
  #chunks: Chunk[] = [];
  /** Events up to this position are forgotten. */
  #trimmedTo = 0;
  #loaded = false;
  /** By tenant, the one that published last at the end. */
  readonly #lastSeqs = new Map<string, number>();
  /** Of a tenant that is not there: no event is later. */
  #lastSeqMax = 0;
  /** Chunks that have a row, and how many bytes it tells of. */
  readonly #written = new Map<number, number>();

  constructor(shard: ShardParts) {
    this.#shard = shard;
    shard.recorder.chunkAt = (seq, now) => this.#chunkAt(seq, now);
  }

  /** No event of the tenant is later than this. */
  lastSeq(tenant: string): number {
    return this.#lastSeqs.get(tenant) ?? this.#lastSeqMax;
  }

  get trimmedTo(): number {
    return this.#trimmedTo;
  }

  /** False until it is known which events are kept: readers wait for that. */
  get loaded(): boolean {
    return this.#loaded;
  }

  load(): void {
    this.#lastSeqMax = this.#shard.commit.durableSeq;
    this.#read();
  }

  #read(): void {
    const { reader } = this.#shard;
    const chunks: Chunk[] = [];
    const orAgain = (failure: unknown, step: () => void) => {
      if (this.#shard.status !== "ready") return;
      if (failure === undefined) step();
      else this.#shard.setTimer(retryMs, () => this.#read());
    };
    const use = (trimmedTo: number) => {
      for (const { firstSeq, bytes } of chunks) this.#written.set(firstSeq, bytes);
      // One that began meanwhile has its row already: it is there once.
      const begun = new Set(this.#chunks.map(({ firstSeq }) => firstSeq));
      this.#chunks = [...chunks.filter(({ firstSeq }) => !begun.has(firstSeq)), ...this.#chunks];
      this.#trimmedTo = trimmedTo;
      this.#loaded = true;
      this.#shard.thread.eventReaders.wakeAll();
    };
    reader.scanAll(
      chunksPartition,
      1_000,
      (row) => chunks.push(unpackValue(row.value, chunksPartition) as Chunk),
      (unscanned) =>
        orAgain(unscanned, () =>
          reader.getMany([{ partition: metaPartition, key: trimmedKey }], (unread, [value]) =>
            orAgain(unread, () => use(value ? (unpackValue(value, metaPartition) as number) : 0)),
          ),
        ),
    );
  }

  stop(): void {
    this.#shard.thread.eventReaders.wakeAll();
  }

  #chunkAt(seq: number, nowMs: number): number {
    const { publishedBytesMax, publishedKeptMs } = this.#shard.thread.limits;
    const open = this.#chunks.at(-1);
    const isOver =
      open === undefined ||
      open.bytes >= publishedBytesMax / chunksByBytes ||
      nowMs - open.atMs >= publishedKeptMs / chunksByTime;
    return isOver ? seq : open.firstSeq;
  }

  joined(seq: number, recorder: Recorder, nowMs: number): void {
    const { publishedChunk, publishedBytes, publishedTenant } = recorder;
    const open = this.#chunks.at(-1);
    if (open?.firstSeq === publishedChunk) open.bytes += publishedBytes;
    else this.#chunks.push({ firstSeq: publishedChunk, bytes: publishedBytes, atMs: nowMs });
    this.#lastSeqs.delete(publishedTenant);
    this.#lastSeqs.set(publishedTenant, seq);
    if (this.#lastSeqs.size <= tenantsKnownMax) return;
    const [tenant, last] = this.#lastSeqs.entries().next().value!;
    this.#lastSeqs.delete(tenant);
    this.#lastSeqMax = last;
  }

  durable(tenant: string): void {
    this.#shard.thread.eventReaders.wake(tenant);
  }

  /** Now and then: forgets what is too old or too much, and writes chunks down. */
  maintain(nowMs: number): void {
    if (!this.#loaded) return;
    const changes = [...this.#forgetOld(nowMs), ...this.#writeChunks()];
    if (changes.length > 0) joinSystem(this.#shard, changes);
  }

  #forgetOld(nowMs: number): Change[] {
    const { publishedBytesMax, publishedKeptMs } = this.#shard.thread.limits;
    const changes: Change[] = [];
    let bytes = 0;
    for (const chunk of this.#chunks) bytes += chunk.bytes;
    while (this.#chunks.length > 1) {
      const [oldest, next] = this.#chunks as [Chunk, Chunk];
      // A chunk ends where the next begins, so it is as old as that.
      if (bytes <= publishedBytesMax && nowMs - next.atMs < publishedKeptMs) break;
      this.#chunks.shift();
      this.#written.delete(oldest.firstSeq);
      bytes -= oldest.bytes;
      this.#trimmedTo = next.firstSeq - 1;
      const to = keyOf([next.firstSeq]);
      changes.push(
        { type: "range", partition: eventsPartition, from: "", to },
        { type: "range", partition: chunksPartition, from: "", to },
      );
    }
    if (changes.length > 0)
      changes.push({ type: "row", partition: metaPartition, key: trimmedKey, value: this.#trimmedTo });
    return changes;
  }

  #writeChunks(): Change[] {
    const changes: Change[] = [];
    for (const chunk of this.#chunks) {
      const written = this.#written.get(chunk.firstSeq);
      const isOpen = chunk === this.#chunks.at(-1);
      // An open one too, once: of one that no ownership term lasts to close, nothing would ever be forgotten.
      if (written === chunk.bytes || (isOpen && written !== undefined)) continue;
      this.#written.set(chunk.firstSeq, chunk.bytes);
      changes.push({ type: "row", partition: chunksPartition, key: keyOf([chunk.firstSeq]), value: chunk });
    }
    return changes;
  }

  /**
   * Durable events of a tenant after a position, oldest first, until there is no more room; a position's events are never split
   * between two reads, so the last one may take more.
   */
  read(tenant: string, after: number, room: EventRoom, done: Done<EventsRead>): void {
    const { commit, number } = this.#shard;
    const to = commit.durableSeq + 1;
    const events: PublishedEvent[] = [];
    let bytes = 0;
    /** False when there is no room for a further position. */
    const add = (row: Row): boolean => {
      const event = eventOf(number, row);
      const isFull = events.length >= room.events || bytes >= room.bytes;
      if (isFull && event.seq !== events.at(-1)!.seq) return false;
      events.push(event);
      bytes += row.value.length;
      return true;
    };
    const chunks = this.#chunks.filter((_, index) => (this.#chunks[index + 1]?.firstSeq ?? to) > after + 1);
    const rangeOf = ({ firstSeq }: Chunk) => ({
      from: keyOf([firstSeq, tenant, after + 1]),
      to: keyOf([firstSeq, tenant, to]),
    });
    this.#scan(chunks.map(rangeOf), add, (failure) => done(failure, { events, bytes }));
  }

  /** Durable events of a tenant before a point, newest first. */
  readBack(tenant: string, past: PastEvents, done: Done<readonly PublishedEvent[]>): void {
    const { commit, number } = this.#shard;
    const { before, sinceMs, limit } = past;
    const events: PublishedEvent[] = [];
    const add = (row: Row): boolean => {
      const event = eventOf(number, row);
      if (event.atMs < sinceMs || events.length >= limit) return false;
      if (before === undefined || isOlder(event, before)) events.push(event);
      return true;
    };
    const chunks = this.#chunks.filter(
      ({ atMs }, index) =>
        atMs <= (before?.atMs ?? atMs) && (this.#chunks[index + 1]?.atMs ?? sinceMs) >= sinceMs,
    );
    const rangeOf = ({ firstSeq }: Chunk) => ({
      from: keyOf([firstSeq, tenant]),
      to: keyOf([firstSeq, tenant, commit.durableSeq + 1]),
      reverse: true,
    });
    this.#scan(chunks.reverse().map(rangeOf), add, (failure) => done(failure, events));
  }

  /** Rows of the ranges, one after the other, until `add` takes no more. */
  #scan(
    ranges: readonly { readonly from: string; readonly to: string; readonly reverse?: boolean }[],
    add: (row: Row) => boolean,
    done: (failure: unknown) => void,
  ): void {
    const [range, ...rest] = ranges;
    if (range === undefined) {
      done(undefined);
      return;
    }
    this.#shard.reader.scan(eventsPartition, { ...range, limit: pageRows }, (failure, rows) => {
      let goesOn = failure === undefined;
      const unread = failureOf(() => {
        goesOn = goesOn && rows.every(add);
      });
      if (!goesOn || unread !== undefined) done(failure ?? unread);
      else if (rows.length < pageRows) this.#scan(rest, add, done);
      else {
        const { key } = rows.at(-1)!;
        const left = range.reverse ? { ...range, to: key } : { ...range, from: `${key}\0` };
        this.#scan([left, ...rest], add, done);
      }
    });
  }
}

/** In the order of a list over all shards: by time, and by place where that is the same. */
export function isOlder(one: EventPoint, other: EventPoint): boolean {
  const order = [
    one.atMs - other.atMs,
    one.shard - other.shard,
    one.seq - other.seq,
    one.index - other.index,
  ];
  return (order.find((difference) => difference !== 0) ?? 0) < 0;
}

type StoredEvent = [atMs: number, environment: string, kind: string, subject: string, payload: unknown];

export function eventOf(shard: number, row: Row): PublishedEvent {
  const [, tenant, seq, index] = decodeTuple(row.key) as [number, string, number, number];
  const [atMs, environment, kind, subject, payload] = unpackValue(row.value, eventsPartition) as StoredEvent;
  return { shard, seq, index, atMs, tenant, environment, kind, subject, payload };
}
