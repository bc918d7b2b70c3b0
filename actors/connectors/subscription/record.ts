import type { TriggerTarget } from "#protos";
import { messageOf } from "../../kit/message.ts";
import type { Message, Stored } from "../../kit/record.ts";
import { type Connection, placeOf } from "../connection/record.ts";

type SubscriptionStatus = "active" | "disabled" | "failing";

export interface Subscription extends Stored {
  readonly triggerKey: string;
  readonly kind: "webhook" | "polling";
  readonly config: Message;
  /** CEL over `event` and `type`; empty: every event. */
  readonly filter: string;
  /** Without a pool and a workflow events are only published. */
  readonly target: TriggerTarget;
  readonly status: SubscriptionStatus;
  readonly statusReason: string;
  /** Of the random part of a webhook's token; empty: polling. */
  readonly tokenHash: string;
  /** `HookSecret`, for this subscription and `secretVersion`. */
  readonly encrypted: string;
  readonly keyId: string;
  readonly secretVersion: number;
  readonly pollSeconds: number;
  readonly lastEventAt: number;
}

/** What a webhook's envelope holds. */
export interface HookSecret {
  /** The random part, so that its address can be shown again. */
  readonly token: string;
  readonly secret: string;
}

/** How far a polled list has been read. */
export interface Polling {
  /** Names the effect of the next poll. */
  readonly generation: number;
  /** The first poll only notes what is there. */
  readonly baseline: boolean;
  readonly cursor: unknown;
}

/** An event that waits for its target. */
export interface Pending {
  readonly eventId: string;
  readonly type: string;
  readonly receivedAt: number;
  /** Names the effect of the next one. */
  readonly attempt: number;
}

/** An event as it comes in. */
export interface Incoming {
  readonly id: string;
  readonly type: string;
  readonly event: unknown;
}

export function subscriptionMessage(record: Connection, one: Subscription, waiting: number): Message {
  const internal = [
    "kind",
    "tokenHash",
    "encrypted",
    "keyId",
    ...(one.kind === "webhook" ? ["pollSeconds"] : []),
  ];
  return { ...messageOf(one, internal), waiting, ...placeOf(record) };
}
