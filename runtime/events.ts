import { limits, type Refusal, refuse } from "#base";
import type { PublishedEvent } from "./shard/published.ts";
import type { Thread } from "./thread/thread.ts";

/** Per shard, the position up to which events have been seen. */
export type EventCursor = ReadonlyMap<number, number>;

/** What a look for events found: maybe nothing, and from where to look next. */
export interface EventPage {
  readonly events: readonly PublishedEvent[];
  readonly positions: readonly (readonly [shard: number, seq: number])[];
}

/** How long a look waits for events before it says that there are none. */
export const eventsWaitMs = 5_000;

/**
 * Looks for events of this thread's shards after the cursor; if there are none it waits for some, at most `patienceMs`. A
 * shard the cursor does not name begins with what comes next, and where that is is told at once: until it knows, a
 * subscriber can use no cursor.
 */
export function pollEvents(
  thread: Thread,
  cursor: EventCursor,
  patienceMs: number,
  done: (refusal: Refusal | undefined, page: EventPage) => void,
): void {
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
      done(expired(), { events: [], positions: [] });
      return;
    }
    if (after < shard.published.lastSeq) late.push(number);
  }
  if (late.length === 0) {
    waitForEvents(thread, cursor, positions, waitMs, done);
    return;
  }
  const events: PublishedEvent[] = [];
  let bytes = 0;
  // Each has its part of the page: one with more than anyone can read does not hide the others.
  const eventsEach = Math.ceil(limits.eventPageMax / late.length);
  const bytesEach = Math.ceil(limits.eventPageBytesMax / late.length);
  // Large events may fill it before all had theirs: chance makes those the first of another look.
  const turn = thread.world.random.int(late.length);
  const order = [...late.slice(turn), ...late.slice(0, turn)];
  const readNext = () => {
    const number = bytes < limits.eventPageBytesMax ? order.pop() : undefined;
    if (number === undefined) {
      if (events.length > 0) done(undefined, { events, positions: [...positions] });
      else waitForEvents(thread, cursor, positions, waitMs, done);
      return;
    }
    const shard = thread.shards.get(number);
    if (shard === undefined || shard.status !== "ready") {
      readNext();
      return;
    }
    const durable = shard.commit.durableSeq;
    const room = { events: eventsEach, bytes: Math.min(bytesEach, limits.eventPageBytesMax - bytes) };
    const after = positions.get(number)!;
    shard.published.read(after, room, (failure, found) => {
      // Forgotten meanwhile: what was found may begin behind a gap.
      if (after < shard.published.trimmedTo) {
        done(expired(), { events: [], positions: [] });
        return;
      }
      if (failure !== undefined) {
        thread.logger?.warn({ err: failure, shard: number }, "events could not be read");
        readNext();
        return;
      }
      for (const event of found.events) events.push(event);
      bytes += found.bytes;
      positions.set(number, found.events.at(-1)?.seq ?? durable);
      readNext();
    });
  };
  readNext();
}

function waitForEvents(
  thread: Thread,
  cursor: EventCursor,
  positions: ReadonlyMap<number, number>,
  waitMs: number,
  done: (refusal: Refusal | undefined, page: EventPage) => void,
): void {
  if (waitMs <= 0) {
    done(undefined, { events: [], positions: [...positions] });
    return;
  }
  const stops: (() => void)[] = [];
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    for (const stop of stops) stop();
    // A shard that was taken meanwhile goes on from the cursor, too.
    pollEvents(thread, new Map([...cursor, ...positions]), 0, done);
  };
  stops.push(thread.world.setTimer(waitMs, end));
  for (const shard of thread.shards.values()) stops.push(shard.published.listen(end));
}

function expired(): Refusal {
  return refuse("CURSOR_EXPIRED", "events after this cursor are no longer kept");
}
