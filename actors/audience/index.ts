/**
 * Owns what is sent to a tenant's subscribers: 64 entities (audience, tenant, S…), each with the subscribers whose external id has its
 * hash: their records (profile, endpoints, preferences), copies of their subscriptions, deliveries, dead letters, observations and
 * inboxes. Claims of addresses and of callers' transaction ids are where their hash says.
 *
 * 1. One resolver decides for previews, triggers and broadcasts; a delivery, or a skip with its reason, is there for every channel.
 * 2. A delivery is created and started in one commit; its integration is chosen in that commit, from those that are active then.
 * 3. What may have been sent is sent again only where the provider performs a repeat once, or the caller accepts a duplicate.
 * 4. Every failed delivery has a dead letter.
 * 5. A link in a mail does nothing by a GET; only a POST confirms an address, once, or unsubscribes.
 * 6. Direct deliveries do not wait for broadcasts, and broadcasts keep a tenth of the slots.
 *
 * Publishes subscriber.*, endpoint.*, preference.*, delivery.*, notification_dead_letter.*. Lost with the process: triggers that wait
 * for their outcomes (their deliveries stay), and what a thread knows of integrations that fail.
 */

import { defineActor, type EffectStep } from "#runtime";
import { counted } from "../kit/counted.ts";
import type { Module } from "../module.ts";
import { audienceAddresses, type Provider } from "../notify/outbound/types.ts";
import type { ModuleParts } from "../parts.ts";
import { apply, beforeCommit } from "./apply.ts";
import { type Command, decide, wake } from "./decide.ts";
import type { SendResult } from "./deliveries/dispatch.ts";
import { fromRow } from "./deliveries/row.ts";
import { Manifests } from "./effects/manifests.ts";
import { sendEffects } from "./effects/send.ts";
import { deliveryMethods } from "./handlers/deliveries.ts";
import { linkRoutes } from "./handlers/links.ts";
import { subscriberMethods } from "./handlers/subscribers.ts";
import { triggerMethods } from "./handlers/trigger.ts";
import { watchInbox } from "./handlers/watch-inbox.ts";
import { methods } from "./service.ts";
import { bytesOf, type Event, empty, resident, restore, type State } from "./state.ts";

const audienceActor = defineActor<State, Command, Event>({
  kind: "audience",
  placement: "key",
  empty,
  resident,
  restore,
  bytesOf,
  decide,
  apply,
  beforeCommit,
  methods,
  wake,
  onMessage: (message: Command) => message,
  onTimer: (id): Command => ({ type: "timer", id }),
  onEffect: (step: EffectStep<SendResult>): Command => ({ type: "effect", step }),
});

export function audience(
  parts: Pick<ModuleParts, "settings" | "call" | "clock" | "metrics">,
  providers: ReadonlyMap<string, Provider>,
): Module {
  const manifests = new Manifests();
  const count = countDeliveries(parts);
  const seen = (state: State, event: Event) => {
    count(state, event);
    manifests.seen(state, event);
  };
  return {
    name: "audience",
    actors: [counted(audienceActor, seen)],
    tenantRoots: audienceAddresses,
    orchestrations: {
      ...subscriberMethods(parts),
      ...deliveryMethods,
      ...triggerMethods(parts),
    },
    streams: { "InboxService.WatchInbox": watchInbox },
    routes: linkRoutes,
    effects: sendEffects({ ...parts, providers, manifests }),
  };
}

/** Counts deliveries by the status that they come to, and how long each waited for its first attempt. */
function countDeliveries({ metrics }: Pick<ModuleParts, "metrics">) {
  return (_state: State, event: Event): void => {
    if (event.type !== "delivery_put") return;
    const { before } = event;
    const after = fromRow(event.after);
    const { channel, providerKey: provider, status, tier } = after;
    if (before?.status === status) return;
    metrics.add("service_notification_deliveries_total", { channel, provider, status });
    if (status === "running" && after.attempt === 1 && after.generation === 1)
      metrics.observe("service_notification_lag_seconds", after.updatedAt - after.createdAt, { tier });
  };
}
