/**
 * Owns the endpoints that a tenant's events are sent to. Entity (webhook, tenant, handle) has one endpoint, where it stands in the
 * events, and its deliveries. The effect `pump` waits for events from there and hands a page over; what it took and the new
 * position are one commit. Each send is an effect of its own, in the lane of its endpoint.
 *
 * 1. Every event of its kinds and environment that is kept when it is taken is sent at least once; `webhook-id` is the same each time.
 * 2. With `subject`, deliveries of one subject are sent one after the other, with `strict` all of them are.
 * 3. At most `max_in_flight` are under way; what an endpoint does costs other endpoints nothing.
 * 4. No secret is stored, journaled or answered in the clear, but in the answer that drew it.
 * 5. What is kept is bounded by number, by bytes and by time; where there is no room, events wait where they are.
 *
 * Lost: events that are no longer kept when the endpoint gets to them (`last_gap`), and those that happen while it is disabled.
 */
import { defineActor, type EffectStep } from "#runtime";
import { webhookKind } from "../kit/webhook.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide } from "./decide.ts";
import type { Settled, Taken } from "./deliveries.ts";
import { pumpHandler } from "./effects/pump.ts";
import { sendHandler } from "./effects/send.ts";
import { webhookDirectory, webhookMethods } from "./handlers/webhooks.ts";
import type { Parts } from "./parts.ts";
import type { Incoming } from "./record.ts";
import { methods } from "./service.ts";
import { apply, bytesOf, empty, resident, restore } from "./state.ts";

export function webhooks(given: ModuleParts): Module {
  const parts = partsOf(given);
  return {
    name: "webhooks",
    actors: [
      defineActor({
        kind: webhookKind,
        placement: "key",
        empty,
        resident,
        restore,
        bytesOf,
        decide,
        apply,
        methods,
        onMessage: (message: Incoming): Command => message,
        onTimer: (): Command => ({ type: "tick" }),
        onEffect: (step: EffectStep<Taken | Settled>): Command => ({ type: "effect", step }),
      }),
    ],
    directories: [webhookDirectory],
    orchestrations: webhookMethods(parts),
    effects: { webhook_pump: pumpHandler(parts), webhook_send: sendHandler(parts) },
  };
}

interface Settings {
  readonly "webhook.enabled"?: boolean;
  readonly "server.http_addr"?: string;
}

function partsOf({ settings: given, outgoing, keyRing, call, clock, metrics }: ModuleParts): Parts {
  const settings = given as Settings;
  const loopback = /^(127\.|localhost|\[::1\])/.test(settings["server.http_addr"] ?? "127.0.0.1:0");
  const isOn = settings["webhook.enabled"] ?? true;
  return { outgoing, call, clock, metrics, loopback, isOn, ...(keyRing && { keyRing }) };
}
