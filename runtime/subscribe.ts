import { RefusalError, refuse } from "#base";
import type { PublishedEvent } from "./shard/published.ts";
import type { Thread } from "./thread/thread.ts";

/** Per shard, the position up to which events have been seen. */
export type EventCursor = ReadonlyMap<number, number>;

const pageEvents = 256;

/**
 * Events of this thread's shards after the cursor, then new ones as they become durable; ordered per shard. A shard the
 * cursor does not name starts with the next event. Throws CURSOR_EXPIRED when the cursor points at forgotten events.
 */
export async function* subscribeLocal(
  thread: Thread,
  cursor: EventCursor,
  signal: AbortSignal,
): AsyncGenerator<PublishedEvent, void, undefined> {
  const positions = new Map<number, number>();
  const pending = new Set<number>();
  const stops = new Map<number, () => void>();
  let wake = () => {};
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = (number: number) => {
    const shard = thread.shards.get(number);
    if (shard === undefined) return;
    stops.get(number)?.();
    stops.set(
      number,
      shard.published.listen(() => {
        pending.add(number);
        wake();
      }),
    );
    pending.add(number);
  };
  try {
    for (const [number, shard] of thread.shards) {
      positions.set(number, cursor.get(number) ?? shard.commit.durableSeq);
      watch(number);
    }
    while (!signal.aborted) {
      const [number] = pending;
      if (number === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      pending.delete(number);
      const shard = thread.shards.get(number);
      if (shard === undefined) continue;
      // The tenure may have changed since: listen to the one that is in force.
      if (shard.status !== "ready") {
        await new Promise<void>((resolve) => thread.world.setTimer(100, resolve));
        watch(number);
        continue;
      }
      const after = positions.get(number)!;
      if (after < shard.published.trimmedTo)
        throw new RefusalError(refuse("CURSOR_EXPIRED", "events after this cursor are no longer kept"));
      const events = await readEvents(thread, number, after);
      for (const event of events) yield event;
      if (events.length > 0) {
        positions.set(number, events.at(-1)!.seq);
        pending.add(number);
      }
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const stop of stops.values()) stop();
  }
}

function readEvents(thread: Thread, number: number, after: number): Promise<readonly PublishedEvent[]> {
  return new Promise((resolve, reject) => {
    const shard = thread.shards.get(number);
    if (shard === undefined) return resolve([]);
    shard.published.read(after, pageEvents, (failure, events) =>
      failure === undefined ? resolve(events) : reject(failure),
    );
  });
}
