import type { EventCursor, EventPage } from "../../../runtime/event-page.ts";
import { epochMs, simulatedLimits } from "../process.ts";
import type { Stage } from "../scenario.ts";
import { type EventHistory, messagesOf } from "./event-history.ts";
import type { Message } from "./told.ts";

/** From one position of each shard to another nothing was left out, by the time this many messages had arrived. */
interface Claim {
  readonly from: EventCursor;
  readonly to: EventCursor;
  readonly messages: number;
}

/** A read from there was refused: the following events are no longer kept. */
interface Expiry {
  readonly at: EventCursor;
  readonly nowMs: number;
}

/** What a subscriber was sent, compared with what happened: every event at least once, in order. */
export class Received {
  /** Cursors that it got since it last started over; it may come back with any of them. */
  readonly cursors: string[] = [];
  readonly #stage: Stage;
  /** By message id: its content, and how many messages had arrived by then. */
  readonly #messages = new Map<string, { readonly text: string; readonly number: number }>();
  readonly #claims: Claim[] = [];
  readonly #expired: Expiry[] = [];
  /** Where each shard began, and its last event. */
  #from = new Map<number, number>();
  #last = new Map<number, Place>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Without a cursor: earlier events do not count. */
  begins(): void {
    this.#from = new Map();
    this.#last = new Map();
    this.cursors.length = 0;
  }

  /** A cursor says that everything before it has arrived. */
  goesOn(cursor: EventCursor): void {
    this.#claims.push({ from: this.#from, to: cursor, messages: this.#messages.size });
  }

  look({ events, positions }: EventPage): void {
    for (const { shard, seq } of events) if (!this.#from.has(shard)) this.#from.set(shard, seq - 1);
    for (const [shard, seq] of positions) if (!this.#from.has(shard)) this.#from.set(shard, seq);
  }

  add({ cursor, event }: Message): void {
    if (cursor !== undefined) this.cursors.push(cursor as string);
    if (event === undefined) return;
    const { id, kind, subject, payload } = event as Message;
    const text = JSON.stringify([kind, subject, payload]);
    const before = this.#messages.get(id as string);
    if (before === undefined) {
      this.#checkOrder(id as string);
      this.#messages.set(id as string, { text, number: this.#messages.size });
    } else if (before.text !== text) this.#stage.violate(`event ${id} changed`);
  }

  /** The following events are no longer kept: the subscriber starts over. */
  expired(at: EventCursor): void {
    this.#expired.push({ at, nowMs: this.#stage.scheduler.nowMs });
    this.cursors.length = 0;
  }

  /** At the end, when it has read everything. */
  check(history: EventHistory): void {
    const everything = new Map([...this.#from.keys()].map((shard) => [shard, Number.POSITIVE_INFINITY]));
    if (everything.size < simulatedLimits.shardCount) this.#stage.violate("a subscriber never began");
    this.#claims.push({ from: this.#from, to: everything, messages: this.#messages.size });
    this.#checkContent(history);
    for (const claim of this.#claims) this.#checkClaim(history, claim);
    const { clock, skewMs } = this.#stage.faults;
    if (!clock && skewMs === 0) for (const expiry of this.#expired) this.#checkExpiry(history, expiry);
  }

  /** An event that arrives for the first time comes after all events of its shard that have arrived. */
  #checkOrder(id: string): void {
    const [shard, ...place] = id.split("-").map(Number) as [number, ...Place];
    const last = this.#last.get(shard);
    if (last !== undefined && !isBefore(last, place))
      this.#stage.violate(`event ${id} came after ${shard}-${last.join("-")}`);
    this.#last.set(shard, place);
  }

  #checkContent({ events }: EventHistory): void {
    const happened = new Map(events.flatMap(messagesOf).map(({ id, text }) => [id, text]));
    for (const [id, { text }] of this.#messages)
      if (happened.get(id) !== text) this.#stage.violate(`event ${id} was sent and did not happen: ${text}`);
  }

  #checkClaim({ events }: EventHistory, { from, to, messages }: Claim): void {
    for (const event of events) {
      const { shard, seq, kind } = event;
      if (seq <= (from.get(shard) ?? 0) || seq > (to.get(shard) ?? 0)) continue;
      for (const { id } of messagesOf(event))
        if ((this.#messages.get(id)?.number ?? messages) >= messages)
          this.#stage.violate(`event ${id} (${kind}) was left out`);
    }
  }

  /** The retention of something that follows its cursor was over. */
  #checkExpiry({ events }: EventHistory, { at, nowMs }: Expiry): void {
    const over = events.some(
      ({ shard, seq, atMs }) =>
        seq > (at.get(shard) ?? 0) + 1 && epochMs + nowMs - atMs >= simulatedLimits.publishedKeptMs,
    );
    if (!over) this.#stage.violate(`a subscriber was told at ${nowMs} that it comes too late`);
  }
}

/** Position, index, and the index of the item within the event. */
type Place = readonly number[];

function isBefore(a: Place, b: Place): boolean {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (b[at] === undefined ? false : a[at]! < b[at]!);
}
