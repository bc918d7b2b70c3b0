import { type Clock, limits, RefusalError, refusalError } from "#base";
import type { PublishedEvent } from "#runtime";
import { opened, type StreamHandler } from "../module.ts";
import { isWanted, messagesOf, seesEvent } from "./message.ts";
import { eventCursorOf, notWhole, Position, parseEventCursor } from "./position.ts";

interface SubscribeRequest {
  readonly cursor?: string;
  readonly kinds?: readonly string[];
}

/** Events of the caller's tenant from the cursor on, with a cursor now and then. */
export const subscribeEvents: StreamHandler = async function* (requests, call) {
  const { subscribe } = call.asker;
  if (!subscribe) throw refusalError("UNIMPLEMENTED", "events are not served here");
  const { cursor = "", kinds = [] } = await firstOf(requests);
  const { tenant } = call.caller;
  const start = cursor === "" ? new Map<number, number>() : parseEventCursor(tenant, cursor);
  const position = new Position(start);
  const pace = new Pace(call.clock);
  yield opened;
  const held: PublishedEvent[] = [];
  for await (const page of subscribe({ tenant, cursor: start }, call.signal)) {
    position.look(page);
    held.push(...page.events);
    if (!position.isWhole) {
      if (held.length > 0 && position.pages > limits.eventPagesHeldMax) throw new RefusalError(notWhole());
      continue;
    }
    for (const event of held.splice(0)) {
      position.reach(event);
      pace.passes();
      if (!seesEvent(call.caller, event) || !isWanted(event.kind, kinds)) continue;
      for (const message of messagesOf(event))
        yield { event: message, ...(pace.sends() && { cursor: eventCursorOf(tenant, position) }) };
    }
    position.pass();
    if (pace.pauses()) yield { cursor: eventCursorOf(tenant, position) };
  }
};

/**
 * A cursor names every shard: it comes with the first event, then every hundred events or second. Also where nothing is to be sent: with
 * the cursor of its last event a subscriber would find, a day later, that what follows is no longer kept.
 */
class Pace {
  readonly #clock: Clock;
  #sent = 0;
  /** Events that the last cursor says nothing of. */
  #passed = 0;
  #isFirst = true;
  #toldMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#toldMs = clock.monotonic();
  }

  passes(): void {
    this.#passed++;
  }

  /** One more message; true: with a cursor. */
  sends(): boolean {
    if (!this.#isFirst && ++this.#sent < limits.eventsCursorMax && !this.#isAfter(limits.eventsCursorMs))
      return false;
    return this.#tells();
  }

  /** What there was is sent; true: a cursor by itself. */
  pauses(): boolean {
    return (
      this.#isAfter(this.#passed > 0 ? limits.eventsCursorMs : limits.eventsIdleCursorMs) && this.#tells()
    );
  }

  #isAfter(ms: number): boolean {
    return this.#clock.monotonic() - this.#toldMs >= ms;
  }

  #tells(): true {
    this.#isFirst = false;
    this.#sent = 0;
    this.#passed = 0;
    this.#toldMs = this.#clock.monotonic();
    return true;
  }
}

async function firstOf(requests: AsyncIterable<unknown>): Promise<SubscribeRequest> {
  for await (const request of requests) return request as SubscribeRequest;
  return {};
}
