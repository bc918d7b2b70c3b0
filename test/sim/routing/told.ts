import type { Stage } from "../scenario.ts";
import { type ShownItem, ToldProgress } from "./progress.ts";
import type { PoolSettings } from "./settings.ts";

export type Message = Record<string, unknown>;

/** A pool as callers know it. */
export interface KnownPool {
  readonly settings: PoolSettings;
  id: string;
  readonly recipientIds: string[];
  /** Acknowledged items, and their requests. */
  readonly items: Map<string, Wanted>;
  readonly leases: ToldLease[];
  readonly routings: ToldRouting[];
  /** Numbers of items that callers were told were drained and purged. */
  drained: number;
  purged: number;
  /** Groups that callers were told were cleared, with the time. */
  readonly cleared: Set<string>;
  /** Recipients that sent a heartbeat with a time to live, answered or not: they may be offline. */
  readonly beaten: Set<string>;
  /** Those that got an answer, and sent no heartbeat after it: they go offline. */
  readonly silent: Set<string>;
}

/** One request of a caller, over all its attempts. Its id begins the payload of an item and is the key of a routing. */
export interface Wanted {
  readonly id: string;
  readonly payload: string;
  readonly idempotent: boolean;
  readonly notBefore: number;
  readonly expiresAt: number;
  /** For an item that has one. */
  readonly dedupId?: string;
  attempts: number;
}

export interface ToldLease {
  readonly pool: KnownPool;
  readonly itemId: string;
  readonly token: string;
  readonly recipientId: string;
  readonly deliveries: number;
  /** How often it was redriven from the dead letters: then deliveries are counted from 0. */
  readonly retries: number;
  readonly untilMs: number;
  /** Outcomes that were sent, answered or not. */
  readonly tried: Set<string>;
  /** First answer by outcome. */
  readonly settled: Map<string, string>;
  /** Its holder was told on its stream that the lease has ended. */
  lost: boolean;
}

interface ToldRouting {
  readonly id: string;
  /** What it was requested for. */
  readonly key: string;
  readonly recipientId: string;
  readonly outcomes: string[];
}

/** The answers that callers got. */
export class Told {
  readonly pools: KnownPool[] = [];
  readonly wanted = new Map<string, Wanted>();
  readonly cancelled = new Set<string>();
  readonly progress: ToldProgress;
  readonly #violate: (claim: string) => void;
  acknowledged = 0;

  constructor(stage: Stage) {
    this.progress = new ToldProgress(stage);
    this.#violate = (claim) => stage.violate(claim);
  }

  /** The answer says in which pool the item is: a rule may have redirected it. */
  enqueued(wanted: Wanted, response: Message): void {
    const { item, admission } = response as {
      item?: { id: string; pool_id: string };
      admission?: { outcome: string };
    };
    if (item === undefined || admission === undefined) return;
    this.acknowledged++;
    const pool = this.poolOf(item.pool_id);
    // Other callers get an item that another caller created, or none: its own caller checks it.
    if (admission.outcome === "enqueued" || admission.outcome === "replaced") pool.items.set(item.id, wanted);
  }

  poolOf(id: unknown): KnownPool {
    return this.pools.find((pool) => pool.id === id)!;
  }

  routed(wanted: Wanted, routing: Message): void {
    this.acknowledged++;
    const { id, recipient_id: recipientId, pool_id } = routing as Record<string, string>;
    this.poolOf(pool_id).routings.push({ id: id!, key: wanted.id, recipientId: recipientId!, outcomes: [] });
  }

  leased(pool: KnownPool, recipientId: string, response: Message): void {
    for (const leased of response.items as Message[]) {
      const item = leased.item as ShownItem & { payload: unknown };
      const { deliveries, retry_count: retries } = item;
      this.checkPayload(item.id, item.payload);
      this.progress.checkClaimed(item);
      const token = leased.lease_token as string;
      this.acknowledged++;
      const same = pool.leases.find(
        (lease) => lease.itemId === item.id && lease.deliveries === deliveries && lease.retries === retries,
      );
      if (same !== undefined) {
        if (same.token !== token) this.#violate(`${item.id} was leased twice as delivery ${deliveries}`);
        continue;
      }
      pool.leases.push({
        pool,
        itemId: item.id,
        token,
        recipientId,
        deliveries,
        retries,
        untilMs: Date.parse(leased.lease_expires_at as string),
        tried: new Set(),
        settled: new Map(),
        lost: false,
      });
    }
  }

  /** The complete payload that a caller sent. */
  checkPayload(itemId: string, payload: unknown): void {
    const wanted = this.wanted.get(wantedIdOf(payload));
    if (wanted?.payload !== payload) this.#violate(`${itemId} has the payload ${JSON.stringify(payload)}`);
  }

  settled(lease: ToldLease, outcome: string, response: Message): void {
    this.acknowledged++;
    if (outcome === "extend") {
      // In the millisecond of the claim an extension adds nothing.
      if (Date.parse(response.lease_expires_at as string) > lease.untilMs) lease.settled.set("extend", "");
      return;
    }
    const text = JSON.stringify({ ...response, index: undefined });
    const before = lease.settled.get(outcome);
    if (before !== undefined && before !== text)
      this.#violate(`a repeated ${outcome} of ${lease.itemId} has another answer: ${before}, then ${text}`);
    lease.settled.set(outcome, text);
    const ended = [...lease.settled.keys()].filter((one) => one !== "extend");
    if (ended.length > 1) this.#violate(`one lease of ${lease.itemId} was ended by ${ended.join(" and ")}`);
  }
}

export function wantedIdOf(payload: unknown): string {
  return String(payload).split(" ", 1)[0]!;
}

export function settlementOf(lease: ToldLease): Message {
  return { queue_item_id: lease.itemId, lease_token: lease.token };
}
