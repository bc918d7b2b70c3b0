import { errorCodes, handleOfChild, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import { type Asking, ask, type Method } from "../../kit/ask.ts";
import { batchError } from "../../kit/batch.ts";
import { list } from "../../kit/partitioned.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { audienceOf, topicAddress } from "../../notify/address.ts";
import type { NoticeSnapshot } from "../../notify/manifest.ts";
import { addTopicMembers, removeTopicMembers, snapshot } from "../../notify/methods.ts";
import { isMailAddress, noMailAddress } from "../../notify/outbound/mail-rules.ts";
import { audienceKeys, type Channel, type JsonObject } from "../../notify/outbound/types.ts";
import type { ModuleParts } from "../../parts.ts";
import { subscriptionMessage } from "../lists.ts";
import {
  claimIdentity,
  getEndpoint,
  getSubscriber,
  previewPreferences,
  upsertSubscribers,
} from "../methods.ts";
import { byAudience, tenantSettingsOf } from "../parts.ts";
import { claimAddress, type NewEndpoint } from "../subscribers/endpoints.ts";
import { bytesOf } from "../subscribers/record.ts";

/** All audiences of a tenant. */
export const partitions = { kind: "audience", count: audienceKeys.length, keys: audienceKeys } as const;

const upsertSubscriber: Orchestration = async (request, call) => {
  const given = request as Message & { readonly external_id: string };
  const { key } = audienceOf(call.caller.tenant, given.external_id);
  const [result] = await ask(call, upsertSubscribers, { key, request: { given: [given] }, step: "" });
  if (isRefusal(result)) throw new RefusalError(result);
  return result;
};

const batchUpsert: Orchestration = async (request, call) => {
  const { subscribers } = request as { readonly subscribers: readonly Message[] };
  const { tenant } = call.caller;
  const keyOf = (given: Message) => audienceOf(tenant, given.external_id as string).key;
  const results = await inAudiences(call, upsertSubscribers, byAudience(subscribers, keyOf), (indexes) => ({
    given: indexes.map((index) => subscribers[index]!),
  }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, error: batchError(result) } : { index, subscriber: result },
    ),
  };
};

/** Every audience decides its own entries in one commit; one that cannot answer just now refuses them. */
export async function inAudiences<Request>(
  call: CallContext,
  method: Method<Request, readonly (Message | Refusal)[]>,
  groups: ReadonlyMap<string, readonly number[]>,
  requestOf: (indexes: readonly number[]) => Request,
): Promise<readonly (Message | Refusal)[]> {
  const results: (Message | Refusal)[] = [];
  await Promise.all(
    [...groups].map(async ([key, indexes]) => {
      const found = await settled(ask(call, method, { key, request: requestOf(indexes), step: key }));
      for (const [i, index] of indexes.entries()) results[index] = isRefusal(found) ? found : found[i]!;
    }),
  );
  return results;
}

async function settled<Answer>(asked: Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await asked;
  } catch (thrown) {
    if (!(thrown instanceof RefusalError) || !errorCodes[thrown.refusal.code].retryable) throw thrown;
    return thrown.refusal;
  }
}

const listSubscribers: Orchestration = (request, call) =>
  list(
    { service: "SubscriberService", many: "Subscribers", collection: { filters: [] } },
    partitions,
    "descending",
    request,
    call,
  );

interface EndpointRequest {
  readonly subscriber_id: string;
  readonly channel: Channel;
  readonly provider_key?: string;
  readonly identity: string;
  readonly connection_id?: string;
  readonly verified?: boolean;
  readonly metadata?: JsonObject;
}

/** To say of an address, without a confirmation, that it belongs to the subscriber. */
const verification = "notification_verification:admin";

/** The address is claimed first: the claim's audience writes the subscriber by its outbox before it answers. */
const upsertEndpoint: Orchestration = async (request, call) => {
  const given = request as EndpointRequest;
  const { tenant } = call.caller;
  if (given.metadata !== undefined && bytesOf(given.metadata) > limits.notifyMetadataBytesMax)
    throw tooLong("metadata", limits.notifyMetadataBytesMax);
  if (given.channel === "email" && !isMailAddress(given.identity)) throw invalid("identity", noMailAddress);
  if (given.verified === true && !call.may(verification))
    throw new RefusalError(
      refuse(
        "PERMISSION_DENIED",
        `verified needs ${verification}; else the owner confirms: :sendConfirmation`,
      ),
    );
  const { subscriber_id: id } = given;
  await check(call, id);
  const { connection_id: connectionId, verified, metadata } = given;
  const endpoint: NewEndpoint = {
    subscriberId: id,
    channel: given.channel,
    providerKey: given.provider_key ?? "",
    identity: given.identity,
    ...(connectionId !== undefined && { connectionId }),
    ...(verified !== undefined && { verified }),
    ...(metadata !== undefined && { metadata }),
  };
  const { key } = claimAddress(tenant, endpoint);
  const claimed = await ask(call, claimIdentity, { key, request: { endpoint }, step: "claim" });
  const asked = { id, endpointId: claimed.endpoint_id };
  return ask(call, getEndpoint, { key: handleOfChild(id), request: asked });
};

