import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { Card } from "./card.ts";
import type { Activity, DeadLetter, Delivery, Tier } from "./delivery.ts";
import { Reads } from "./reads.ts";
import type { Event, Released, SendBody, State, Told } from "./state.ts";

/** What one command does: its events so far, and what the state will count once they have happened. */
export class Work {
  readonly state: State;
  readonly context: Context;
  readonly reads: Reads;
  readonly events: Event[] = [];
  /** As they will be stored, of what this command has changed. */
  readonly #activities = new Map<string, Activity>();
  readonly #cards = new Map<string, Card>();
  readonly #deliveries = new Map<string, Delivery>();
  readonly #letters = new Map<string, DeadLetter>();
  /** By tier, and by integration and tier. */
  readonly #running = new Map<string, number>();

  constructor(state: State, context: Context) {
    this.state = state;
    this.context = context;
    this.reads = new Reads(context);
    for (const { tier, integrationId } of state.running.values()) this.#count(tier, integrationId, 1);
  }

  get now(): number {
    return this.context.now;
  }

  /** Nothing happens while a row is missing: the command runs again with it. */
  decided(answer?: unknown, more: object = {}): Decision<Event> {
    const { need } = this.reads;
    if (need) return need;
    const activities = [...this.#activities].map(
      ([subscriberId, activity]): Event => ({ type: "activity_put", subscriberId, activity }),
    );
    return { events: [...this.events, ...activities], ...(answer !== undefined && { answer }), ...more };
  }

  newId(): string {
    return this.context.newId(this.state.key);
  }

  activity(subscriberId: string): Activity {
    return this.#activities.get(subscriberId) ?? this.reads.activity(subscriberId);
  }

  setActivity(subscriberId: string, activity: Activity): void {
    this.#activities.set(subscriberId, activity);
  }

  card(id: string): Card | null {
    return this.#cards.get(id) ?? this.reads.card(id);
  }

  putCard(
    before: Card | null,
    after: Card,
    more: { told?: readonly Told[]; released?: readonly Released[] } = {},
  ): void {
    this.#cards.set(after.id, after);
    this.events.push({ type: "card_put", before, after, ...more });
  }

  letter(id: string): DeadLetter | null {
    if (id === "") return null;
    return this.#letters.get(id) ?? this.reads.deadLetter(id);
  }

  putLetter(before: DeadLetter | null, after: DeadLetter): void {
    this.#letters.set(after.id, after);
    this.events.push({ type: "dead_put", before, after });
  }

  delivery(id: string): Delivery | null {
    return this.#deliveries.get(id) ?? this.reads.delivery(id);
  }

  put(before: Delivery | null, after: Delivery, send?: { body: SendBody; dueMs: number }): void {
    if (before?.status === "running") this.#count(before.tier, before.integrationId, -1);
    if (after.status === "running") this.#count(after.tier, after.integrationId, 1);
    this.#deliveries.set(after.id, after);
    this.events.push({ type: "delivery_put", before, after, ...(send && { send }) });
  }

  /** How many more deliveries of a tier may run: some slots are for direct ones only, some stay for broadcasts; of an integration too. */
  freeSlots(tier: Tier, integrationId?: string): number {
    const { audienceRunningMax, integrationRunningMax } = limits;
    const all = this.#free(tier, "", audienceRunningMax);
    if (integrationId === undefined) return all;
    return Math.min(all, this.#free(tier, `${integrationId}.`, integrationRunningMax));
  }

  #free(tier: Tier, of: string, most: number): number {
    const direct = this.#running.get(`${of}direct`) ?? 0;
    const broadcast = this.#running.get(`${of}broadcast`) ?? 0;
    const own = tier === "direct" ? directMost(most) - direct : broadcastMost(most) - broadcast;
    return Math.max(0, Math.min(own, most - direct - broadcast));
  }

  #count(tier: Tier, integrationId: string, by: 1 | -1): void {
    for (const key of [tier, `${integrationId}.${tier}`])
      this.#running.set(key, (this.#running.get(key) ?? 0) + by);
  }
}

function directMost(most: number): number {
  return most - Math.floor(most * limits.broadcastSlotsShare);
}

function broadcastMost(most: number): number {
  return most - Math.floor(most * limits.directSlotsShare);
}
