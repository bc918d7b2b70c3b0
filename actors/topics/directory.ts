import { handleOfChild, limits, refuse } from "#base";
import type { Directory } from "../kit/directory.ts";
import { newRecord } from "../kit/record.ts";
import { topicAddress } from "../notify/address.ts";
import type { JsonObject } from "../notify/outbound/types.ts";
import type { TopicCreation } from "./decide.ts";
import { type TopicRecord, topicMessage } from "./record.ts";

/** Topics by id; the name of an entry is the topic's key. Ids carry the key of the entity, which topics may share. */
export const topicDirectory: Directory = {
  kind: "topic",
  filters: [],
  uniqueName: true,
  addressOf: (tenant, id) => ({ kind: "topic", tenant, key: handleOfChild(id) }),
  limit: { most: limits.topicsMax, many: "topics" },
  create: {
    method: "TopicService.CreateTopic",
    make(_id, request, context) {
      const { key, ...given } = request as TopicGiven & { readonly key: string };
      const settings = topicSettings(given);
      if ("refused" in settings) return settings;
      const to = topicAddress(context.address.tenant, key);
      const record: TopicRecord = newRecord(
        context.newId(to.key),
        { key, ...settings, memberCount: 0 },
        context.now,
      );
      const body: TopicCreation = { type: "create", record };
      return { entry: { id: record.id, name: key }, message: { to, body } };
    },
    respond: ({ message }) => topicMessage((message.body as TopicCreation).record),
  },
};

/** Entities of topics, deleted ones too: what is left of their broadcasts goes with the tenant. */
export const topicEntityDirectory: Directory = {
  kind: "topic_entity",
  filters: [],
  addressOf: (tenant, key) => ({ kind: "topic", tenant, key }),
};

export interface TopicGiven {
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: JsonObject;
}

export function topicSettings({ name = "", description = "", metadata = {} }: TopicGiven) {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= limits.notifyMetadataBytesMax)
    return { name, description, metadata };
  const reason = `is longer than ${limits.notifyMetadataBytesMax} bytes as JSON`;
  return refuse("INVALID_ARGUMENT", `metadata ${reason}`, { fields: [{ field: "metadata", reason }] });
}
