/** An event a module published, as subscribers get it. */
export interface PublishedEvent {
  readonly shard: number;
  readonly seq: number;
  readonly index: number;
  readonly atMs: number;
  readonly tenant: string;
  readonly kind: string;
  readonly subject: string;
  readonly payload: unknown;
}

/** Per shard, the position up to which events have been seen. */
export type EventCursor = ReadonlyMap<number, number>;

/** What a look for events found: maybe nothing, and from where to look next. */
export interface EventPage {
  readonly events: readonly PublishedEvent[];
  readonly positions: readonly (readonly [shard: number, seq: number])[];
}
