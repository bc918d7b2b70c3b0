import { isRefusal, type Refusal, RefusalError, refuse } from "#base";
import type { Cancellation } from "./ask.ts";
import type { EventCursor, EventLook, EventPage, EventsFrom, PastEvents } from "./event-page.ts";
import { type LookDone, newest } from "./events.ts";

/** One place to look for events: this thread, or a peer. */
export type EventSource = (look: EventLook, done: LookDone) => void;

/** A thread by its number, or one of another node by a name. */
export type EventPlace = number | string;

type Sources = () => ReadonlyMap<EventPlace, EventSource>;

/**
 * A tenant's events of all sources (by the place they are at) after the cursor, then new ones as they become durable; ordered per shard. Also
 * pages without events: from them a subscriber knows where each shard stands. Each source is asked again only when what it gave has been
 * taken, so a slow subscriber holds at most one page of each.
 */
export async function* subscribe(
  sources: Sources,
  { tenant, cursor }: EventsFrom,
  signal: Cancellation,
  pause: (step: () => void) => void,
): AsyncGenerator<EventPage, void, undefined> {
  /** What was found, and after which positions it was looked for. */
  const pages: { readonly page: EventPage; readonly after: EventCursor }[] = [];
  const asked = new Set<EventPlace>();
  let positions = new Map(cursor);
  let refusal: Refusal | undefined;
  let wake = () => {};
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const poll = (worker: EventPlace, source: EventSource) => {
    if (asked.has(worker)) return;
    asked.add(worker);
    const after = positions;
    source({ tenant, after: [...after] }, (found) => {
      const again = () => {
        asked.delete(worker);
        wake();
      };
      if (!isRefusal(found)) {
        pages.push({ page: found, after });
        again();
      } else if (found.code === "UNAVAILABLE") pause(again);
      else {
        refusal = found;
        wake();
      }
    });
  };
  try {
    while (!signal.aborted) {
      if (refusal !== undefined) throw new RefusalError(refusal);
      const found = pages.shift();
      if (found === undefined) {
        for (const [worker, source] of sources()) poll(worker, source);
        if (pages.length > 0 || refusal !== undefined) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const fresh = unseen(found.page, found.after, positions);
      // A copy: the sources that are asked still read the one before.
      positions = new Map(positions);
      for (const [shard, seq] of fresh.positions) positions.set(shard, seq);
      yield fresh;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * A shard may have moved: what its new holder tells from an older position was told by the one before. One that was asked
 * when the shard had no position yet begins with what comes next, and there may be more to tell before that.
 */
function unseen({ events, positions }: EventPage, after: EventCursor, seen: EventCursor): EventPage {
  const isNew = (shard: number, seq: number) => {
    const before = seen.get(shard);
    return before === undefined || (after.has(shard) && seq > before);
  };
  return {
    events: events.filter(({ shard, seq }) => isNew(shard, seq)),
    positions: positions.filter(([shard, seq]) => isNew(shard, seq)),
  };
}

/** The tenant's newest events before a point, of all shards; refused where one of them cannot be read now. */
export async function pastEvents(
  sources: Sources,
  {
    tenant,
    past,
    shardCount,
  }: { readonly tenant: string; readonly past: PastEvents; readonly shardCount: number },
): Promise<EventPage["events"] | Refusal> {
  const look = { tenant, past };
  const answers = [...sources().values()].map(
    (source) => new Promise<EventPage | Refusal>((resolve) => source(look, resolve)),
  );
  const pages = (await Promise.all(answers)).filter((page) => !isRefusal(page)) as EventPage[];
  const read = new Set(pages.flatMap(({ positions }) => positions.map(([shard]) => shard)));
  if (read.size < shardCount)
    return refuse("UNAVAILABLE", "not every thread answers", { reason: "STARTING", retryAfterMs: 1_000 });
  return newest(
    pages.flatMap(({ events }) => events),
    past.limit,
  );
}
