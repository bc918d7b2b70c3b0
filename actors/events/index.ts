/**
 * What happened to a tenant: every event a module published, at least once, in order per entity, from a cursor that survives
 * restarts; and a list of those that are kept. Owns no state: events are rows of the commits they tell of, kept 24 hours or
 * 64 MiB a shard. docs/events.md lists the kinds.
 */
import { nextEvents } from "../kit/next-events.ts";
import type { Module } from "../module.ts";
import { listEvents } from "./list-events.ts";
import { listNext } from "./list-next.ts";
import { subscribeEvents } from "./subscribe.ts";

export const events: Module = {
  name: "events",
  actors: [],
  orchestrations: { "EventService.ListEvents": listEvents },
  internal: { [nextEvents.name]: listNext },
  streams: { "EventService.Subscribe": subscribeEvents },
};
