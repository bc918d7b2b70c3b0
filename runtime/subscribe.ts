import { type Refusal, RefusalError } from "#base";
import type { Cancellation } from "./ask.ts";
import type { EventCursor, EventPage, LookDone } from "./events.ts";
import type { PublishedEvent } from "./shard/published.ts";

/** One place to look for events: this thread, or a peer. */
export type EventSource = (cursor: EventCursor, done: LookDone) => void;

/**
 * Events of all sources (by the number of their thread) after the cursor, then new ones as they become durable; ordered per shard. Each source is asked
 * again only when what it gave has been taken, so a slow subscriber holds at most one page of each.
 */
export async function* subscribe(
  sources: () => ReadonlyMap<number, EventSource>,
  cursor: EventCursor,
  signal: Cancellation,
  pause: (step: () => void) => void,
  looked?: (page: EventPage) => void,
): AsyncGenerator<PublishedEvent, void, undefined> {
  const pages: EventPage[] = [];
  const asked = new Set<number>();
  let positions = new Map(cursor);
  let refusal: Refusal | undefined;
  let wake = () => {};
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const poll = (worker: number, source: EventSource) => {
    if (asked.has(worker)) return;
    asked.add(worker);
    source(positions, (failed, page) => {
      const again = () => {
        asked.delete(worker);
        wake();
      };
      if (failed === undefined) {
        pages.push(page);
        again();
      } else if (failed.code === "UNAVAILABLE") pause(again);
      else {
        refusal = failed;
        wake();
      }
    });
  };
  try {
    while (!signal.aborted) {
      if (refusal !== undefined) throw new RefusalError(refusal);
      const page = pages.shift();
      if (page === undefined) {
        for (const [worker, source] of sources()) poll(worker, source);
        if (pages.length > 0 || refusal !== undefined) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      positions = new Map([...positions, ...page.positions]);
      looked?.(page);
      for (const event of page.events) yield event;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
