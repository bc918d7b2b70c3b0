/** An event a module published, as subscribers get it. */
export interface PublishedEvent {
  readonly shard: number;
  readonly seq: number;
  readonly index: number;
  readonly atMs: number;
  readonly tenant: string;
  /** Empty: it happened in none. */
  readonly environment: string;
  readonly kind: string;
  readonly subject: string;
  readonly payload: unknown;
}

/** Per shard, the position up to which events have been seen. */
export type EventCursor = ReadonlyMap<number, number>;

/** Where a tenant's reader stands. */
export interface EventsFrom {
  readonly tenant: string;
  readonly cursor: EventCursor;
}

/** What a place is asked, as plain data: events after a cursor, or those before a point, newest first. */
export type EventLook =
  | { readonly tenant: string; readonly after: EventPage["positions"] }
  | { readonly tenant: string; readonly past: PastEvents };

export interface PastEvents {
  /** Older than this one; absent: than now. */
  readonly before?: EventPoint;
  readonly sinceMs: number;
  readonly limit: number;
}

/** Where an event stands among those of all shards, by time. */
export type EventPoint = Pick<PublishedEvent, "atMs" | "shard" | "seq" | "index">;

/** What a look for events found: maybe nothing, and from where to look next. */
export interface EventPage {
  readonly events: readonly PublishedEvent[];
  readonly positions: readonly (readonly [shard: number, seq: number])[];
}
