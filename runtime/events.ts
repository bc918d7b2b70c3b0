import { isRefusal, type Refusal, refuse } from "#base";
import type { EventLook, EventPage, EventsFrom, PastEvents, PublishedEvent } from "./event-page.ts";
import { proveOwner } from "./shard/answer.ts";
import { type EventRoom, type EventsRead, isOlder } from "./shard/published.ts";
import type { Shard } from "./shard/shard.ts";
import type { Thread } from "./thread/thread.ts";

/** How long a look waits for events before it says that there are none. */
export const eventsWaitMs = 5_000;

/** Told what a look has found, or why it cannot be told. */
export type LookDone = (found: EventPage | Refusal) => void;

/** Answers what a subscriber, or a list, asks of this thread. */
export function lookForEvents(thread: Thread, look: EventLook, done: LookDone): void {
  const { tenant } = look;
  if ("past" in look) pastEvents(thread, tenant, look.past, done);
  else pollEvents(thread, { tenant, cursor: new Map(look.after) }, eventsWaitMs, done);
}

/**
 * Looks for a tenant's events of this thread's shards after the cursor; if there are none it waits for some, at most `patienceMs`. A
 * shard the cursor does not name begins with what comes next, and where that is is told at once: until it knows, a
 * subscriber can use no cursor.
 */
export function pollEvents(thread: Thread, look: EventsFrom, patienceMs: number, done: LookDone): void {
  const { tenant, cursor } = look;
  const positions = new Map<number, number>();
  const late: number[] = [];
  let waitMs = patienceMs;
  for (const [number, shard] of thread.shards) {
    // Where one that is being opened stands is not known yet: nothing is not where it begins.
    if (shard.status !== "ready" && !cursor.has(number)) continue;
    const known = cursor.get(number);
    if (known === undefined) waitMs = 0;
    const after = known ?? shard.commit.durableSeq;
    positions.set(number, after);
    if (shard.status !== "ready" || !shard.published.loaded) continue;
    if (after < shard.published.trimmedTo) {
      done(expired());
      return;
    }
    if (after < shard.published.lastSeq(tenant)) late.push(number);
    // Whatever else happened there was of other tenants: what is kept of the shard does not pass a quiet tenant by.
    else positions.set(number, Math.max(after, shard.commit.durableSeq));
  }
  const wait = () => waitForEvents(thread, look, positions, waitMs, done);
  if (late.length === 0) wait();
  else
    new PageReader(thread, { tenant, positions }, late, (found) => {
      if (!isRefusal(found) && found.events.length === 0) wait();
      else done(found);
    }).readNext();
}

/** Reads what shards have after their positions, one shard after the other, until the page is full. */
class PageReader {
  readonly #thread: Thread;
  readonly #tenant: string;
  readonly #positions: Map<number, number>;
  readonly #order: number[];
  readonly #roomEach: EventRoom;
  readonly #done: LookDone;
  readonly #events: PublishedEvent[] = [];
  #bytes = 0;

