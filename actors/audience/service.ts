import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import type { PageRequest } from "../kit/list.ts";
import { answered, answering, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import { findSubscribers } from "../notify/methods.ts";
import { apply } from "./apply.ts";
import { beforeCommit } from "./before-commit.ts";
import { type Command, decide, wake } from "./decide.ts";
import type { ListInbox, MarkInbox } from "./inbox.ts";
import type { ListPart } from "./lists.ts";
import * as own from "./methods.ts";
import { bytesOf, type Event, empty, resident, restore, type State } from "./state.ts";
import type { PreferenceGiven } from "./subscribers/decide.ts";

type Method = EntityMethod<State, Command, Event>;

interface OfSubscriber {
  readonly subscriber_id: string;
}

interface OfEndpoint extends OfSubscriber {
  readonly endpoint_id: string;
}

interface OfLetter {
  readonly dead_letter_id: string;
  readonly accept_duplicate?: boolean;
}

const methods: Readonly<Record<string, Method>> = {
  [own.getSubscriber.name]: answering(own.getSubscriber, ({ subscriber_id: id }) => ({
    type: "get_subscriber",
    id,
  })),
  "SubscriberService.ReplaceSubscriber": answered(
    (given: Message & OfSubscriber & { record_version?: number }) => ({
      type: "replace_subscriber",
      id: given.subscriber_id,
      given,
      ...versionOf(given),
    }),
  ),
  "SubscriberService.DeleteSubscriber": answered(({ subscriber_id: id }: OfSubscriber) => ({
    type: "delete_subscriber",
    id,
  })),
  "SubscriberService.ListSubscribersPart": part("list_subscribers"),
  "SubscriberService.ListEndpoints": ofSubscriber("list_endpoints"),
  "SubscriberService.RemoveEndpoint": ofEndpoint("remove_endpoint"),
  "SubscriberService.VerifyEndpoint": ofEndpoint("verify_endpoint"),
  "SubscriberService.ListSubscriptions": ofSubscriber("list_subscriptions"),
  "SubscriberService.PutPreference": answered((given: PreferenceGiven & OfSubscriber) => ({
    type: "put_preference",
    id: given.subscriber_id,
    given,
  })),
  "SubscriberService.ListPreferences": ofSubscriber("list_preferences"),
  "SubscriberService.DeletePreference": answered((request: OfSubscriber & { preference_id: string }) => ({
    type: "delete_preference",
    id: request.subscriber_id,
    preferenceId: request.preference_id,
  })),
  "NotificationService.GetDelivery": answered(({ delivery_id: id }: { delivery_id: string }) => ({
    type: "get_delivery",
    id,
  })),
  "NotificationService.ListDeliveriesPart": part("list_deliveries"),
  "NotificationService.ListObservations": answered((request: PageRequest & { delivery_id: string }) => ({
    type: "list_observations",
    request,
  })),
  "NotificationService.ListDeadLettersPart": part("list_dead_letters"),
  "NotificationService.GetDeadLetter": answered(({ dead_letter_id: id }: OfLetter) => ({
    type: "get_dead_letter",
    id,
  })),
  "NotificationService.RedriveDeadLetter": answered(({ dead_letter_id, accept_duplicate }: OfLetter) => ({
    type: "redrive_one",
    asked: { ids: [dead_letter_id], acceptDuplicate: accept_duplicate ?? false },
  })),
  "InboxService.ListInbox": answered((request: ListInbox) => ({ type: "list_inbox", request })),
  "InboxService.MarkInbox": answered((request: MarkInbox) => ({ type: "mark_inbox", request })),
  [findSubscribers.name]: answering(findSubscribers, ({ ids }) => ({ type: "find_subscribers", ids })),
  [own.upsertSubscribers.name]: answering(own.upsertSubscribers, ({ given }) => ({
    type: "upsert_subscribers",
    given,
  })),
  [own.claimIdentity.name]: answering(own.claimIdentity, ({ endpoint }) => ({
    type: "claim_identity",
    endpoint,
  })),
  [own.getEndpoint.name]: answering(own.getEndpoint, (request) => ({ type: "get_endpoint", ...request })),
  [own.previewPreferences.name]: answering(own.previewPreferences, (asked) => ({ type: "preview", asked })),
  [own.triggerOne.name]: answering(own.triggerOne, (asked) => ({ type: "trigger", asked })),
  [own.claimTransaction.name]: answering(own.claimTransaction, (asked) => ({
    type: "claim_transaction",
    asked,
  })),
  [own.findTransaction.name]: answering(own.findTransaction, ({ transactionId }) => ({
    type: "find_transaction",
    transactionId,
  })),
  [own.getManifest.name]: answering(own.getManifest, ({ transactionId }) => ({
    type: "get_manifest",
    transactionId,
  })),
  [own.getLinkSecret.name]: answering(own.getLinkSecret, () => ({ type: "get_link_secret" })),
  [own.followLink.name]: answering(own.followLink, (asked) => ({ type: "follow_link", asked })),
  [own.watchInbox.name]: answering(own.watchInbox, (watch) => ({ type: "watch_inbox", ...watch })),
  [own.redrive.name]: answering(own.redrive, (asked) => ({ type: "redrive", asked })),
  [own.observe.name]: answering(own.observe, ({ seen }) => ({ type: "observe", seen })),
};

function part(type: "list_subscribers" | "list_deliveries" | "list_dead_letters"): Method {
  return answered((part: ListPart) => ({ type, part }));
}

function ofSubscriber(type: "list_endpoints" | "list_preferences" | "list_subscriptions"): Method {
  return answered((request: PageRequest & OfSubscriber) => ({ type, request }));
}

function ofEndpoint(type: "remove_endpoint" | "verify_endpoint"): Method {
  return answered(({ subscriber_id: id, endpoint_id: endpointId }: OfEndpoint) => ({ type, id, endpointId }));
}

export const audienceActor: AnyActorDefinition = defineActor<State, Command, Event>({
  kind: "audience",
  placement: "key",
  empty,
  resident,
  restore,
  bytesOf,
  decide,
  apply,
  seal: beforeCommit,
  methods,
  wake,
  onMessage: (message): Command => message as Command,
  onTimer: (id): Command => ({ type: "timer", id }),
  onEffect: (step): Command => ({ type: "effect", step }),
});
