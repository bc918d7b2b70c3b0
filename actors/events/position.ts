import { limits, orThrow, type Refusal, RefusalError, refuse } from "#base";
import type { EventPage, PublishedEvent } from "#runtime";
import { badCursor, cursorOf, openCursor } from "../kit/list.ts";

/** Where a reader of events stands in each shard. */
export class Position {
  readonly #known: Map<number, number>;
  readonly #next = new Map<number, number>();
  /** Pages it has looked at. */
  pages = 0;

  constructor(known: ReadonlyMap<number, number>) {
    this.#known = new Map(known);
  }

  /** False: a cursor that does not name every shard would skip what happens in the others before it is used. */
  get isWhole(): boolean {
    return this.#known.size >= limits.shardCount;
  }

  /** A page is there; a shard that is new begins just before its first event of this one. */
  look(page: EventPage): void {
    this.pages++;
    for (const [shard, seq] of page.positions) this.#next.set(shard, seq);
    for (const { shard, seq } of page.events) if (!this.#known.has(shard)) this.#known.set(shard, seq - 1);
    for (const [shard, seq] of page.positions) if (!this.#known.has(shard)) this.#known.set(shard, seq);
  }

  /** Just before this event: it comes again after a resume, rather than be skipped. */
  reach({ shard, seq }: PublishedEvent): void {
    this.#known.set(shard, Math.max(seq - 1, this.#known.get(shard) ?? 0));
  }

  /** This event is done with, and all of its position. */
  take({ shard, seq }: PublishedEvent): void {
    this.#known.set(shard, Math.max(seq, this.#known.get(shard) ?? 0));
  }

  /** What it has looked at is done with. */
  pass(): void {
    for (const [shard, seq] of this.#next) this.#known.set(shard, seq);
    this.#next.clear();
  }

  /** Shard and position, for every shard. */
  flat(): readonly number[] {
    return [...this.#known].flat();
  }
}

export function eventCursorOf(tenant: string, position: Position): string {
  return cursorOf(scopeOf(tenant), position.flat());
}

/** Where it names shards that there are not, or one of them twice, it is no cursor that was ever sent. */
export function parseEventCursor(tenant: string, cursor: string): ReadonlyMap<number, number> {
  const flat = orThrow(openCursor(scopeOf(tenant), cursor, "numbers", "cursor")) as readonly number[];
  const known = positionsOf(flat);
  const isWhole = known.size * 2 === flat.length && Math.max(...known.keys()) < limits.shardCount;
  if (!isWhole) throw new RefusalError(badCursor("cursor"));
  return known;
}

export function positionsOf(flat: readonly number[]): ReadonlyMap<number, number> {
  const known = new Map<number, number>();
  for (let i = 0; i + 1 < flat.length; i += 2) known.set(flat[i]!, flat[i + 1]!);
  return known;
}

export function notWhole(): Refusal {
  return refuse("UNAVAILABLE", "not every thread says where its events begin", {
    reason: "STARTING",
    retryAfterMs: 1_000,
  });
}

function scopeOf(tenant: string): readonly unknown[] {
  return ["events", tenant];
}
