import { limits, RefusalError } from "#base";
import type { PublishedEvent } from "#runtime";
import { handling } from "../kit/ask.ts";
import { type NextEvent, nextEvents } from "../kit/next-events.ts";
import { isWanted, messagesOf, seesEvent } from "./message.ts";
import { notWhole, Position, positionsOf } from "./position.ts";

/** A page of events from the cursor on, as soon as there are some; none after the wait, with a newer cursor. */
export const listNext = handling(nextEvents, async ({ cursor, kinds, environment, waitMs }, call) => {
  const { tenant, environmentMode } = call.caller;
  const reader = { tenant, environmentMode, ...(environment !== undefined && { environment }) };
  const start = positionsOf(cursor);
  const position = new Position(start);
  const untilMs = call.clock.monotonic() + waitMs;
  const events: NextEvent[] = [];
  let bytes = 0;
  let last: PublishedEvent | undefined;
  // A position's events stay together: a cursor does not come between them.
  const isFull = (event: PublishedEvent) =>
    (events.length >= limits.eventPageMax || bytes >= limits.eventPageBytesMax) &&
    (last?.shard !== event.shard || last.seq !== event.seq);
  for await (const page of call.asker.subscribe!({ tenant, cursor: start }, call.signal)) {
    position.look(page);
    const isLate = call.clock.monotonic() >= untilMs;
    if (cursor.length === 0) {
      if (position.isWhole || isLate) break;
      continue;
    }
    const full = page.events.some((event) => {
      if (isFull(event)) return true;
      last = event;
      position.take(event);
      if (!seesEvent(reader, event) || !isWanted(event.kind, kinds)) return false;
      for (const message of messagesOf(event)) {
        events.push(message);
        bytes += Buffer.byteLength(JSON.stringify(message));
      }
      return false;
    });
    if (full) break;
    position.pass();
    if (events.length > 0 || isLate) break;
  }
  // What happens in a shard that the cursor does not name would be missed until it is used.
  if (cursor.length === 0 && !position.isWhole) throw new RefusalError(notWhole());
  return { events, cursor: position.flat() };
});
