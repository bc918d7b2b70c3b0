import {
  type Clock,
  limits,
  orThrow,
  type Refusal,
  RefusalError,
  refusalError,
  refuse,
  toRfc3339,
} from "#base";
import type { EventPage, PublishedEvent } from "#runtime";
import { unpackSummaries } from "../kit/item-event.ts";
import { badCursor, cursorOf, openCursor } from "../kit/list.ts";
import { opened, type StreamHandler } from "../module.ts";

interface SubscribeRequest {
  readonly cursor?: string;
  readonly kinds?: readonly string[];
}

/** Events of the caller's tenant from the cursor on. One that tells of many items is sent as one for each. */
export const subscribeEvents: StreamHandler = async function* (requests, call) {
  const { subscribe } = call.asker;
  if (!subscribe) throw refusalError("UNIMPLEMENTED", "events are not served here");
  const request = await firstOf(requests);
  const { tenant } = call.caller;
  const position = new Position(request.cursor ? parse(tenant, request.cursor) : new Map());
  const pace = new Pace(call.clock);
  yield opened;
  const waiting: PublishedEvent[] = [];
  for await (const event of subscribe(position.start, call.signal, (page) => position.look(page))) {
    waiting.push(event);
    // A cursor that does not name every shard would skip what happens in the others before it is used.
    if (!position.isWhole) {
      position.holding = true;
      if (position.pages > limits.eventPagesHeldMax) throw new RefusalError(notWhole());
      continue;
    }
    for (const one of waiting.splice(0)) {
      position.reach(one);
      const isTheirs = one.tenant === tenant && wanted(one.kind, request.kinds ?? []);
      if (!isTheirs && !pace.passesOver()) continue;
      const cursor = cursorOf(scopeOf(tenant), position.flat());
      pace.sent();
      if (!isTheirs) yield { cursor };
      else for (const message of messagesOf(one)) yield { cursor, event: message };
    }
    position.holding = false;
  }
};

/**
 * A subscriber that waits for a rare kind is told now and then how far it has come: with the cursor of its last event it would find,
 * a day of other events later, that what lies between is no longer kept.
 */
class Pace {
  readonly #clock: Clock;
  #passed = 0;
  #sentMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sentMs = clock.monotonic();
  }

  /** One more event that is not for this subscriber; true: time for a cursor by itself. */
  passesOver(): boolean {
    return (
      ++this.#passed >= limits.eventsPassedMax ||
      this.#clock.monotonic() - this.#sentMs >= limits.eventsCursorEveryMs
    );
  }

  sent(): void {
    this.#passed = 0;
    this.#sentMs = this.#clock.monotonic();
  }
}

/** Where a subscriber stands in each shard. */
class Position {
  readonly #known: Map<number, number>;
  #next: EventPage["positions"] = [];
  readonly start: ReadonlyMap<number, number>;
  /** Pages it has looked at. */
  pages = 0;
  /** Events of earlier pages are still to be sent: it stays before them. */
  holding = false;

  constructor(known: Map<number, number>) {
    this.#known = known;
    this.start = new Map(this.#known);
  }

  get isWhole(): boolean {
    return this.#known.size >= limits.shardCount;
  }

  /** The page before is done with; a shard that is new begins just before its first event of this one. */
  look(page: EventPage): void {
    this.pages++;
    if (!this.holding) for (const [shard, seq] of this.#next) this.#known.set(shard, seq);
    this.#next = page.positions;
    for (const { shard, seq } of page.events) if (!this.#known.has(shard)) this.#known.set(shard, seq - 1);
    for (const [shard, seq] of page.positions) if (!this.#known.has(shard)) this.#known.set(shard, seq);
  }

  /** What the cursor sent with an event says: it comes again after a resume, rather than be skipped. */
  reach(event: PublishedEvent): void {
    this.#known.set(event.shard, Math.max(event.seq - 1, this.#known.get(event.shard) ?? 0));
  }

  /** As a cursor has it, for every shard: made only for events that are sent. */
  flat(): readonly number[] {
    const flat: number[] = [];
    for (const [shard, seq] of this.#known) flat.push(shard, seq);
    return flat;
  }
}

/** Where it names shards that there are not, or one of them twice, it is no cursor that was ever sent. */
function parse(tenant: string, cursor: string): Map<number, number> {
  const known = new Map<number, number>();
  const flat = orThrow(openCursor(scopeOf(tenant), cursor, "numbers", "cursor"));
  for (let i = 0; i + 1 < flat.length; i += 2) known.set(Number(flat[i]), Number(flat[i + 1]));
  const isWhole = known.size * 2 === flat.length && Math.max(...known.keys()) < limits.shardCount;
  if (!isWhole) throw new RefusalError(badCursor("cursor"));
  return known;
}

function notWhole(): Refusal {
  return refuse("UNAVAILABLE", "not every thread says where its events begin", {
    reason: "STARTING",
    retryAfterMs: 1_000,
  });
}

function scopeOf(tenant: string): readonly unknown[] {
  return ["events", tenant];
}

function wanted(kind: string, kinds: readonly string[]): boolean {
  return kinds.length === 0 || kinds.some((one) => kind === one || kind.startsWith(`${one}.`));
}

function messagesOf(event: PublishedEvent): Record<string, unknown>[] {
  const { shard, seq, index, kind, tenant, subject, atMs, payload } = event;
  const base = { kind, tenant_id: tenant, at: toRfc3339(atMs) };
  const id = `${shard}-${seq}-${index}`;
  const items = unpackSummaries(payload);
  if (!items) return [{ ...base, id, subject, payload: payload ?? {} }];
  return items.map((item, i) => ({
    ...base,
    id: `${id}-${i}`,
    subject: item.id,
    payload: { pool_id: subject, ...item },
  }));
}

async function firstOf(requests: AsyncIterable<unknown>): Promise<SubscribeRequest> {
  for await (const request of requests) return request as SubscribeRequest;
  return {};
}
