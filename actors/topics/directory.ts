import { handleOfChild, isRefusal, limits } from "#base";
import type { Directory } from "../kit/directory.ts";
import { messageOf } from "../kit/message.ts";
import { type Message, newRecord } from "../kit/record.ts";
import { topicAddress } from "../notify/address.ts";
import type { TopicCreation } from "./decide.ts";
import { type TopicRecord, topicSettings } from "./record.ts";

/** Topics by id; the name of an entry is the topic's key. Ids carry the key of the entity, which topics may share. */
export const topicDirectory: Directory<Message> = {
  kind: "topic",
  filters: [],
  uniqueName: true,
  addressOf: (tenant, id) => ({ kind: "topic", tenant, key: handleOfChild(id) }),
  limit: { most: limits.topicsMax, many: "topics" },
  create: {
    method: "TopicService.CreateTopic",
    make(_id, request, context) {
      const settings = topicSettings(request, null);
      if (isRefusal(settings)) return settings;
      const to = topicAddress(context.address.tenant, settings.key);
      const record: TopicRecord = newRecord(context.newId(to.key), settings, context.now);
      const body: TopicCreation = { type: "create", record };
      const entry = { id: record.id, name: settings.key };
      return { entry, message: { to, body }, answer: messageOf(record) };
    },
  },
};

/** Entities of topics, deleted ones too: what is left of their broadcasts goes with the tenant. */
export const topicEntityDirectory: Directory = {
  kind: "topic_entity",
  filters: [],
  addressOf: (tenant, key) => ({ kind: "topic", tenant, key }),
};
