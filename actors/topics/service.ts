import { isRefusal } from "#base";
import { type AnyActorDefinition, defineActor, type EntityMethod } from "#runtime";
import { answered, versionOf } from "../kit/methods.ts";
import { apply, seal } from "./apply.ts";
import { type Command, decide } from "./decide.ts";
import { type TopicGiven, topicSettings } from "./directory.ts";
import { type Event, empty, resident, restore, type State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const methods: Readonly<Record<string, Method>> = {
  "TopicService.GetTopic": answered((request) => ({ type: "get", key: request.key as string })),
  "TopicService.UpdateTopic": {
    ...answered(() => ({ type: "get", key: "" })),
    command: (request) => {
      const { key } = request as { key: string };
      const given = topicSettings(request as TopicGiven);
      return isRefusal(given) ? given : { type: "update", key, given, ...versionOf(request as object) };
    },
  },
  "TopicService.DeleteTopic": answered((request) => ({
    type: "delete",
    key: request.key as string,
    ...versionOf(request),
  })),
  "TopicService.ListMembers": answered((request) => ({
    type: "list_members",
    request: request as { key: string },
  })),
  /** Doors make the command. */
  "Topic.Do": answered((request) => request as unknown as Command),
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
