import { refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import { deciding } from "../kit/table.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import type {
  CancelFanOut,
  FanOut,
  FanOutOver,
  SubscriptionsPut,
  SubscriptionsRemoved,
} from "../notify/manifest.ts";
import type { IntegrationsChanged, PacerGranted } from "../notify/outbound/types.ts";
import { attemptEnded, restart, type SendResult } from "./deliveries/dispatch.ts";
import * as messages from "./deliveries/messages.ts";
import { forgetOld } from "./deliveries/retention.ts";
import { effectId } from "./deliveries/send-body.ts";
import * as triggers from "./deliveries/trigger.ts";
import * as inbox from "./inbox.ts";
import type { Event, State } from "./state.ts";
import { type EndpointMessage, onEndpoint } from "./subscribers/endpoints.ts";
import { UnitOfWork } from "./unit-of-work.ts";

export type Command =
  /** By a caller or another entity: `service.ts` has the methods. Every decision has its `answer`. */
  | { readonly type: "asked"; readonly decide: (state: State, context: Context) => Decision<Event> }
  | TenantPurge
  | IntegrationsChanged
  | PacerGranted
  | FanOut
  | CancelFanOut
  | FanOutOver
  | SubscriptionsPut
  | SubscriptionsRemoved
  | EndpointMessage
  | triggers.AwaitOutcomes
  | (inbox.WatchInbox & { readonly type: "watch_inbox" })
  | { readonly type: "effect"; readonly step: EffectStep<SendResult> }
  | { readonly type: "timer"; readonly id: string };

export const decide = deciding<State, Command, Event>({
  asked: (state, { decide }, context) => decide(state, context),
  purge: () => ({ events: [{ type: "purged" }], frees: true }),
  effect: (state, { step }, context) => onEffect(state, step, context),
  timer: (state, { id }, context) => onTimer(state, id, context),
  await_outcomes: triggers.awaitOutcomes,
  watch_inbox: (_state, command, context) => inbox.watchInbox(command, context),
  fan_out: triggers.fanOut,
  cancel_fan_out: messages.cancelFanOut,
  fan_out_over: (_state, { transactionId }) => ({ events: [{ type: "fan_out_over", transactionId }] }),
  subscriptions_put: messages.copySubscriptions,
  subscriptions_removed: messages.copySubscriptions,
  integrations_changed: messages.changeIntegrations,
  pacer_granted: messages.granted,
  endpoint_put: onEndpoint,
  endpoint_lost: onEndpoint,
  identity_released: onEndpoint,
});

function onEffect(state: State, step: EffectStep<SendResult>, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  if (step.type === "begin") {
    const delivery = unit.delivery(step.id.slice(0, 26));
    if (delivery?.status === "running" && effectId(delivery) === step.id) return { events: [], answer: {} };
    return refuse("NOT_FOUND", "the delivery has ended", { reason: "ENDED" });
  }
  attemptEnded(unit, step.id, step.result);
  return unit.decided();
}

function onTimer(state: State, id: string, context: Context): Decision<Event> {
  const [name, of] = messages.splitOnce(id);
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
