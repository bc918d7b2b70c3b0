import { type Address, isRowOf, type StoredRow } from "#runtime";
import type { Counts } from "../kit/collection.ts";
import { emptyTally, type Manifest } from "../notify/manifest.ts";
import type { Channel, IntegrationCopy } from "../notify/outbound/types.ts";
import {
  type Activity,
  type DeadLetter,
  type Delivery,
  deadLetters,
  type InboxEntry,
  type Observation,
  type Tier,
} from "./deliveries/record.ts";
import type { DeliveryRow } from "./deliveries/row.ts";
import type { SendRow } from "./deliveries/send-body.ts";
import {
  type Identity,
  type OpenBroadcast,
  type Subscription,
  type TransactionClaim,
  tables,
} from "./rows.ts";
import { type Subscriber, subscribers } from "./subscribers/record.ts";

export interface State {
  readonly tenant: string;
  readonly key: string;
  /** Signs the links of mails; empty until one is first made. */
  secret: string;
  readonly subscriberCounts: Counts;
  readonly deadCounts: Counts;
  /** Active ones, by id. */
  readonly integrations: Map<string, IntegrationCopy>;
  /** Deliveries with an attempt under way that began while the entity was in memory: their rows need not be read. */
  readonly running: Map<string, Delivery>;
  /** How many attempts are under way; by tier, and by integration and tier. */
  readonly runningCounts: Map<string, number>;
  /** How many deliveries wait for a slot; by tier and channel. */
  readonly waiting: Map<string, number>;
  /** How many wait for a grant; by integration and tier. */
  readonly paced: Map<string, number>;
  /** Broadcasts whose topic has not said that they are over. */
  readonly open: Map<string, OpenBroadcast>;
  /** Deliveries whose first outcome a trigger may wait for. Lost with the memory of the entity, as these triggers are. */
  readonly pending: Set<string>;
  /** Of subscribers whose inbox changed lately: what watchers wait for. */
  readonly inboxes: Map<string, InboxSeen>;
  retentionDays: number;
  /** Whether old deliveries are looked for from time to time. */
  retentionSet: boolean;
  /** Changed in this commit; `beforeCommit` writes them once. */
  readonly changedOpen: Set<string>;
  readonly changedWaiting: Set<string>;
  readonly changedPaced: Set<string>;
  /** Integrations. */
  readonly changedRunning: Set<string>;
  readonly wants: Map<string, { direct: number; broadcast: number }>;
}

export interface Running {
  readonly tier: Tier;
  readonly integrationId: string;
}

export interface InboxSeen {
  readonly sequence: number;
  readonly unread: number;
}

export type Event =
  | { readonly type: "secret_drawn"; readonly secret: string }
  | {
      readonly type: "subscriber_put";
      readonly before: Subscriber | null;
      readonly after: Subscriber;
      readonly publishes?: Publication;
      /** Addresses that this subscriber does not have any more. */
      readonly released?: readonly Released[];
    }
  | { readonly type: "activity_put"; readonly subscriberId: string; readonly activity: Activity }
  | {
      readonly type: "subscription_put";
      readonly subscriberId: string;
      readonly topicKey: string;
      readonly subscription: Subscription | null;
    }
  | { readonly type: "identity_put"; readonly hash: string; readonly identity: Identity | null }
  | { readonly type: "message_sent"; readonly to: Address; readonly message: unknown }
  | { readonly type: "claimed"; readonly transactionId: string; readonly claim: TransactionClaim }
  | { readonly type: "claims_forgotten"; readonly claims: readonly (readonly [number, string])[] }
  | { readonly type: "claims_due"; readonly atMs: number }
  | {
      readonly type: "manifest_put";
      readonly manifest: Manifest;
      readonly retentionDays: number;
      /** Of a direct trigger: how many deliveries it has. */
      readonly deliveries?: number;
      /** Its id was drawn here, and is not a caller's. */
      readonly drawn?: boolean;
    }
  | {
      readonly type: "fanned";
      readonly transactionId: string;
      readonly topic: string;
      readonly members: number;
    }
  | { readonly type: "fan_out_cancelled"; readonly transactionId: string; readonly topic: string }
  | {
      readonly type: "cancel_stepped";
      readonly transactionId: string;
      readonly cursor: string;
      readonly more: boolean;
    }
  | { readonly type: "fan_out_over"; readonly transactionId: string }
  | {
      readonly type: "delivery_put";
      readonly before: Standing | null;
      readonly after: DeliveryRow;
      readonly send?: { readonly body: SendRow; readonly dueMs: number };
    }
  | { readonly type: "dead_put"; readonly before: DeadLetter | null; readonly after: DeadLetter }
  | { readonly type: "observed"; readonly delivery: Delivery; readonly observation: Observation }
  | {
      readonly type: "inbox_put";
      readonly subscriberId: string;
      readonly before: InboxEntry | null;
      readonly after: InboxEntry;
    }
  | { readonly type: "inbox_dropped"; readonly subscriberId: string; readonly entry: InboxEntry }
  | {
      readonly type: "integrations_changed";
      readonly put: readonly IntegrationCopy[];
      readonly removed: readonly string[];
    }
  | { readonly type: "rechoose_due"; readonly integrationId: string }
  | {
      readonly type: "deliveries_forgotten";
      readonly deliveries: readonly Pick<Delivery, "id" | "subscriberId" | "transactionId">[];
      readonly letters: readonly DeadLetter[];
    }
  | {
      readonly type: "transactions_forgotten";
      readonly transactions: readonly (readonly [at: number, transactionId: string])[];
    }
  /** Absent: nothing is left to look for. */
  | { readonly type: "retention_due"; readonly atMs?: number }
  | { readonly type: "purged" };

