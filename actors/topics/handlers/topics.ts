import { handleOfChild, limits } from "#base";
import { ask, questionOf, tryAsk } from "../../kit/ask.ts";
import { type EntityList, listEntities } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { Orchestration, Question } from "../../module.ts";
import { topicAddress } from "../../notify/address.ts";
import { addTopicMembers, findSubscribers, getTopicById, removeTopicMembers } from "../../notify/methods.ts";
import { byAudience } from "../state.ts";

/** Of the topic that the request names by its key. */
function ofTopic(method: string): Question {
  return questionOf(method, (request, { caller }) => ({
    to: topicAddress(caller.tenant, (request as { key: string }).key),
    request,
  }));
}

const listTopics: Orchestration = async (request, call) => {
  const page = await listEntities(topics, { ...(request as PageRequest), filter: {} }, call);
  const { values, ...rest } = page;
  return { topics: values, ...rest };
};

const topics: EntityList = {
  kind: "topic",
  atOnce: limits.topicsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getTopicById, { key: handleOfChild(id), request: { id } }),
};

interface Members {
  readonly key: string;
  readonly subscriber_ids: readonly string[];
  readonly context_keys?: readonly string[];
}

/** Subscribers that are not there are told; the others join in one commit. */
const addMembers: Orchestration = async (request, call) => {
  const { key, subscriber_ids, context_keys = [] } = request as Members;
  const { tenant } = call.caller;
  const found = await Promise.all(
    [...byAudience([...new Set(subscriber_ids)])].map(([audience, ids]) =>
      ask(call, findSubscribers, { key: audience, request: { ids } }),
    ),
  );
  const here = new Set(found.flatMap((part) => part.found));
  const subscriberIds = [...new Set(subscriber_ids)].filter((id) => here.has(id));
  const added = await ask(call, addTopicMembers, {
    key: topicAddress(tenant, key).key,
    request: { key, subscriberIds, contextKeys: context_keys },
    step: "",
  });
  const not_found = [...new Set(subscriber_ids)].filter((id) => !here.has(id));
  return { added: added.added, updated: added.updated, not_found };
};

const removeMembers = questionOf(removeTopicMembers.name, (request, { caller }) => {
  const { key, subscriber_ids: subscriberIds } = request as Members;
  return { to: topicAddress(caller.tenant, key), request: { key, subscriberIds } };
});

export const topicMethods: Readonly<Record<string, Orchestration | Question>> = {
  "TopicService.ListTopics": listTopics,
  "TopicService.GetTopic": ofTopic("TopicService.GetTopic"),
  "TopicService.UpdateTopic": ofTopic("TopicService.UpdateTopic"),
  "TopicService.DeleteTopic": ofTopic("TopicService.DeleteTopic"),
  "TopicService.AddMembers": addMembers,
  "TopicService.ListMembers": ofTopic("TopicService.ListMembers"),
  "TopicService.RemoveMembers": removeMembers,
};
