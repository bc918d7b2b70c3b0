import type { Requests } from "#protos";
import type { EntityMethod } from "#runtime";
import type { Method } from "../kit/ask.ts";
import { answered, answering } from "../kit/methods.ts";
import type { MethodName } from "../module.ts";
import { findSubscribers } from "../notify/methods.ts";
import type { Command } from "./decide.ts";
import * as claims from "./deliveries/claims.ts";
import * as letters from "./deliveries/dead-letters.ts";
import { getDelivery, listObservations, observe } from "./deliveries/observations.ts";
import { preview, trigger } from "./deliveries/trigger.ts";
import { listInbox, markInbox } from "./inbox.ts";
import * as lists from "./lists.ts";
import * as own from "./methods.ts";
import type { Decide, Event, State } from "./state.ts";
import * as subscribers from "./subscribers/decide.ts";
import { claimIdentity } from "./subscribers/endpoints.ts";
import { followLink } from "./subscribers/follow.ts";

type AudienceMethod = EntityMethod<State, Command, Event>;

const ofContract: { readonly [Name in MethodName]?: Decide<Requests[Name]> } = {
  "SubscriberService.GetSubscriber": subscribers.getSubscriber,
  "SubscriberService.ReplaceSubscriber": subscribers.replaceSubscriber,
  "SubscriberService.DeleteSubscriber": subscribers.deleteSubscriber,
  "SubscriberService.ListEndpoints": lists.listEndpoints,
  "SubscriberService.RemoveEndpoint": subscribers.removeEndpoint,
  "SubscriberService.VerifyEndpoint": subscribers.verifyEndpoint,
  "SubscriberService.ListSubscriptions": lists.listSubscriptions,
  "SubscriberService.PutPreference": subscribers.putPreference,
  "SubscriberService.ListPreferences": lists.listPreferences,
  "SubscriberService.DeletePreference": subscribers.deletePreference,
  "NotificationService.GetDelivery": getDelivery,
  "NotificationService.ListObservations": listObservations,
  "NotificationService.GetDeadLetter": letters.getDeadLetter,
  "NotificationService.RedriveDeadLetter": letters.redriveDeadLetter,
  "InboxService.ListInbox": listInbox,
  "InboxService.MarkInbox": markInbox,
};

export const methods: Readonly<Record<string, AudienceMethod>> = {
  ...Object.fromEntries(Object.entries(ofContract).map(([name, decide]) => [name, asked<never>(decide)])),
  "SubscriberService.ListSubscribersPart": asked(lists.subscribersPart),
  "NotificationService.ListDeliveriesPart": asked(lists.deliveriesPart),
  "NotificationService.ListDeadLettersPart": asked(lists.deadLettersPart),
  ...Object.fromEntries([
    by(findSubscribers, subscribers.findSubscribers),
    by(own.upsertSubscribers, subscribers.upsertSubscribers),
    by(own.claimIdentity, claimIdentity),
    by(own.getEndpoint, subscribers.getEndpoint),
    by(own.previewPreferences, preview),
    by(own.triggerOne, trigger),
    by(own.claimTransaction, claims.claimTransaction),
    by(own.findTransaction, claims.findTransaction),
    by(own.getManifest, claims.getManifest),
    by(own.getLinkSecret, claims.getLinkSecret),
    by(own.followLink, followLink),
    by(own.redrive, letters.redrive),
    by(own.observe, observe),
  ]),
  [own.watchInbox.name]: answering(own.watchInbox, (watch) => ({ type: "watch_inbox", ...watch })),
};

function asked<Request>(decide: Decide<Request>): AudienceMethod {
  return answered((request: Request) => ({
    type: "asked",
    decide: (state, context) => decide(state, request, context),
  }));
}

function by<Request>({ name }: Method<Request, unknown>, decide: Decide<Request>) {
  return [name, asked(decide)] as const;
}
