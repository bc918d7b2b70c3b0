import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import { answered, versionOf } from "../kit/methods.ts";
import type { Message } from "../kit/record.ts";
import { apply } from "./apply.ts";
import { type Command, decide, wake } from "./decide.ts";
import type { MarkInbox } from "./inbox.ts";
import type { ListPart } from "./lists.ts";
import { seal } from "./seal.ts";
import { bytesOf, type Event, empty, resident, restore, type State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const methods: Readonly<Record<string, Method>> = {
  "SubscriberService.GetSubscriber": answered((request) => ({ type: "get_card", id: idOf(request) })),
  "SubscriberService.ReplaceSubscriber": answered((request) => ({
    type: "replace_card",
    id: idOf(request),
    given: request,
    ...versionOf(request),
  })),
  "SubscriberService.DeleteSubscriber": answered((request) => ({ type: "delete_card", id: idOf(request) })),
  "SubscriberService.ListSubscribersPart": part("list_cards"),
  "SubscriberService.ListEndpoints": ofSubscriber("list_endpoints"),
  "SubscriberService.RemoveEndpoint": answered((request) => ({
    type: "remove_endpoint",
    id: idOf(request),
    endpointId: request.endpoint_id as string,
  })),
  "SubscriberService.VerifyEndpoint": answered((request) => ({
    type: "verify_endpoint",
    id: idOf(request),
    endpointId: request.endpoint_id as string,
  })),
  "SubscriberService.ListSubscriptions": ofSubscriber("list_subscriptions"),
  "SubscriberService.PutPreference": answered((request) => ({
    type: "put_preference",
    id: idOf(request),
    given: request,
  })),
  "SubscriberService.ListPreferences": ofSubscriber("list_preferences"),
  "SubscriberService.DeletePreference": answered((request) => ({
    type: "delete_preference",
    id: idOf(request),
    preferenceId: request.preference_id as string,
  })),
  "NotificationService.GetDelivery": answered((request) => ({
    type: "get_delivery",
    id: request.delivery_id as string,
  })),
  "NotificationService.ListDeliveriesPart": part("list_deliveries"),
  "NotificationService.ListObservations": answered((request) => ({
    type: "list_observations",
    request: request as { delivery_id: string },
  })),
  "NotificationService.ListDeadLettersPart": part("list_dead_letters"),
  "NotificationService.GetDeadLetter": answered((request) => ({
    type: "get_dead_letter",
    id: request.dead_letter_id as string,
  })),
  "NotificationService.RedriveDeadLetter": answered((request) => ({
    type: "redrive_one",
    asked: {
      ids: [request.dead_letter_id as string],
      acceptDuplicate: (request.accept_duplicate as boolean | undefined) ?? false,
    },
  })),
  "InboxService.ListInbox": answered((request) => ({
    type: "list_inbox",
    request: request as { subscriber_id: string },
  })),
  "InboxService.MarkInbox": answered((request) => ({
    type: "mark_inbox",
    request: request as unknown as MarkInbox,
  })),
  /** Doors make the command. */
  "Audience.Do": answered((request) => request as unknown as Command),
};

function part(type: "list_cards" | "list_deliveries" | "list_dead_letters"): Method {
  return answered((request) => ({ type, part: request as unknown as ListPart }));
}

function ofSubscriber(type: "list_endpoints" | "list_preferences" | "list_subscriptions"): Method {
  return answered((request) => ({ type, request: request as { subscriber_id: string } }));
}

function idOf(request: Message): string {
  return request.subscriber_id as string;
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
  seal,
  methods,
  wake,
  onMessage: (message): Command => message as Command,
  onTimer: (id): Command => ({ type: "timer", id }),
  onEffect: (step): Command => ({ type: "effect", step }),
});
