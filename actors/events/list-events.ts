import { limits, orThrow, refusalError } from "#base";
import type { EventPoint, PublishedEvent } from "#runtime";
import { boundsOf, type Position, pageFrom } from "../kit/list.ts";
import type { Handler } from "../module.ts";
import { type EventMessage, isWanted, messagesOf, seesEvent } from "./message.ts";

interface Listed {
  readonly position: Position;
  readonly message: EventMessage;
}

/** Newest first, over all shards. A page looks at so many events: one that finds few of them says where to go on. */
export const listEvents: Handler<"EventService.ListEvents"> = async (request, call) => {
  const { pastEvents } = call.asker;
  if (!pastEvents) throw refusalError("UNIMPLEMENTED", "events are not served here");
  const { kinds, subject, since } = request;
  const { tenant, environment } = call.caller;
  const scope = ["past-events", tenant, environment ?? "", [...kinds].sort(), subject ?? "", since ?? ""];
  const bounds = orThrow(
    boundsOf(request, { scope, shape: ["number", "number", "number", "number", "number"] }),
  );
  const sinceMs = since === undefined ? 0 : Date.parse(since);
  const values: Listed[] = [];
  let before = bounds.after && firstBefore(bounds.after);
  let end: Position | undefined;
  for (let looked = 0; values.length < bounds.limit; looked += limits.eventsPastMax) {
    const past = { sinceMs, limit: limits.eventsPastMax, ...(before && { before }) };
    const events = orThrow(await pastEvents(tenant, past));
    for (const event of events) {
      if (!seesEvent(call.caller, event) || !isWanted(event.kind, kinds)) continue;
      for (const one of listedOf(event))
        if (isAfter(one.position, bounds.after) && (subject ?? one.message.subject) === one.message.subject)
          values.push(one);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < limits.eventsPastMax) break;
    before = last;
    if (looked >= limits.eventsLookedMax) {
      end = [last.atMs, last.shard, last.seq, last.index, 0];
      break;
    }
  }
  const found = {
    values: values.slice(0, bounds.limit),
    ...(end && values.length < bounds.limit && { end }),
  };
  const page = pageFrom<Listed, EventMessage>(
    { scope, positionOf: ({ position }) => position },
    bounds,
    found,
    ({ message }) => message,
  );
  return { events: page.values, next_page_token: page.next_page_token };
};

/** The messages of an event, the last one first. */
function listedOf(event: PublishedEvent): Listed[] {
  const { atMs, shard, seq, index } = event;
  return messagesOf(event)
    .map((message, item) => ({ position: [atMs, shard, seq, index, item], message }))
    .reverse();
}

/** The event of the position is read again: some of its messages may be left. */
function firstBefore([atMs, shard, seq, index]: Position): EventPoint {
  return { atMs, shard, seq, index: Number(index) + 1 } as EventPoint;
}

function isAfter(position: Position, start: Position | undefined): boolean {
  if (start === undefined) return true;
  const at = position.findIndex((part, i) => part !== start[i]);
  return at >= 0 && position[at]! < start[at]!;
}
