import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import { answered, answering, oneRecordMethods } from "../kit/methods.ts";
import {
  addTopicMembers,
  broadcast,
  cancelBroadcast,
  getBroadcast,
  getTopicById,
  removeTopicMembers,
} from "../notify/methods.ts";
import { apply, seal } from "./apply.ts";
import { type Command, decide } from "./decide.ts";
import { type State, topicResource } from "./record.ts";
import { type Event, empty, resident, restore } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const methods: Readonly<Record<string, Method>> = {
  ...oneRecordMethods(topicResource, "Get", "Update", "Delete"),
  "TopicService.ListMembers": answered((request) => ({
    type: "list_members",
    request: request as { key: string },
  })),
  [getTopicById.name]: answering(getTopicById, ({ id }) => ({ type: "get_by_id", id })),
  [addTopicMembers.name]: answering(addTopicMembers, (given) => ({ type: "add_members", ...given })),
  [removeTopicMembers.name]: answering(removeTopicMembers, (given) => ({ type: "remove_members", ...given })),
  [broadcast.name]: answering(broadcast, (given) => ({ type: "broadcast", ...given })),
  [getBroadcast.name]: answering(getBroadcast, (given) => ({ type: "get_broadcast", ...given })),
  [cancelBroadcast.name]: answering(cancelBroadcast, (given) => ({ type: "cancel_broadcast", ...given })),
};

export const topicActor: AnyActorDefinition = defineActor<State, Command, Event>({
  kind: "topic",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  seal,
  methods,
  onMessage: (message): Command => message as Command,
  onTimer: (id): Command => ({ type: "timer", id }),
});
