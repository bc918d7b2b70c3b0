import { handleOfChild, limits } from "#base";
import type { GetTopicRequest, RemoveMembersRequest } from "#protos";
import { ask, questionOf, tryAsk } from "../../kit/ask.ts";
import { listing } from "../../kit/entity-list.ts";
import type { Handler, Handlers, Question } from "../../module.ts";
import { byAudience, topicAddress } from "../../notify/address.ts";
import { addTopicMembers, findSubscribers, getTopicById, removeTopicMembers } from "../../notify/methods.ts";

/** Of the topic that the request names by its key. */
function ofTopic(method: string): Question<GetTopicRequest> {
  return questionOf(method, (request, { caller }) => ({
    to: topicAddress(caller.tenant, request.key),
    request,
  }));
}

const listTopics = listing({
  kind: "topic",
  many: "topics",
  atOnce: limits.topicsAskedAtOnce,
  ask: (id, call) => tryAsk(call, getTopicById, { key: handleOfChild(id), request: { id } }),
});

/** Subscribers that are not there are told; the others join in one commit. */
const addMembers: Handler<"TopicService.AddMembers"> = async (request, call) => {
  const { key, subscriber_ids, context_keys: contextKeys } = request;
  const asked = [...new Set(subscriber_ids)];
  const found = await Promise.all(
    [...byAudience(asked, (id) => id)].map(([audience, ids]) =>
      ask(call, findSubscribers, { key: audience, request: { ids } }),
    ),
  );
  const here = new Set(found.flatMap((part) => part.found));
  const subscriberIds = asked.filter((id) => here.has(id));
  const { added, updated } = await ask(call, addTopicMembers, {
    key: topicAddress(call.caller.tenant, key).key,
    request: { key, subscriberIds, contextKeys },
    step: "",
  });
  return { added, updated, not_found: asked.filter((id) => !here.has(id)) };
};

const removeMembers = questionOf(removeTopicMembers.name, (request: RemoveMembersRequest, { caller }) => {
  const { key, subscriber_ids: subscriberIds } = request;
  return { to: topicAddress(caller.tenant, key), request: { key, subscriberIds } };
});

export const topicMethods: Handlers = {
  "TopicService.ListTopics": listTopics,
  "TopicService.GetTopic": ofTopic("TopicService.GetTopic"),
  "TopicService.UpdateTopic": ofTopic("TopicService.UpdateTopic"),
  "TopicService.DeleteTopic": ofTopic("TopicService.DeleteTopic"),
  "TopicService.AddMembers": addMembers,
  "TopicService.ListMembers": ofTopic("TopicService.ListMembers"),
  "TopicService.RemoveMembers": removeMembers,
};
