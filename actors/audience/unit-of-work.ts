import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { Manifest } from "../notify/manifest.ts";
import {
  type Activity,
  type DeadLetter,
  type Delivery,
  deadLetters,
  type Tier,
} from "./deliveries/record.ts";
import { fromRow, toRow } from "./deliveries/row.ts";
import type { SendRow } from "./deliveries/send-body.ts";
import { activityOf, tables } from "./rows.ts";
import { add, countKeys, type Event, type Standing, type State } from "./state.ts";
import type { SubscriberPut } from "./subscribers/changed.ts";
import { type Subscriber, subscribers } from "./subscribers/record.ts";

export interface Sending {
  readonly subscriber: Subscriber;
  readonly manifest: Manifest;
}

/** What one command does: its events so far, and what the state will count once they have happened. */
export class UnitOfWork {
  readonly state: State;
  readonly context: Context;
  readonly events: Event[] = [];
  /** As they will be stored: what this command has changed, and deliveries that it has read. */
  readonly #activities = new Map<string, Activity>();
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #deliveries = new Map<string, Delivery>();
  readonly #letters = new Map<string, DeadLetter>();
  /** What this command adds to the state's counts of what runs. */
  readonly #running = new Map<string, number>();

  constructor(state: State, context: Context) {
    this.state = state;
    this.context = context;
  }

  get now(): number {
    return this.context.now;
  }

  decided(answer?: unknown, more: object = {}): Decision<Event> {
    const activities = [...this.#activities].map(
      ([subscriberId, activity]): Event => ({ type: "activity_put", subscriberId, activity }),
    );
    return { events: [...this.events, ...activities], ...(answer !== undefined && { answer }), ...more };
  }

  newId(): string {
    return this.context.newId(this.state.key);
  }

  activity(subscriberId: string): Activity {
    return this.#activities.get(subscriberId) ?? activityOf(subscriberId, this.context);
  }

  setActivity(subscriberId: string, activity: Activity): void {
    this.#activities.set(subscriberId, activity);
  }

  subscriber(id: string): Subscriber | null {
    return this.#subscribers.get(id) ?? subscribers.get(id, this.context);
  }

  putSubscriber(event: SubscriberPut): void {
    this.#subscribers.set(event.after.id, event.after);
    this.events.push(event);
  }

  letter(id: string): DeadLetter | null {
    if (id === "") return null;
    return this.#letters.get(id) ?? deadLetters.get(id, this.context);
  }

  putLetter(before: DeadLetter | null, after: DeadLetter): void {
    this.#letters.set(after.id, after);
    this.events.push({ type: "dead_put", before, after });
  }

  manifest(transactionId: string): Manifest | null {
    return this.context.get(tables.manifests, [transactionId]);
  }

  /** What a delivery sends, and to whom; nothing where that is kept no more. */
  sendingOf({ subscriberId, transactionId }: Delivery): Sending | undefined {
    const subscriber = this.subscriber(subscriberId);
    const manifest = this.manifest(transactionId);
    return subscriber && manifest ? { subscriber, manifest } : undefined;
  }

  delivery(id: string): Delivery | null {
    return this.#deliveries.get(id) ?? this.state.running.get(id) ?? this.deliveries([id])[0] ?? null;
  }

  /** Those of them that there are. */
  deliveries(ids: readonly string[]): readonly Delivery[] {
    const known = (id: string) => this.#deliveries.get(id) ?? this.state.running.get(id);
    const unknown = ids.flatMap((id) => (known(id) ? [] : [[id] as const]));
    for (const row of this.context.getMany(tables.deliveries, unknown)) {
      const delivery = row && fromRow(row);
      if (delivery) this.#deliveries.set(delivery.id, delivery);
    }
    return ids.flatMap((id) => known(id) ?? []);
  }

  /** Reads deliveries, and names what they send and to whom: two rounds, however many they are. */
  prefetch(ids: readonly string[]): void {
    const found = this.deliveries(ids);
    const manifests = new Set(found.map(({ transactionId }) => transactionId));
    this.context.prefetch([
      ...found.map(({ subscriberId }) => subscribers.ref(subscriberId)),
      ...[...manifests].map((id) => ({ collection: tables.manifests, key: [id] })),
    ]);
  }

  /** Changes a delivery; one that is not queued waits for nothing. */
  put(before: Delivery | null, next: Delivery, send?: { body: SendRow; dueMs: number }): void {
    const waits = next.status === "queued" ? {} : { retryAt: 0, waitsFor: "" };
    const after = { ...next, ...waits, updatedAt: this.now };
    if (before?.status === "running") this.#count(before, -1);
    if (after.status === "running") this.#count(after, 1);
    this.#deliveries.set(after.id, after);
    this.events.push({
      type: "delivery_put",
      before: before && standingOf(before),
      after: toRow(after),
      ...(send && { send }),
    });
  }

  /** How many more deliveries of a tier may run: some slots are for direct ones only, some stay for broadcasts; of an integration too. */
  freeSlots(tier: Tier, integrationId = ""): number {
    const all = this.#free(tier, "", limits.audienceRunningMax);
    if (integrationId === "") return all;
    return Math.min(all, this.#free(tier, integrationId, limits.integrationRunningMax));
  }

  /** Attempts of an integration and tier that are under way; of all integrations where none is named. */
  running(tier: Tier, integrationId: string): number {
    const key = countKeys.running(tier, integrationId);
    return (this.state.counts.get(key) ?? 0) + (this.#running.get(key) ?? 0);
  }

  #free(tier: Tier, integrationId: string, most: number): number {
    const direct = this.running("direct", integrationId);
    const broadcast = this.running("broadcast", integrationId);
    const isDirect = tier === "direct";
    const kept = Math.floor(most * (isDirect ? limits.broadcastSlotsShare : limits.directSlotsShare));
    const own = most - kept - (isDirect ? direct : broadcast);
    return Math.max(0, Math.min(own, most - direct - broadcast));
  }

  #count({ tier, integrationId }: Delivery, by: 1 | -1): void {
    add(this.#running, countKeys.running(tier), by);
    add(this.#running, countKeys.running(tier, integrationId), by);
  }
}

function standingOf({ id, status, tier, channel, integrationId, retryAt }: Delivery): Standing {
  return { id, status, tier, channel, integrationId, retryAt };
}