/** Throws where there is no such subscriber. */
function check(call: CallContext, id: string): Promise<Message> {
  return ask(call, getSubscriber, { key: handleOfChild(id), request: { subscriber_id: id } });
}

interface SubscriptionRequest {
  readonly subscriber_id: string;
  readonly topic_key: string;
  readonly context_keys?: readonly string[];
}

/** The topic decides who is a member; its outbox writes the copy before it answers. */
const subscribe: Orchestration = async (request, call) => {
  const {
    subscriber_id: id,
    topic_key: key,
    context_keys: contextKeys = [],
  } = request as SubscriptionRequest;
  await check(call, id);
  const joined = await ask(call, addTopicMembers, {
    key: topicAddress(call.caller.tenant, key).key,
    request: { key, subscriberIds: [id], contextKeys },
    step: "",
  });
  const { joined_at: createdAt = 0, context_keys = [] } = joined;
  return subscriptionMessage(id, key, { topicId: "", contextKeys: context_keys, createdAt });
};

const unsubscribe: Orchestration = async (request, call) => {
  const { subscriber_id: id, topic_key: key } = request as SubscriptionRequest;
  await check(call, id);
  const { removed } = await ask(call, removeTopicMembers, {
    key: topicAddress(call.caller.tenant, key).key,
    request: { key, subscriberIds: [id] },
    step: "",
  });
  if (removed === 0) throw new RefusalError(refuse("NOT_FOUND", `the subscriber is no member of ${key}`));
  return { topic_key: key, deleted: true };
};

interface PreviewRequest {
  readonly subscriber_id: string;
  readonly workflow_key: string;
  readonly user_id?: string;
  readonly topic_key?: string;
  readonly context_keys?: readonly string[];
  readonly channels?: readonly Channel[];
  readonly payload_context?: JsonObject;
}

const preview =
  (settings: ModuleParts["settings"]): Orchestration =>
  async (request, call) => {
    const asked = request as PreviewRequest;
    const payload = asked.payload_context ?? {};
    if (bytesOf(payload) > limits.previewPayloadBytesMax)
      throw tooLong("payload_context", limits.previewPayloadBytesMax);
    const { layer1, layer2 } = await snapshotOf(call, asked.workflow_key, asked.user_id);
    return ask(call, previewPreferences, {
      key: handleOfChild(asked.subscriber_id),
      request: {
        subscriberId: asked.subscriber_id,
        workflowKey: asked.workflow_key,
        topicKey: asked.topic_key ?? "",
        userId: asked.user_id ?? "",
        contextKeys: asked.context_keys ?? [],
        channels: asked.channels ?? [],
        payload,
        environment: call.caller.environment ?? "production",
        timezone: tenantSettingsOf(settings, call).timezone,
        layer1,
        ...(layer2 !== undefined && { layer2 }),
      },
    });
  };

export function snapshotOf(
  call: Asking,
  workflowKey: string,
  userId: string | undefined,
): Promise<NoticeSnapshot> {
  const request = userId === undefined ? {} : { user_id: userId };
  return ask(call, snapshot, { key: workflowKey, request });
}

export function tooLong(field: string, bytes: number): RefusalError {
  return invalid(field, `is longer than ${bytes} bytes as JSON`);
}

function invalid(field: string, reason: string): RefusalError {
  return new RefusalError(refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] }));
}

export const subscriberMethods = ({
  settings,
}: Pick<ModuleParts, "settings">): Record<string, Orchestration> => ({
  "SubscriberService.UpsertSubscriber": upsertSubscriber,
  "SubscriberService.BatchUpsertSubscribers": batchUpsert,
  "SubscriberService.ListSubscribers": listSubscribers,
  "SubscriberService.UpsertEndpoint": upsertEndpoint,
  "SubscriberService.Subscribe": subscribe,
  "SubscriberService.Unsubscribe": unsubscribe,
  "SubscriberService.PreviewPreferences": preview(settings),
});
