import { isRefusal, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import type { PageRequest } from "../kit/list.ts";
import { secretOf } from "../kit/state.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type {
  CancelFanOut,
  FanOut,
  FanOutOver,
  SubscriptionsPut,
  SubscriptionsRemoved,
} from "../notify/manifest.ts";
import type { IntegrationsChanged, PacerGranted } from "../notify/outbound/types.ts";
import { type ClaimTransaction, claimTransaction, findTransaction } from "./deliveries/claims.ts";
import { getDeadLetter, type Redrive, redrive } from "./deliveries/dead-letters.ts";
import { attemptEnded, restart, type SendResult } from "./deliveries/dispatch.ts";
import * as messages from "./deliveries/messages.ts";
import { listObservations, noDelivery, type Observed, observe } from "./deliveries/observations.ts";
import { deliveryMessage } from "./deliveries/record.ts";
import { forgetClaims, forgetOld } from "./deliveries/retention.ts";
import { fromRow } from "./deliveries/row.ts";
import { effectId } from "./deliveries/send-body.ts";
import * as triggers from "./deliveries/trigger.ts";
import * as inbox from "./inbox.ts";
import * as lists from "./lists.ts";
import { tables } from "./rows.ts";
import type { Event, State } from "./state.ts";
import { decideSubscriber, type SubscriberCommand } from "./subscribers/decide.ts";
import { type FollowLink, followLink } from "./subscribers/follow.ts";
import { UnitOfWork } from "./unit-of-work.ts";

export type Command =
  | SubscriberCommand
  | TenantPurge
  | IntegrationsChanged
  | PacerGranted
  | FanOut
  | CancelFanOut
  | SubscriptionsPut
  | SubscriptionsRemoved
  | triggers.AwaitOutcomes
  | FanOutOver
  | {
      readonly type: "list_subscribers" | "list_deliveries" | "list_dead_letters";
      readonly part: lists.ListPart;
    }
  | {
      readonly type: "list_endpoints" | "list_preferences" | "list_subscriptions";
      readonly request: PageRequest & { readonly subscriber_id: string };
    }
  | { readonly type: "trigger"; readonly asked: triggers.Trigger }
  | { readonly type: "preview"; readonly asked: triggers.Preview }
  | { readonly type: "claim_transaction"; readonly asked: ClaimTransaction }
  | { readonly type: "find_transaction"; readonly transactionId: string }
  | { readonly type: "get_manifest"; readonly transactionId: string }
  | { readonly type: "get_link_secret" }
  | { readonly type: "follow_link"; readonly asked: FollowLink }
  | { readonly type: "get_delivery"; readonly id: string }
  | { readonly type: "list_observations"; readonly request: PageRequest & { readonly delivery_id: string } }
  | { readonly type: "observe"; readonly seen: readonly Observed[] }
  | { readonly type: "get_dead_letter"; readonly id: string }
  | { readonly type: "redrive"; readonly asked: Redrive }
  /** One: its refusal is that of the call. */
  | { readonly type: "redrive_one"; readonly asked: Redrive }
  | { readonly type: "list_inbox"; readonly request: inbox.ListInbox }
  | { readonly type: "mark_inbox"; readonly request: inbox.MarkInbox }
  | (inbox.WatchInbox & { readonly type: "watch_inbox" })
  | { readonly type: "effect"; readonly step: EffectStep }
  | { readonly type: "timer"; readonly id: string };

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
    case "effect":
      return onEffect(state, command.step, context);
    case "timer":
      return onTimer(state, command.id, context);
    case "trigger":
      return triggers.trigger(state, command.asked, context);
    case "await_outcomes":
      return triggers.awaitOutcomes(state, command, context);
    case "preview":
      return triggers.preview(command.asked, context);
    case "fan_out":
      return triggers.fanOut(state, command, context);
    case "cancel_fan_out":
      return messages.cancelFanOut(state, command);
    case "fan_out_over":
      return { events: [{ type: "fan_out_over", transactionId: command.transactionId }] };
    case "subscriptions_put":
    case "subscriptions_removed":
      return messages.copySubscriptions(state, command, context);
    case "integrations_changed":
      return messages.changeIntegrations(state, command);
    case "pacer_granted":
      return messages.granted(state, command, context);
    case "claim_transaction":
      return claimTransaction(command.asked, context);
    case "find_transaction":
      return findTransaction(command.transactionId, context);
    case "get_manifest": {
      const manifest = context.get(tables.manifests, [command.transactionId]);
      return { events: [], answer: { manifest } };
    }
    case "get_link_secret": {
      const { secret, drawn } = secretOf(state, context);
      return { events: drawn, answer: { secret } };
    }
    case "follow_link":
      return followLink(state, command.asked, context);
    case "get_delivery": {
      const row = context.get(tables.deliveries, [command.id]);
      return row ? { events: [], answer: deliveryMessage(fromRow(row)) } : noDelivery();
    }
    case "list_observations":
      return listObservations(command.request, context);
    case "observe":
      return observe(state, command.seen, context);
    case "get_dead_letter":
      return getDeadLetter(command.id, context);
    case "redrive":
      return redrive(state, command.asked, context);
    case "redrive_one": {
      const decided = redrive(state, command.asked, context);
      if (isRefusal(decided) || !("events" in decided)) return decided;
      const [result] = decided.answer as readonly unknown[];
      return isRefusal(result) ? result : { ...decided, answer: result };
    }
    case "list_inbox":
      return inbox.listInbox(command.request, context);
    case "mark_inbox":
      return inbox.markInbox(state, command.request, context);
    case "watch_inbox":
      return inbox.watchInbox(command, context);
    case "list_subscribers":
      return lists.subscribersPart(state, command.part, context);
    case "list_deliveries":
      return lists.deliveriesPart(state, command.part, context);
    case "list_dead_letters":
      return lists.deadLettersPart(state, command.part, context);
    case "list_endpoints":
      return lists.listEndpoints(command.request, context);
    case "list_preferences":
      return lists.listPreferences(command.request, context);
    case "list_subscriptions":
      return lists.listSubscriptions(command.request, context);
    default:
      return decideSubscriber(state, command, context);
  }
}

function onEffect(state: State, step: EffectStep, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  if (step.type === "begin") {
    const delivery = unit.delivery(step.id.slice(0, 26));
    if (delivery?.status === "running" && effectId(delivery) === step.id) return { events: [], answer: {} };
    return refuse("NOT_FOUND", "the delivery has ended", { reason: "ENDED" });
  }
  attemptEnded(unit, step.id, step.result as SendResult);
  return unit.decided();
}

function onTimer(state: State, id: string, context: Context): Decision<Event> {
  const [name, of = ""] = id.split(/:(.*)/s);
  switch (name) {
    case "retry": {
      const unit = new UnitOfWork(state, context);
      restart(unit, of);
      return unit.decided();
    }
    case "cancel":
      return messages.stepCancel(state, of, context);
    case "rechoose":
      return messages.rechoose(state, of, context);
    case "claims":
      return forgetClaims(context);
    default:
      return forgetOld(state, context);
  }
}

/** Which waiting commands a change may have an answer for. */
export function wake(state: State, parked: readonly Command[]): readonly number[] {
  return parked.flatMap((command, index) => (isReady(state, command) ? [index] : []));
}

function isReady(state: State, command: Command): boolean {
  if (command.type === "await_outcomes") return triggers.isAnswered(state, command);
  return command.type === "watch_inbox" && inbox.isInboxChanged(state, command);
}
