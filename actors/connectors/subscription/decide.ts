import { isDeepStrictEqual } from "node:util";
import { isRefusal, limits, refuse } from "#base";
import type { Decision } from "#runtime";
import { limitReached, type Message, newRecord, nextRecord, updatedSettings } from "../../kit/record.ts";
import type { EncryptedSecret } from "../../kit/secrets.ts";
import { checkVersion } from "../../kit/version.ts";
import { moved } from "../connection/record.ts";
import type { Event, Unit } from "../connection/state.ts";
import { type Subscription, subscriptionMessage } from "./record.ts";

/** What the handler has worked out of the catalogue, with the id that it drew: the secret is encrypted for it. */
export type Subscribe = Omit<
  Subscription,
  "createdAt" | "updatedAt" | "recordVersion" | "status" | "statusReason" | "lastEventAt"
>;

export const noSubscription = refuse("NOT_FOUND", "there is no such trigger subscription");

/** For handlers: the record with what they need to decrypt its secret. */
export function lookAt(unit: Unit, id: string): Decision<Event> {
  const subscription = unit.state.triggers.subscriptions.get(id);
  return subscription ? { events: [], answer: answerOf(unit, subscription) } : noSubscription;
}

function answerOf({ state, record }: Unit, subscription: Subscription) {
  const waiting = state.triggers.pending.get(subscription.id)?.size ?? 0;
  return { subscription, record, message: subscriptionMessage(record, subscription, waiting) };
}

export function subscribe(
  unit: Unit,
  { type: _, ...asked }: Subscribe & { readonly type: string },
): Decision<Event> {
  const { record, state, now } = unit;
  const { triggers } = state;
  if (record.status === "revoked" || record.status === "pending")
    return refuse("FAILED_PRECONDITION", `the connection is ${record.status}`, {
      reason: "CONNECTION_NOT_ACTIVE",
    });
  if (triggers.subscriptions.size >= limits.triggerSubscriptionsMax)
    return limitReached("a connection", limits.triggerSubscriptionsMax, "trigger subscriptions");
  const { id, ...settings } = asked;
  const initial = { status: "active" as const, statusReason: "", lastEventAt: 0 };
  const subscription = newRecord(id, { ...settings, ...initial }, now);
  const events: Event[] = [{ type: "subscription_put", subscription }];
  if (triggers.subscriptions.size === 0)
    events.push({ type: "timer_set", id: "seen", atMs: now + seenSweepMs });
  if (asked.kind === "polling")
    events.push({ type: "poll_put", id, polling: { ...fromBeginning, generation: 1 }, pollAt: now });
  return { events, answer: answerOf(unit, subscription) };
}

const fromBeginning = { baseline: true, cursor: null };

/** How often event ids that are too old are looked for. */
export const seenSweepMs = 3_600_000;

export interface Update {
  readonly id: string;
  readonly given: Message;
  /** A new secret, encrypted for the next version. */
  readonly newSecret?: EncryptedSecret;
}

const updatable = { fields: ["config", "filter", "target", "status", "poll_seconds"], required: [] };

export function update(unit: Unit, { id, given, newSecret }: Update): Decision<Event> {
  const { state, now } = unit;
  const before = state.triggers.subscriptions.get(id);
  if (before === undefined) return noSubscription;
  const { config, filter, target, status, pollSeconds: poll_seconds } = before;
  const changed = updatedSettings(before, { config, filter, target, status, poll_seconds }, given, updatable);
  if (isRefusal(changed)) return changed;
  if (newSecret && newSecret.version !== before.secretVersion + 1)
    return refuse(
      "VERSION_CONFLICT",
      "the secret was changed by another request: read the subscription and send it again",
      { reason: "CREDENTIAL_VERSION" },
    );
  const defaults = { config: {}, filter: "", target: {}, status, poll_seconds: limits.pollSeconds };
  const settings = { ...defaults, ...changed } as typeof defaults;
  const { poll_seconds: pollSeconds, ...rest } = settings;
  const statusReason = settings.status === status ? before.statusReason : "";
  const secret = newSecret && secretOf(newSecret);
  const next = nextRecord(before, { ...before, ...rest, statusReason, pollSeconds, ...secret }, now);
  if (next === undefined) return { events: [], answer: answerOf(unit, before) };
  return {
    events: [{ type: "subscription_put", subscription: next }, ...pollChanges(unit, before, next)],
    answer: answerOf(unit, next),
  };
}

function secretOf({ encrypted, version, keyId }: EncryptedSecret) {
  return { encrypted, secretVersion: version, keyId };
}

/** Another list begins with another baseline; one that is enabled again goes on where it was. */
function pollChanges({ state, now }: Unit, before: Subscription, next: Subscription): Event[] {
  const { id, status } = next;
  const known = state.triggers.polling.get(id);
  if (known === undefined) return [];
  const polling = { ...known, generation: known.generation + 1 };
  if (status === "disabled") return [{ type: "poll_put", id, polling }];
  if (!isDeepStrictEqual(before.config, next.config))
    return [{ type: "poll_put", id, polling: { ...polling, ...fromBeginning }, pollAt: now }];
  if (before.status !== "disabled" && before.pollSeconds === next.pollSeconds) return [];
  return [{ type: "poll_put", id, polling, pollAt: now }];
}

export function unsubscribe({ state }: Unit, id: string, version: number | undefined): Decision<Event> {
  const subscription = state.triggers.subscriptions.get(id);
  if (subscription === undefined) return noSubscription;
  const conflict = checkVersion(subscription.recordVersion, version);
  if (conflict) return conflict;
  return { events: [{ type: "subscription_forgotten", id }], answer: { id, deleted: true }, frees: true };
}

export function reencrypt(
  { state }: Unit,
  { id, ...newSecret }: EncryptedSecret & { readonly id: string },
): Decision<Event> {
  const before = state.triggers.subscriptions.get(id);
  if (before?.secretVersion !== newSecret.version) return { events: [], answer: { reencrypted: false } };
  const subscription = { ...before, ...secretOf(newSecret) };
  return { events: [{ type: "subscription_put", subscription }], answer: { reencrypted: true } };
}

/** What came through, or did not, shows in the status. */
export function statusEvents(subscription: Subscription, reason: string | undefined, now: number): Event[] {
  const { status } = subscription;
  if (status === "disabled" || (status === "active") === (reason === undefined)) return [];
  const after = reason === undefined ? "active" : "failing";
  const next = moved(subscription, { status: after, statusReason: reason ?? "" }, now);
  return [{ type: "subscription_put", subscription: next }];
}
