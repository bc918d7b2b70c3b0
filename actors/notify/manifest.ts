import { type Refusal, refuse } from "#base";
import type { TriggerRequest } from "#protos";
import type { Channel, Engine, JsonObject } from "./outbound/types.ts";
import type { PreferenceSettings } from "./preference.ts";

/** What one trigger sends, as it was when it was accepted: later changes of the workflow do not reach it. */
export interface Manifest {
  readonly transactionId: string;
  readonly workflowKey: string;
  readonly workflowVersion: number;
  readonly content: Readonly<Partial<Record<Channel, Content>>>;
  /** Layers 1 and 2; layer 2 is absent where no `user_id` was given. */
  readonly layer1: PreferenceSettings | null;
  readonly layer2?: PreferenceSettings | null;
  /** As the caller named them; none: those of the workflow, else all. */
  readonly channels: readonly Channel[];
  readonly overrides: TriggerRequest["overrides"];
  readonly payload: JsonObject;
  readonly userId: string;
  readonly topicKey: string;
  readonly environment: string;
  readonly ttlMs: number;
  /** Of the tenant: for subscribers without one. */
  readonly timezone: string;
  readonly requireVerified: boolean;
  /** Whether direct deliveries go before those of broadcasts. */
  readonly tiered: boolean;
  /** It is sent to this endpoint alone, with a link that confirms it. */
  readonly confirm?: { readonly endpointId: string; readonly nonce: string; readonly pageUrl: string };
  /** When the caller's transaction id was claimed: another claim of it is another transaction. */
  readonly claimedAt?: number;
}

/** Whether a caller's transaction id was claimed anew since: what was stored under it is not what is asked for now. */
export function isOtherClaim(stored: Claimed, asked: Claimed): boolean {
  const { claimedAt } = stored;
  return claimedAt !== undefined && asked.claimedAt !== undefined && claimedAt !== asked.claimedAt;
}

type Claimed = Pick<Manifest, "claimedAt">;

/** Nothing of the new one is stored: its deliveries would be among those of the old one. */
export function transactionKept(transactionId: string): Refusal {
  return refuse(
    "ALREADY_EXISTS",
    `the deliveries of an older transaction ${transactionId} are still kept: take another id`,
    { reason: "TRANSACTION_ID_CONFLICT" },
  );
}

export interface Content {
  readonly engine: Engine;
  readonly subject: string;
  readonly body: string;
  readonly layoutId?: string;
}

/** What a trigger takes of a workflow; a key without a record is legal. */
export interface NoticeSnapshot {
  readonly version: number;
  readonly content: Manifest["content"];
  readonly layer1: PreferenceSettings | null;
  readonly layer2?: PreferenceSettings | null;
  readonly ttlMs: number;
}

/** From a topic to the audience of some members: one part of a broadcast. */
export interface FanOut {
  readonly type: "fan_out";
  readonly transactionId: string;
  /** The entity of the topic. */
  readonly topic: string;
  readonly members: readonly FanOutMember[];
  /** With the first part that an audience gets. */
  readonly manifest?: Manifest;
}

export interface FanOutMember {
  readonly subscriberId: string;
  readonly contextKeys: readonly string[];
}

/** From a topic to the audiences that have a part of a broadcast: what waits is not sent any more. */
export interface CancelFanOut {
  readonly type: "cancel_fan_out";
  readonly transactionId: string;
}

/** From a topic to the audiences that have a part of a broadcast: nothing comes after this, and no answer is sent. */
export interface FanOutOver {
  readonly type: "fan_out_over";
  readonly transactionId: string;
}

/** From an audience to the topic: how far it is with its parts of a broadcast. Later ones count. */
export interface FanOutProgress {
  readonly type: "fan_out_progress";
  readonly transactionId: string;
  /** Key of the audience. */
  readonly audience: string;
  /** Parts that it has applied. */
  readonly parts: number;
  readonly tally: Tally;
}

/** Of the deliveries of one transaction in one audience; those that are none of the last three are open. */
export interface Tally {
  readonly members: number;
  readonly deliveries: number;
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}

export const emptyTally: Tally = { members: 0, deliveries: 0, sent: 0, failed: 0, skipped: 0 };

/** From a topic to an audience: copies of the subscriptions of some members. */
export interface SubscriptionsPut {
  readonly type: "subscriptions_put";
  readonly topicId: string;
  readonly topicKey: string;
  readonly contextKeys: readonly string[];
  readonly createdAt: number;
  readonly subscriberIds: readonly string[];
}

export interface SubscriptionsRemoved {
  readonly type: "subscriptions_removed";
  /** A copy of a later topic with the same key stays. */
  readonly topicId: string;
  readonly topicKey: string;
  readonly subscriberIds: readonly string[];
}