  constructor(
    thread: Thread,
    { tenant, positions }: { readonly tenant: string; readonly positions: Map<number, number> },
    late: readonly number[],
    done: LookDone,
  ) {
    this.#thread = thread;
    this.#tenant = tenant;
    this.#positions = positions;
    this.#done = done;
    // Each has its part of the page: one with more than anyone can read does not hide the others.
    const { eventPageMax, eventPageBytesMax } = thread.limits;
    this.#roomEach = {
      events: Math.ceil(eventPageMax / late.length),
      bytes: Math.ceil(eventPageBytesMax / late.length),
    };
    // Large events may fill it before all had theirs: chance makes those the first of another look.
    const first = thread.world.random.int(late.length);
    this.#order = [...late.slice(first), ...late.slice(0, first)];
  }

  readNext(): void {
    const number = this.#bytes < this.#thread.limits.eventPageBytesMax ? this.#order.pop() : undefined;
    if (number === undefined) {
      this.#done({ events: this.#events, positions: [...this.#positions] });
      return;
    }
    const shard = this.#thread.shards.get(number);
    if (shard === undefined || shard.status !== "ready") this.readNext();
    else this.#read(shard);
  }

  #read(shard: Shard): void {
    const { number, published, commit } = shard;
    const after = this.#positions.get(number)!;
    const durable = commit.durableSeq;
    const { events, bytes } = this.#roomEach;
    const { eventPageBytesMax } = this.#thread.limits;
    const room = { events, bytes: Math.min(bytes, eventPageBytesMax - this.#bytes) };
    published.read(this.#tenant, after, room, (failure, found) => {
      if (failure !== undefined) {
        this.#thread.logger?.warn({ err: failure, shard: number }, "events could not be read");
        this.readNext();
        return;
      }
      // Another owner may have forgotten what this one believes to be kept, and would know of it.
      proveOwner(shard, (refusal) => {
        // Forgotten meanwhile: what was found may begin behind a gap.
        if (after < published.trimmedTo) {
          this.#done(expired());
          return;
        }
        if (refusal === undefined) this.#add(number, found, durable, room);
        this.readNext();
      });
    });
  }

  #add(shard: number, { events, bytes }: EventsRead, durable: number, room: EventRoom): void {
    for (const event of events) this.#events.push(event);
    this.#bytes += bytes;
    const isFull = events.length >= room.events || bytes >= room.bytes;
    this.#positions.set(shard, isFull ? events.at(-1)!.seq : durable);
  }
}

function waitForEvents(
  thread: Thread,
  { tenant, cursor }: EventsFrom,
  positions: ReadonlyMap<number, number>,
  waitMs: number,
  done: LookDone,
): void {
  if (waitMs <= 0) {
    done({ events: [], positions: [...positions] });
    return;
  }
  const stops: (() => void)[] = [];
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    for (const stop of stops) stop();
    // A shard that was taken meanwhile goes on from the cursor, too.
    const from = new Map(cursor);
    for (const [shard, seq] of positions) from.set(shard, seq);
    pollEvents(thread, { tenant, cursor: from }, 0, done);
  };
  stops.push(thread.world.setTimer(waitMs, end));
  stops.push(thread.eventReaders.listen(tenant, end));
}

/** How many shards are read at once. */
const pastReadsMax = 8;

/** The tenant's newest events of this thread's shards before a point; `positions` names the shards that were read. */
function pastEvents(thread: Thread, tenant: string, past: PastEvents, done: LookDone): void {
  const left = [...thread.shards.values()].filter(
    ({ status, published }) => status === "ready" && published.loaded,
  );
  const positions: [number, number][] = [];
  let events: PublishedEvent[] = [];
  let reading = 0;
  const add = (shard: Shard, found: readonly PublishedEvent[]) => {
    positions.push([shard.number, shard.commit.durableSeq]);
    events = newest([...events, ...found], past.limit);
  };
  const next = () => {
    while (reading < pastReadsMax && left.length > 0) read(left.pop()!);
    if (reading === 0) done({ events, positions });
  };
  const read = (shard: Shard) => {
    reading++;
    // What is older than a full page is not read.
    const sinceMs = events.length < past.limit ? past.sinceMs : events.at(-1)!.atMs;
    shard.published.readBack(tenant, { ...past, sinceMs }, (failure, found) => {
      if (failure !== undefined)
        thread.logger?.warn({ err: failure, shard: shard.number }, "events could not be read");
      proveOwner(shard, (refusal) => {
        reading--;
        if (failure === undefined && refusal === undefined) add(shard, found);
        next();
      });
    });
  };
  next();
}

/** The first so many, newest first. */
export function newest(events: readonly PublishedEvent[], limit: number): PublishedEvent[] {
  return events.toSorted((a, b) => (isOlder(a, b) ? 1 : -1)).slice(0, limit);
}

function expired(): Refusal {
  return refuse("CURSOR_EXPIRED", "events after this cursor are no longer kept");
}
