/**
 * Owns topics, their members and the broadcasts to them: entity (topic, tenant, hash of the key) has the topics with that hash.
 *
 * 1. A broadcast reaches the subscribers that were members at its cut-off, each once: who joins later is not reached, who leaves later is.
 * 2. A broadcast is accepted with its payload, its cut-off and the workflow as it is then, or not at all.
 * 3. The cursor of a broadcast moves in the commit that tells the audiences.
 * 4. A topic's subscriptions in the audiences are copies: this entity decides who is a member.
 *
 * Publishes topic.* and broadcast.*. Nothing is lost with the process.
 */
import { defineActor } from "#runtime";
import type { Module } from "../module.ts";
import { type Command, decide } from "./decide.ts";
import { topicDirectory, topicEntityDirectory } from "./directory.ts";
import { topicMethods } from "./handlers/topics.ts";
import type { State } from "./record.ts";
import { methods } from "./service.ts";
import { apply, beforeCommit, type Event, empty, resident, restore } from "./state.ts";

const topicActor = defineActor<State, Command, Event>({
  kind: "topic",
  placement: "key",
  empty,
  resident,
  restore,
  decide,
  apply,
  beforeCommit,
  methods,
  onMessage: (message: Command) => message,
  onTimer: (id): Command => ({ type: "timer", id }),
});

export const topics: Module = {
  name: "topics",
  actors: [topicActor],
  directories: [topicDirectory, topicEntityDirectory],
  orchestrations: topicMethods,
};
