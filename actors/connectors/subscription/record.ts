import { toRfc3339 } from "#base";
import { type Message, type Stored, stampsOf } from "../../kit/record.ts";
import type { Connection } from "../connection/record.ts";

type SubscriptionStatus = "active" | "disabled" | "failing";

export interface Subscription extends Stored {
  readonly triggerKey: string;
  readonly kind: "webhook" | "polling";
  readonly config: Message;
  /** CEL over `event` and `type`; empty: every event. */
  readonly filter: string;
  readonly target: Target;
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

/** Neither: events are only published. */
export interface Target {
  readonly pool_id?: string;
  readonly workflow_key?: string;
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
  return {
    id: one.id,
    connection_id: record.id,
    trigger_key: one.triggerKey,
    config: one.config,
    filter: one.filter,
    target: one.target,
    status: one.status,
    status_reason: one.statusReason,
    secret_version: one.secretVersion,
    ...(one.kind === "polling" && { poll_seconds: one.pollSeconds }),
    waiting,
    ...(one.lastEventAt > 0 && { last_event_at: toRfc3339(one.lastEventAt) }),
    tenant_id: record.tenant,
    environment: record.environment,
    ...stampsOf(one),
  };
}
