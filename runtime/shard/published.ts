import { decodeTuple } from "#base";
import type { Row } from "#storage";
import type { PublishedEvent } from "../event-page.ts";
import { unpackValue } from "./codec.ts";
import { joinSystem } from "./join.ts";
import { failureOf } from "./load.ts";
import { metaPartition } from "./meta.ts";
import { keyOf, shardPartition } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import type { Done } from "./reader.ts";
import { type Change, eventsPartition } from "./recorder.ts";

/** How many events, and how many bytes of them, a look takes. */
export interface EventRoom {
  readonly events: number;
  readonly bytes: number;
}

export interface EventsRead {
  readonly events: readonly PublishedEvent[];
  readonly bytes: number;
}

/** A stretch of events that is forgotten as a whole. */
interface Chunk {
  firstSeq: number;
  bytes: number;
  atMs: number;
}

const retryMs = 1_000;
/** Rows read at once: what is read beyond the room there is stays small, however large events are. */
const pageRows = 32;
const chunksPartition = shardPartition("~event-chunks");
const trimmedKey = keyOf(["events-trimmed"]);
/** Parts of what is kept, by bytes and by time, that are forgotten one by one. */
const chunksByBytes = 32;
const chunksByTime = 24;

/** Published events of a shard are rows (position, index) of the same commit; this keeps account of them and forgets old ones. */
export class PublishedEvents {
  readonly #shard: ShardParts;
  #chunks: Chunk[] = [];
  /** Events up to this position are forgotten. */
  #trimmedTo = 0;
  #loaded = false;
  #lastSeq = 0;
  readonly #listeners = new Set<() => void>();
  /** Chunks that have a row, and how many bytes it tells of. */
  readonly #written = new Map<number, number>();

  constructor(shard: ShardParts) {
    this.#shard = shard;
  }

  /** No event is later than this; before any is published in this ownership term, the position it began with. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get trimmedTo(): number {
    return this.#trimmedTo;
  }

  /** Calls `listener` whenever further events have become durable, and when the ownership term ends. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  /** False until it is known which events are kept: readers wait for that. */
  get loaded(): boolean {
    return this.#loaded;
  }

  load(): void {
    this.#lastSeq = this.#shard.commit.durableSeq;
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
      this.#chunks = [...chunks, ...this.#chunks];
      this.#trimmedTo = trimmedTo;
      this.#loaded = true;
      this.#announce();
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
    this.#announce();
    this.#listeners.clear();
  }

  joined(seq: number, bytes: number, nowMs: number): void {
    const { publishedBytesMax, publishedKeptMs } = this.#shard.thread.limits;
    const open = this.#chunks.at(-1);
    if (
      open === undefined ||
      open.bytes >= publishedBytesMax / chunksByBytes ||
      nowMs - open.atMs >= publishedKeptMs / chunksByTime
    )
      this.#chunks.push({ firstSeq: seq, bytes, atMs: nowMs });
    else open.bytes += bytes;
  }

  durable(seq: number): void {
    this.#lastSeq = seq;
    this.#announce();
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
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
   * Durable events after a position, oldest first, until there is no more room; a position's events are never split between
   * two reads, so the last one may take more.
   */
  read(after: number, room: EventRoom, done: Done<EventsRead>): void {
    const { commit, number, reader } = this.#shard;
    const to = keyOf([commit.durableSeq + 1]);
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
    const page = (from: string) =>
      reader.scan(eventsPartition, { from, to, limit: pageRows }, (failure, rows) => {
        let goesOn = failure === undefined && rows.length === pageRows;
        const unread = failureOf(() => {
          goesOn = rows.every(add) && goesOn;
        });
        if (goesOn && unread === undefined) page(`${rows.at(-1)!.key}\0`);
        else done(failure ?? unread, { events, bytes });
      });
    page(keyOf([after + 1]));
  }
}

type StoredEvent = [atMs: number, tenant: string, kind: string, subject: string, payload: unknown];

export function eventOf(shard: number, row: Row): PublishedEvent {
  const [seq, index] = decodeTuple(row.key) as [number, number];
  const [atMs, tenant, kind, subject, payload] = unpackValue(row.value, eventsPartition) as StoredEvent;
  return { shard, seq, index, atMs, tenant, kind, subject, payload };
}
