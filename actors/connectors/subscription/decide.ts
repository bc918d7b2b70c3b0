import { isDeepStrictEqual } from "node:util";
import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached, type Message, newRecord, nextRecord, updatedSettings } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import type { Connection } from "../connection/record.ts";
import { type Subscription, subscriptionMessage, type Target } from "./record.ts";
import { type TriggerEvent, type Triggers, waitingOf } from "./state.ts";

/** What the door has worked out of the catalogue, with the id that it drew: the secret is encrypted for it. */
export interface Subscribe
  extends Pick<
    Subscription,
    | "id"
    | "triggerKey"
    | "kind"
    | "config"
    | "filter"
    | "target"
    | "tokenHash"
    | "encrypted"
    | "keyId"
    | "pollSeconds"
  > {}

type Decided = Decision<TriggerEvent>;

export const noSubscription = refuse("NOT_FOUND", "there is no such trigger subscription");

/** For handlers: the record with what they need to decrypt its secret. */
export function lookAt(triggers: Triggers, record: Connection, id: string): Decided {
  const subscription = triggers.subscriptions.get(id);
  if (subscription === undefined) return noSubscription;
  return { events: [], answer: answerOf(triggers, record, subscription) };
}

function answerOf(triggers: Triggers, record: Connection, subscription: Subscription) {
  const message = subscriptionMessage(record, subscription, waitingOf(triggers, subscription.id));
  return { subscription, record, message };
}

export function subscribe(
  triggers: Triggers,
  record: Connection,
  { type: _, ...asked }: Subscribe & { readonly type: string },
  { now }: Context,
): Decided {
  if (record.status === "revoked" || record.status === "pending")
    return refuse("FAILED_PRECONDITION", `the connection is ${record.status}`, {
      reason: "CONNECTION_NOT_ACTIVE",
    });
  if (triggers.subscriptions.size >= limits.triggerSubscriptionsMax)
    return limitReached("a connection", limits.triggerSubscriptionsMax, "trigger subscriptions");
  const { id, ...settings } = asked;
  const subscription: Subscription = newRecord(
    id,
    {
      ...settings,
      status: "active" as const,
      statusReason: "",
      secretVersion: asked.encrypted === "" ? 0 : 1,
      lastEventAt: 0,
    },
    now,
  );
  const events: TriggerEvent[] = [{ type: "subscription_put", subscription }];
  if (triggers.subscriptions.size === 0) events.push({ type: "seen_due", atMs: now + seenSweepMs });
  if (asked.kind === "polling")
    events.push({
      type: "poll_put",
      id,
      polling: { generation: 1, baseline: true, cursor: null },
      pollAt: now,
    });
  return { events, answer: answerOf(triggers, record, subscription) };
}

/** How often event ids that are too old are looked for. */
export const seenSweepMs = 3_600_000;

export interface Update {
  readonly id: string;
  readonly given: Message;
  /** A new secret, encrypted for the next version. */
  readonly encrypted?: { readonly text: string; readonly version: number; readonly keyId: string };
}

const updatable = { fields: ["config", "filter", "target", "status", "poll_seconds"], required: [] };

export function update(
  triggers: Triggers,
  record: Connection,
  { id, given, encrypted }: Update,
  { now }: Context,
): Decided {
  const before = triggers.subscriptions.get(id);
  if (before === undefined) return noSubscription;
  const { config, filter, target, status, pollSeconds: poll_seconds } = before;
  const settings = { config, filter, target, status, poll_seconds };
  const changed = updatedSettings(before, settings, given, updatable);
  if (isRefusal(changed)) return changed;
  if (encrypted && encrypted.version !== before.secretVersion + 1)
    return refuse(
      "VERSION_CONFLICT",
      "the secret was changed by another request: read the subscription and send it again",
      { reason: "CREDENTIAL_VERSION" },
    );
  const next = nextRecord(
    before,
    {
      ...before,
      config: (changed.config ?? {}) as Message,
      filter: (changed.filter ?? "") as string,
      target: (changed.target ?? {}) as Target,
      status: (changed.status ?? before.status) as Subscription["status"],
      statusReason: changed.status === before.status ? before.statusReason : "",
      pollSeconds: (changed.poll_seconds ?? limits.pollSeconds) as number,
      ...(encrypted && {
        encrypted: encrypted.text,
        secretVersion: encrypted.version,
        keyId: encrypted.keyId,
      }),
    },
    now,
  );
  if (next === undefined) return { events: [], answer: answerOf(triggers, record, before) };
  return {
    events: [{ type: "subscription_put", subscription: next }, ...pollChanges(triggers, before, next, now)],
    answer: answerOf(triggers, record, next),
  };
}

/** Another list begins with another baseline; one that is enabled again goes on where it was. */
function pollChanges(
  triggers: Triggers,
  before: Subscription,
  next: Subscription,
  now: number,
): TriggerEvent[] {
  const polling = triggers.polling.get(next.id);
  if (polling === undefined) return [];
  const generation = polling.generation + 1;
  const { id } = next;
  if (next.status === "disabled") return [{ type: "poll_put", id, polling: { ...polling, generation } }];
  if (!isDeepStrictEqual(before.config, next.config))
    return [{ type: "poll_put", id, polling: { generation, baseline: true, cursor: null }, pollAt: now }];
  if (before.status !== "disabled" && before.pollSeconds === next.pollSeconds) return [];
  return [{ type: "poll_put", id, polling: { ...polling, generation }, pollAt: now }];
}

export function unsubscribe(triggers: Triggers, id: string, version: number | undefined): Decided {
  const subscription = triggers.subscriptions.get(id);
  if (subscription === undefined) return noSubscription;
  const conflict = checkVersion(subscription.recordVersion, version);
  if (conflict) return conflict;
  return { events: [{ type: "subscription_forgotten", id }], answer: { id, deleted: true }, frees: true };
}

export function reencryptSubscription(
  triggers: Triggers,
  asked: {
    readonly id: string;
    readonly version: number;
    readonly encrypted: string;
    readonly keyId: string;
  },
): Decided {
  const before = triggers.subscriptions.get(asked.id);
  if (before?.secretVersion !== asked.version) return { events: [], answer: { reencrypted: false } };
  const subscription = { ...before, encrypted: asked.encrypted, keyId: asked.keyId };
  return { events: [{ type: "subscription_put", subscription }], answer: { reencrypted: true } };
}

/** What came through, or did not, shows in the status. */
export function statusEvents(
  subscription: Subscription,
  reason: string | undefined,
  now: number,
): TriggerEvent[] {
  const { status } = subscription;
  if (status === "disabled" || (status === "active") === (reason === undefined)) return [];
  const next: Subscription = {
    ...subscription,
    status: reason === undefined ? "active" : "failing",
    statusReason: reason ?? "",
    updatedAt: now,
    recordVersion: subscription.recordVersion + 1,
  };
  return [{ type: "subscription_put", subscription: next }];
}