/** What decides where a delivery stands: all that is needed of it as it was before. */
export type Standing = Pick<Delivery, "id" | "status" | "tier" | "channel" | "integrationId" | "retryAt">;

/** An event for subscribers of events. */
export interface Publication {
  readonly about: "subscriber" | "endpoint" | "preference";
  readonly verb: string;
  readonly payload: object;
}

export interface Released {
  readonly hash: string;
  readonly endpointId: string;
  readonly to: Address;
}

export const tiers: readonly Tier[] = ["direct", "broadcast"];

export function empty({ tenant, key }: Address): State {
  return {
    tenant,
    key,
    secret: "",
    subscriberCounts: new Map(),
    deadCounts: new Map(),
    integrations: new Map(),
    running: new Map(),
    runningCounts: new Map(),
    waiting: new Map(),
    paced: new Map(),
    open: new Map(),
    pending: new Set(),
    inboxes: new Map(),
    retentionDays: 30,
    retentionSet: false,
    changedOpen: new Set(),
    changedWaiting: new Set(),
    changedPaced: new Set(),
    changedRunning: new Set(),
    wants: new Map(),
  };
}

export const resident = [
  tables.secret,
  tables.integrations,
  tables.runningCounts,
  tables.waitingCounts,
  tables.pacedCounts,
  tables.open,
  tables.retention,
  tables.retentionSet,
  subscribers.countsName,
  deadLetters.countsName,
];

export function restore(state: State, row: StoredRow): void {
  if (subscribers.restore(state.subscriberCounts, row) || deadLetters.restore(state.deadCounts, row)) return;
  if (isRowOf(row, tables.secret)) state.secret = row.value;
  else if (isRowOf(row, tables.integrations)) state.integrations.set(row.key[0], row.value);
  else if (isRowOf(row, tables.runningCounts)) restoreRunning(state, row.key[0], row.value);
  else if (isRowOf(row, tables.waitingCounts)) state.waiting.set(row.key[0], row.value);
  else if (isRowOf(row, tables.pacedCounts)) state.paced.set(row.key[0], row.value);
  else if (isRowOf(row, tables.open)) state.open.set(row.key[0], row.value);
  else if (isRowOf(row, tables.retention)) state.retentionDays = row.value;
  else if (isRowOf(row, tables.retentionSet)) state.retentionSet = true;
}

function restoreRunning({ runningCounts }: State, integrationId: string, counts: readonly [number, number]) {
  for (const [index, tier] of tiers.entries())
    for (const key of [tier, runningKey(integrationId, tier)])
      runningCounts.set(key, (runningCounts.get(key) ?? 0) + counts[index]!);
}

export function setRunning(state: State, { tier, integrationId }: Running, by: 1 | -1): void {
  count(state.runningCounts, tier, by);
  count(state.runningCounts, runningKey(integrationId, tier), by);
  state.changedRunning.add(integrationId);
}

export function runningKey(integrationId: string, tier: Tier): string {
  return `${integrationId}.${tier}`;
}

export function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

export function bytesOf({ running, open, integrations }: State): number {
  return running.size * 1_500 + open.size * 300 + integrations.size * 2_000;
}

export function waitingKey(tier: Tier, channel: Channel): string {
  return `${tier}.${channel}`;
}

export function pacedKey(integrationId: string, tier: Tier): string {
  return `${integrationId}.${tier}`;
}

/** To be changed: it is stored with the commit. */
export function openOf(state: State, transactionId: string, topic: string): OpenBroadcast {
  state.changedOpen.add(transactionId);
  const known = state.open.get(transactionId);
  if (known) return known;
  const open = {
    topic,
    parts: 0,
    tally: { ...emptyTally },
    busy: 0,
    cancelled: false,
    reportedParts: 0,
    reportedEnded: 0,
  };
  state.open.set(transactionId, open);
  return open;
}
