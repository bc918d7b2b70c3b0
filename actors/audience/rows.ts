import { type Context, type Range, type RowRef, rowsOf } from "#runtime";
import type { Bounds } from "../kit/list.ts";
import type { Manifest, Tally } from "../notify/manifest.ts";
import type { IntegrationCopy } from "../notify/outbound/types.ts";
import {
  type Activity,
  type Delivery,
  emptyActivity,
  type InboxEntry,
  type Observation,
} from "./deliveries/record.ts";
import type { DeliveryRow } from "./deliveries/row.ts";
import { subscribers } from "./subscribers/record.ts";

export interface OpenBroadcast {
  readonly topic: string;
  parts: number;
  readonly tally: Record<keyof Tally, number>;
  /** Deliveries that run or wait for a slot. */
  busy: number;
  cancelled: boolean;
  /** What the topic knows. */
  reportedParts: number;
  reportedEnded: number;
}

export interface Subscription {
  readonly topicId: string;
  readonly contextKeys: readonly string[];
  readonly createdAt: number;
}

export interface Identity {
  readonly subscriberId: string;
  readonly endpointId: string;
}

export interface TransactionClaim {
  readonly fingerprint: string;
  readonly at: number;
  /** Of the entity that has the transaction. */
  readonly owner: string;
}

type Pair = readonly [string, string];
export type Timed = readonly [at: number, transactionId: string];
type Numbered = readonly [string, number];

/** All rows of an audience but those of its two collections. */
export const tables = {
  secret: rowsOf<string, readonly []>("secret"),
  integrations: rowsOf<IntegrationCopy>("integrations"),
  /** What runs, waits and is paced. */
  counts: rowsOf<number>("counts"),
  waiting: rowsOf<Pick<Delivery, "waitsFor">, readonly [tier: number, channel: string, deliveryId: string]>(
    "waiting",
  ),
  paced: rowsOf<true, readonly [integrationId: string, tier: number, deliveryId: string]>("paced"),
  open: rowsOf<OpenBroadcast>("open"),
  retention: rowsOf<number, readonly []>("retention"),
  retentionSet: rowsOf<true, readonly []>("retention_set"),
  deliveries: rowsOf<DeliveryRow>("deliveries"),
  bySubscriber: rowsOf<true, Pair>("by_subscriber"),
  byTransaction: rowsOf<true, Pair>("by_transaction"),
  activity: rowsOf<Activity>("activity"),
  /** By subscriber and key of the topic. */
  subscriptions: rowsOf<Subscription, Pair>("subscriptions"),
  identities: rowsOf<Identity>("identities"),
  claims: rowsOf<TransactionClaim>("claims"),
  claimTimes: rowsOf<true, Timed>("claim_times"),
  manifests: rowsOf<Manifest>("manifests"),
  manifestTimes: rowsOf<true, Timed>("manifest_times"),
  /** How many deliveries a transaction has. */
  tallies: rowsOf<number>("tallies"),
  observations: rowsOf<Observation, Numbered>("observations"),
  /** By delivery and the provider's id of what was observed. */
  observed: rowsOf<number, Pair>("observed"),
  inbox: rowsOf<InboxEntry, Numbered>("inbox"),
  inboxIds: rowsOf<number, Pair>("inbox_ids"),
  unread: rowsOf<true, Numbered>("unread"),
  archive: rowsOf<InboxEntry, Numbered>("archive"),
};

/** What is read of a subscriber before anything is sent to it, for `prefetch`. */
export function refsOf(subscriberId: string): readonly RowRef[] {
  return [subscribers.ref(subscriberId), { collection: tables.activity, key: [subscriberId] }];
}

export function activityOf(subscriberId: string, context: Context): Activity {
  return context.get(tables.activity, [subscriberId]) ?? emptyActivity;
}

/** Rows of what the first part of their key names, by the second part. */
export function rangeOf(
  first: string,
  { after, limit }: Pick<Bounds, "after" | "limit">,
  reverse = false,
): Range {
  const range = { prefix: [first], limit, reverse };
  if (after === undefined) return range;
  const [last] = after;
  if (reverse) return { ...range, to: [first, last!] };
  return { ...range, from: [first, typeof last === "number" ? last + 1 : `${last}\u0000`] };
}
