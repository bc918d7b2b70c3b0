import { isRefusal, type Refusal, refuse } from "#base";
import type { EventCursor, EventPage, PublishedEvent } from "./event-page.ts";
import { proveOwner } from "./shard/answer.ts";
import type { EventRoom, EventsRead } from "./shard/published.ts";
import type { Shard } from "./shard/shard.ts";
import type { Thread } from "./thread/thread.ts";

/** How long a look waits for events before it says that there are none. */
export const eventsWaitMs = 5_000;

/** Told what a look has found, or why it cannot be told. */
export type LookDone = (found: EventPage | Refusal) => void;

/**
 * Looks for events of this thread's shards after the cursor; if there are none it waits for some, at most `patienceMs`. A
 * shard the cursor does not name begins with what comes next, and where that is is told at once: until it knows, a
 * subscriber can use no cursor.
 */
export function pollEvents(thread: Thread, cursor: EventCursor, patienceMs: number, done: LookDone): void {
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
    if (after < shard.published.lastSeq) late.push(number);
  }
  const wait = () => waitForEvents(thread, cursor, positions, waitMs, done);
  if (late.length === 0) wait();
  else
    new PageReader(thread, positions, late, (found) => {
      if (!isRefusal(found) && found.events.length === 0) wait();
      else done(found);
    }).readNext();
}

/** Reads what shards have after their positions, one shard after the other, until the page is full. */
class PageReader {
  readonly #thread: Thread;
  readonly #positions: Map<number, number>;
  readonly #order: number[];
  readonly #roomEach: EventRoom;
  readonly #done: LookDone;
  readonly #events: PublishedEvent[] = [];
  #bytes = 0;

  constructor(thread: Thread, positions: Map<number, number>, late: readonly number[], done: LookDone) {
    this.#thread = thread;
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
    published.read(after, room, (failure, found) => {
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
        if (refusal === undefined) this.#add(number, found, durable);
        this.readNext();
      });
    });
  }

  #add(shard: number, { events, bytes }: EventsRead, durable: number): void {
    for (const event of events) this.#events.push(event);
    this.#bytes += bytes;
    this.#positions.set(shard, events.at(-1)?.seq ?? durable);
  }
}

function waitForEvents(
  thread: Thread,
  cursor: EventCursor,
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
    pollEvents(thread, from, 0, done);
  };
  stops.push(thread.world.setTimer(waitMs, end));
  for (const shard of thread.shards.values()) stops.push(shard.published.listen(end));
}

function expired(): Refusal {
  return refuse("CURSOR_EXPIRED", "events after this cursor are no longer kept");
}
