import {
  errorCodes,
  handleOfChild,
  invalid,
  isRefusal,
  limits,
  type Refusal,
  RefusalError,
  refusalError,
} from "#base";
import type { UpsertSubscriberRequest } from "#protos";
import { type Asking, ask, type Method } from "../../kit/ask.ts";
import { batchError } from "../../kit/batch.ts";
import { list } from "../../kit/partitioned.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Handler, Handlers } from "../../module.ts";
import { audienceOf, grouped, topicAddress } from "../../notify/address.ts";
import { lengthProblems } from "../../notify/length.ts";
import type { NoticeSnapshot } from "../../notify/manifest.ts";
import { addTopicMembers, removeTopicMembers, snapshot } from "../../notify/methods.ts";
import { isMailAddress, noMailAddress } from "../../notify/outbound/mail-rules.ts";
import { audienceKeys } from "../../notify/outbound/types.ts";
import type { ModuleParts } from "../../parts.ts";
import { subscriptionMessage } from "../lists.ts";
import {
  claimIdentity,
  getEndpoint,
  getSubscriber,
  previewPreferences,
  upsertSubscribers,
} from "../methods.ts";
import { tenantSettingsOf } from "../parts.ts";
import { claimAddress, type NewEndpoint } from "../subscribers/endpoints.ts";

/** All audiences of a tenant. */
export const partitions = { kind: "audience", count: audienceKeys.length, keys: audienceKeys } as const;

const upsertSubscriber: Handler<"SubscriberService.UpsertSubscriber"> = async (given, call) => {
  const { key } = audienceOf(call.caller.tenant, given.external_id);
  const [result] = await ask(call, upsertSubscribers, { key, request: { given: [given] }, step: "" });
  if (isRefusal(result)) throw new RefusalError(result);
  return result;
};

const batchUpsert: Handler<"SubscriberService.BatchUpsertSubscribers"> = async ({ subscribers }, call) => {
  const keyOf = (given: UpsertSubscriberRequest) => audienceOf(call.caller.tenant, given.external_id).key;
  const results = await inAudiences(call, upsertSubscribers, subscribers, keyOf, (given) => ({ given }));
  return {
    results: results.map((result, index) =>
      isRefusal(result) ? { index, error: batchError(result) } : { index, subscriber: result },
    ),
  };
};

