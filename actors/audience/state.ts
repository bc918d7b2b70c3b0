import { type Address, type Context, type Decision, isRowOf, type StoredRow } from "#runtime";
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
  type Timed,
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
  /** How many attempts are under way, and how many deliveries wait for a slot or a grant: see `countKeys`. */
  readonly counts: Map<string, number>;
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
  readonly changedCounts: Set<string>;
  readonly wants: Map<string, { direct: number; broadcast: number }>;
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
  | { readonly type: "claims_forgotten"; readonly claims: readonly Timed[] }
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
  /** Due at once. */
  | { readonly type: "timer_set"; readonly id: string }
  | {
      readonly type: "deliveries_forgotten";
      readonly deliveries: readonly Pick<Delivery, "id" | "subscriberId" | "transactionId">[];
      readonly letters: readonly DeadLetter[];
    }
  | {
      readonly type: "transactions_forgotten";
      readonly transactions: readonly Timed[];
    }
  /** Absent: nothing is left to look for. */
  | { readonly type: "retention_due"; readonly atMs?: number }
  | { readonly type: "purged" };

/** What a method asks for. */
export type Decide<Request> = (state: State, request: Request, context: Context) => Decision<Event>;

/** What decides where a delivery stands: all that is needed of it as it was before. */
export type Standing = Pick<Delivery, "id" | "status" | "tier" | "channel" | "integrationId" | "retryAt">;

/** An event for subscribers of events. */
export interface Publication {
  readonly about: "subscriber" | "endpoint" | "preference";
  readonly verb: string;
  readonly payload: object;
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
    counts: new Map(),
    open: new Map(),
    pending: new Set(),
    inboxes: new Map(),
    retentionDays: 30,
    retentionSet: false,
    changedOpen: new Set(),
    changedCounts: new Set(),
    wants: new Map(),
  };
}

export const resident = [
  tables.secret,
  tables.integrations,
  tables.counts,
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
  else if (isRowOf(row, tables.counts)) restoreCount(state, row.key[0], row.value);
  else if (isRowOf(row, tables.open)) state.open.set(row.key[0], row.value);
  else if (isRowOf(row, tables.retention)) state.retentionDays = row.value;
  else if (isRowOf(row, tables.retentionSet)) state.retentionSet = true;
}

/** Names of counts. Those of running attempts of all integrations follow from the others, and have no row. */
export const countKeys = {
  running: (tier: Tier, integrationId = "") => `running.${integrationId}.${tier}`,
  waiting: (tier: Tier, channel: Channel) => `waiting.${tier}.${channel}`,
  paced: (integrationId: string, tier: Tier) => `paced.${integrationId}.${tier}`,
};

function restoreCount({ counts }: State, key: string, value: number): void {
  counts.set(key, value);
  const tier = tiers.find((tier) => key.startsWith("running.") && key.endsWith(`.${tier}`));
  if (tier) add(counts, countKeys.running(tier), value);
}

/** It is stored with the commit. */
export function count(state: State, key: string, by: 1 | -1): void {
  add(state.counts, key, by);
  state.changedCounts.add(key);
}

export function countRunning(state: State, { tier, integrationId }: Standing, by: 1 | -1): void {
  add(state.counts, countKeys.running(tier), by);
  count(state, countKeys.running(tier, integrationId), by);
}

export function add(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

export function bytesOf({ running, open, integrations }: State): number {
  return running.size * 1_500 + open.size * 300 + integrations.size * 2_000;
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
