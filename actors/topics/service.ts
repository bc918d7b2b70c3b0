import type { EntityMethod } from "#runtime";
import { answeredMethods, answering, oneRecordMethods } from "../kit/methods.ts";
import {
  addTopicMembers,
  broadcast,
  cancelBroadcast,
  getBroadcast,
  getTopicById,
  removeTopicMembers,
} from "../notify/methods.ts";
import type { Command } from "./decide.ts";
import { type State, topicResource } from "./record.ts";
import type { Event } from "./state.ts";

export const methods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  ...oneRecordMethods(topicResource, "Get", "Update", "Delete"),
  ...answeredMethods<Command>({
    "TopicService.ListMembers": (request) => ({ type: "list_members", request }),
  }),
  [getTopicById.name]: answering(getTopicById, ({ id }) => ({ type: "get_by_id", id })),
  [addTopicMembers.name]: answering(addTopicMembers, (given) => ({ type: "add_members", ...given })),
  [removeTopicMembers.name]: answering(removeTopicMembers, (given) => ({ type: "remove_members", ...given })),
  [broadcast.name]: answering(broadcast, (given) => ({ type: "broadcast", ...given })),
  [getBroadcast.name]: answering(getBroadcast, (given) => ({ type: "get_broadcast", ...given })),
  [cancelBroadcast.name]: answering(cancelBroadcast, (given) => ({ type: "cancel_broadcast", ...given })),
};