/** Every audience decides its own entries in one commit; one that cannot answer just now refuses them. */
export async function inAudiences<Entry, Request>(
  call: CallContext,
  method: Method<Request, readonly (Message | Refusal)[]>,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  requestOf: (entries: readonly Entry[]) => Request,
): Promise<readonly (Message | Refusal)[]> {
  const groups = grouped(entries.entries(), ([, entry]) => keyOf(entry));
  const results: (Message | Refusal)[] = [];
  await Promise.all(
    [...groups].map(async ([key, own]) => {
      const request = requestOf(own.map(([, entry]) => entry));
      const found = await settled(ask(call, method, { key, request, step: key }));
      for (const [i, [index]] of own.entries()) results[index] = isRefusal(found) ? found : found[i]!;
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

const listSubscribers: Handler<"SubscriberService.ListSubscribers"> = (request, call) => {
  const of = { service: "SubscriberService", many: "Subscribers", collection: { filters: [] } };
  return list(of, partitions, "descending", request, call);
};

/** To say of an address, without a confirmation, that it belongs to the subscriber. */
const verification = "notification_verification:admin";

/** The address is claimed first: the claim's audience writes the subscriber by its outbox before it answers. */
const upsertEndpoint: Handler<"SubscriberService.UpsertEndpoint"> = async (given, call) => {
  const { subscriber_id, channel, identity, connection_id: connectionId, verified, metadata } = given;
  const problems = lengthProblems("metadata", metadata, limits.notifyMetadataBytesMax);
  if (channel === "email" && !isMailAddress(identity))
    problems.push({ field: "identity", reason: noMailAddress });
  if (problems.length > 0) throw new RefusalError(invalid(...problems));
  if (verified === true && !call.may(verification)) {
    const detail = `verified needs ${verification}; else the owner confirms: :sendConfirmation`;
    throw refusalError("PERMISSION_DENIED", detail);
  }
  await check(call, subscriber_id);
  const endpoint: NewEndpoint = {
    subscriberId: subscriber_id,
    channel,
    providerKey: given.provider_key,
    identity,
    ...(connectionId !== undefined && { connectionId }),
    ...(verified !== undefined && { verified }),
    ...(metadata !== undefined && { metadata }),
  };
  const { key } = claimAddress(call.caller.tenant, endpoint);
  const { endpoint_id } = await ask(call, claimIdentity, { key, request: { endpoint }, step: "claim" });
  const request = { subscriber_id, endpoint_id };
  return ask(call, getEndpoint, { key: handleOfChild(subscriber_id), request });
};

/** Throws where there is no such subscriber. */
async function check(call: CallContext, id: string): Promise<void> {
  await ask(call, getSubscriber, { key: handleOfChild(id), request: { subscriber_id: id } });
}

/** The topic decides who is a member; its outbox writes the copy before it answers. */
const subscribe: Handler<"SubscriberService.Subscribe"> = async (request, call) => {
  const { subscriber_id: id, topic_key: key, context_keys: contextKeys } = request;
  await check(call, id);
  const joined = await ask(call, addTopicMembers, {
    key: topicAddress(call.caller.tenant, key).key,
    request: { key, subscriberIds: [id], contextKeys },
    step: "",
  });
  const { joined_at: createdAt = 0, context_keys = [] } = joined;
  return subscriptionMessage(id, key, { topicId: "", contextKeys: context_keys, createdAt });
};

const unsubscribe: Handler<"SubscriberService.Unsubscribe"> = async (request, call) => {
  const { subscriber_id: id, topic_key: key } = request;
  await check(call, id);
  const { removed } = await ask(call, removeTopicMembers, {
    key: topicAddress(call.caller.tenant, key).key,
    request: { key, subscriberIds: [id] },
    step: "",
  });
  if (removed === 0) throw refusalError("NOT_FOUND", `the subscriber is no member of ${key}`);
  return { topic_key: key, deleted: true };
};

function preview(settings: ModuleParts["settings"]): Handler<"SubscriberService.PreviewPreferences"> {
  return async (asked, call) => {
    const { subscriber_id: subscriberId, payload_context: payload = {}, channels } = asked;
    const { workflow_key: workflowKey, user_id: userId = "", topic_key: topicKey = "" } = asked;
    const problems = lengthProblems("payload_context", payload, limits.previewPayloadBytesMax);
    if (problems.length > 0) throw new RefusalError(invalid(...problems));
    const { layer1, layer2 } = await snapshotOf(call, workflowKey, asked.user_id);
    return ask(call, previewPreferences, {
      key: handleOfChild(subscriberId),
      request: {
        subscriberId,
        workflowKey,
        topicKey,
        userId,
        contextKeys: asked.context_keys,
        channels,
        payload,
        environment: call.caller.environment ?? "production",
        timezone: tenantSettingsOf(settings, call).timezone,
        layer1,
        ...(layer2 !== undefined && { layer2 }),
      },
    });
  };
}

export function snapshotOf(
  call: Asking,
  workflowKey: string,
  userId: string | undefined,
): Promise<NoticeSnapshot> {
  const request = userId === undefined ? {} : { user_id: userId };
  return ask(call, snapshot, { key: workflowKey, request });
}

export const subscriberMethods = ({ settings }: Pick<ModuleParts, "settings">): Handlers => ({
  "SubscriberService.UpsertSubscriber": upsertSubscriber,
  "SubscriberService.BatchUpsertSubscribers": batchUpsert,
  "SubscriberService.ListSubscribers": listSubscribers,
  "SubscriberService.UpsertEndpoint": upsertEndpoint,
  "SubscriberService.Subscribe": subscribe,
  "SubscriberService.Unsubscribe": unsubscribe,
  "SubscriberService.PreviewPreferences": preview(settings),
});
