import { isRefusal, limits, type Random, type Refusal } from "#base";
import type { EventLook, EventPage, EventsFrom } from "../../runtime/event-page.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import { type EventSource, subscribe } from "../../runtime/subscribe.ts";
import { goneRefusal, lookAfter } from "./gone.ts";
import { simulatedLimits } from "./process.ts";
import type { Stage } from "./scenario.ts";
import type { Owner } from "./scheduler.ts";
import type { EventPlace } from "./topology.ts";

/** How long a reader of events waits after it has left, or found no one. */
export const lookPauseMs = 200;

interface Looker {
  readonly owner: Owner;
  readonly random: Random;
  /** Its cursor is too old. */
  readonly expired?: (cursor: EventLook) => void;
}

/** What the runtime of a gateway offers. Shards that exist only in the product have no events. */
export async function* lookForEvents(
  stage: Stage,
  looker: Looker,
  from: EventsFrom,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const pause = (step: () => void) => void stage.scheduler.schedule(looker.owner, lookPauseMs, "pause", step);
  const places = stage.eventPlaces();
  const sources = () => {
    const found = new Map<number | string, EventSource>();
    for (const [number, place] of places())
      found.set(number, (asked, done) => poll(stage, looker, place, asked, done));
    return found;
  };
  for await (const page of subscribe(sources, from, signal, pause))
    yield { ...page, positions: [...page.positions, ...silentShards] };
}

/** A read takes time, and may be lost with its process. */
function poll(
  { scheduler }: Stage,
  { owner, random, expired }: Looker,
  { process, look }: EventPlace,
  asked: EventLook,
  done: Parameters<EventSource>[1],
): void {
  let waits = true;
  const answer: typeof done = (found) => {
    if (waits) done(found);
    waits = false;
  };
  const gone = () => answer(goneRefusal());
  process.receive("poll", random.float() * 2, () =>
    look(asked, (found) => {
      const copy = copyPlain(found) as EventPage | Refusal;
      if (isRefusal(copy) && copy.code === "CURSOR_EXPIRED") expired?.(asked);
      scheduler.schedule(owner, random.float() * 2, "events", () => answer(copy));
    }),
  );
  lookAfter(scheduler, owner, () => waits, { isThere: () => process.alive, gone });
}

const silentShards = Array.from(
  { length: limits.shardCount - simulatedLimits.shardCount },
  (_, index) => [simulatedLimits.shardCount + index, 0] as const,
);
