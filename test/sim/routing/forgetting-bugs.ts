import type { StreamHandler } from "../../../actors/module.ts";
import type { EventCursor } from "../../../runtime/event-page.ts";
import type { Asker } from "../../../runtime/index.ts";
import { PublishedEvents } from "../../../runtime/shard/published.ts";
import { EventReaders } from "../../../runtime/thread/event-readers.ts";
import { Thread } from "../../../runtime/thread/thread.ts";
import { noFaults } from "../faults.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { applying, changed, deciding, except, writing } from "./breaking.ts";
import { played } from "./played.ts";

/** Bugs of what is kept for a limited time: finished items, dedup ids, and the events that subscribers read. */
export const forgettingBugs: readonly PlantedBug[] = [
  {
    name: "finished items are forgotten before their time",
    breakActor: applying("queue", (apply, event) => {
      const { retentionMs } = event as { retentionMs?: number };
      apply(retentionMs === undefined ? event : { ...(event as object), retentionMs: retentionMs / 2 });
    }),
  },
  {
    name: "finished items are never forgotten",
    breakActor: deciding("queue", (decide, _state, command, context) => {
      const decision = decide(command, context);
      if (!("events" in decision)) return decision;
      return { ...decision, events: decision.events.filter((event) => !isForgotten(event)) };
    }),
  },
  {
    name: "a forgotten item leaves its payload behind",
    breakActor: applying("queue", (apply, event, rows) => {
      apply(event, isForgotten(event) ? changed(rows, except(rows, "body")) : rows);
    }),
  },
  {
    name: "a forgotten item leaves its dedup id behind",
    breakActor: applying("queue", (apply, event, rows) => {
      apply(event, isForgotten(event) ? changed(rows, except(rows, "dedup")) : rows);
    }),
  },
  {
    name: "a dedup id is not stored",
    breakActor: writing("queue", (rows) => ({
      put: (collection, key, value) => {
        if (collection !== "dedup") rows.put(collection, key, value);
      },
    })),
  },
  {
    name: "events are forgotten before their time",
    plant: () =>
      replace(PublishedEvents.prototype, "maintain", (maintain, [nowMs]) => maintain(nowMs + 3_000)),
  },
  {
    name: "events are never forgotten",
    plant: () => replace(PublishedEvents.prototype, "maintain", () => undefined),
  },
  {
    name: "an owner that was replaced passes over events",
    faults: { ...noFaults, pause: true, move: true, quiet: true, latencyMs: 20, actEveryMs: 700 },
    plant: () => {
      const shares = Object.getOwnPropertyDescriptor(Thread.prototype, "sharesStore")!;
      Object.defineProperty(Thread.prototype, "sharesStore", { ...shares, get: () => false });
      return () => Object.defineProperty(Thread.prototype, "sharesStore", shares);
    },
  },
  {
    name: "a reader that waited for events and left is told of them for ever",
    plant: () =>
      replace(EventReaders.prototype, "listen", (listen, [tenant, listener]) => {
        listen(tenant, listener);
        return () => undefined;
      }),
  },
  {
    name: "a subscriber that comes back begins with what comes next",
    plant: () => replace(played, "subscribe", (stream) => from(stream(), () => new Map())),
  },
  {
    name: "a cursor passes over an event that was not sent",
    plant: () =>
      replace(played, "subscribe", (stream) =>
        from(stream(), (cursor) => new Map([...cursor].map(([shard, seq]) => [shard, seq + 1]))),
      ),
  },
  {
    name: "a subscriber that comes too late is not told",
    plant: () => {
      const original = Object.getOwnPropertyDescriptor(PublishedEvents.prototype, "trimmedTo")!;
      Object.defineProperty(PublishedEvents.prototype, "trimmedTo", { ...original, get: () => 0 });
      return () => void Object.defineProperty(PublishedEvents.prototype, "trimmedTo", original);
    },
  },
];

function isForgotten(event: unknown): boolean {
  return (event as { type: string }).type === "forgotten";
}

/** The stream, as if its subscriber were at another position. */
function from(stream: StreamHandler, where: (cursor: EventCursor) => EventCursor): StreamHandler {
  return (requests, call) => {
    const subscribe: Asker["subscribe"] = ({ tenant, cursor }, signal) =>
      call.asker.subscribe!({ tenant, cursor: where(cursor) }, signal);
    return stream(requests, { ...call, asker: { ...call.asker, subscribe } });
  };
}
