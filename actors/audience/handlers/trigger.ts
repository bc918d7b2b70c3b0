import { digestOf, handleOfChild, limits, RefusalError, refuse, toRfc3339, uncanonical } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { audienceOf, isAudienceKey, topicAddress } from "../../notify/address.ts";
import type { Manifest, NoticeSnapshot, Override } from "../../notify/manifest.ts";
import { broadcast, cancelBroadcast, getBroadcast } from "../../notify/methods.ts";
import { mailProblems } from "../../notify/outbound/mail-rules.ts";
import type { Channel, JsonObject } from "../../notify/outbound/types.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Trigger } from "../deliveries/trigger.ts";
import { claimTransaction, findTransaction, triggerOne } from "../methods.ts";
import { publicUrlOf, type TenantNotifySettings, tenantSettingsOf } from "../parts.ts";
import { bytesOf } from "../subscribers/record.ts";
import { snapshotOf, tooLong } from "./subscribers.ts";

interface TriggerRequest {
  readonly workflow_key: string;
  readonly subscriber_external_id?: string;
  readonly subscriber?: Message;
  readonly subscriber_id?: string;
  readonly topic?: string;
  readonly channels?: readonly Channel[];
  readonly overrides?: Readonly<Partial<Record<Channel, Override>>>;
  readonly user_id?: string;
  readonly payload?: JsonObject;
  readonly transaction_id?: string;
  readonly wait_ms: number;
}

export function triggerMethods({ settings }: Pick<ModuleParts, "settings">): Record<string, Orchestration> {
  const snapshots = new SharedQuestions<NoticeSnapshot>();
  return {
    "NotificationService.Trigger": triggerMethod(settings, snapshots),
    "SubscriberService.SendEndpointConfirmation": sendConfirmation(settings, snapshots),
  };
}

function checkEnabled(settings: ModuleParts["settings"]): void {
  if (settings["notification.dispatch.enabled"] === true) return;
  throw new RefusalError(
    refuse("FAILED_PRECONDITION", "notification.dispatch.enabled is false: nothing is sent", {
      reason: "DISPATCH_DISABLED",
    }),
  );
}

/** A trigger of the workflow `endpoint_confirmation`, to one endpoint, with a link that confirms it. */
function sendConfirmation(
  settings: ModuleParts["settings"],
  snapshots: SharedQuestions<NoticeSnapshot>,
): Orchestration {
  return async (request, call) => {
    checkEnabled(settings);
    if (publicUrlOf(settings) === "")
      throw new RefusalError(
        refuse("FAILED_PRECONDITION", "server.public_url is not set: the link would lead nowhere", {
          reason: "PUBLIC_URL_UNSET",
        }),
      );
    const { subscriber_id, endpoint_id, page_url = "" } = request as Readonly<Record<string, string>>;
    const given = { workflow_key: confirmationWorkflow, subscriber_id: subscriber_id!, wait_ms: 0 };
    const manifest = await manifestOf(given, call, settings, snapshots);
    const { retentionDays } = tenantSettingsOf(settings, call);
    const confirm = { endpointId: endpoint_id!, pageUrl: page_url };
    const asked = { manifest, subscriberId: subscriber_id!, retentionDays, waitMs: 0, confirm };
    const sent = await ask(call, triggerOne, { key: keyOf(given, call), request: asked, step: "" });
    const { transaction_id, outcomes, until = 0 } = sent;
    const { delivery_id = "", status = "", reason_code = "" } = outcomes[0] ?? {};
    return { transaction_id, delivery_id, status, reason_code, expires_at: toRfc3339(until) };
  };
}

const confirmationWorkflow = "endpoint_confirmation";

/** The workflow is asked as it is now, then one command to the audience or the topic does everything. */
function triggerMethod(
  settings: ModuleParts["settings"],
  snapshots: SharedQuestions<NoticeSnapshot>,
): Orchestration {
  return async (request, call) => {
    const given = request as TriggerRequest;
    checkEnabled(settings);
    check(given);
    const asked = await manifestOf(given, call, settings, snapshots);
    const claimedAt = await claim(given, call);
    const manifest = claimedAt === undefined ? asked : { ...asked, claimedAt };
    const { topic } = given;
    if (topic !== undefined)
      return ask(call, broadcast, {
        key: keyOf(given, call),
        request: { key: topic, manifest },
        step: "",
      });
    const one = triggerOf(given, manifest, tenantSettingsOf(settings, call));
    return ask(call, triggerOne, { key: keyOf(given, call), request: one, step: "" });
  };
}

function check(given: TriggerRequest): void {
  const { subscriber_external_id, subscriber_id, topic, subscriber } = given;
  const named = [subscriber_external_id, subscriber_id, topic].filter((one) => one !== undefined);
  if (named.length !== 1)
    throw invalid("subscriber_id", "exactly one of subscriber_external_id, subscriber_id and topic is given");
  if (subscriber !== undefined && subscriber_external_id === undefined)
    throw invalid("subscriber", "is given together with subscriber_external_id only");
  if (bytesOf(given.payload ?? {}) > limits.notifyPayloadBytesMax)
    throw tooLong("payload", limits.notifyPayloadBytesMax);
  if (bytesOf(given.overrides ?? {}) > limits.notifyPayloadBytesMax)
    throw tooLong("overrides", limits.notifyPayloadBytesMax);
  const fields = mailProblems(given.overrides?.email?.provider ?? {}, "overrides.email.provider.");
  if (fields.length > 0)
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `${fields[0]!.field} ${fields[0]!.reason}`, { fields }),
    );
}

function invalid(field: string, reason: string): RefusalError {
  return new RefusalError(refuse("INVALID_ARGUMENT", reason, { fields: [{ field, reason }] }));
}

async function manifestOf(
  given: TriggerRequest,
  call: CallContext,
  settings: ModuleParts["settings"],
  snapshots: SharedQuestions<NoticeSnapshot>,
): Promise<Manifest> {
  const { workflow_key, user_id } = given;
  const { caller, asker, clock } = call;
  const snapshot = await snapshots.ask(JSON.stringify([caller.tenant, workflow_key, user_id]), () => {
    // Of all that share it: it ends neither with one of them nor with its deadline.
    const deadlineMs = clock.now() + limits.moduleCallMs;
    return snapshotOf({ caller, asker, deadlineMs }, workflow_key, user_id);
  });
  const { timezone, requireVerified } = tenantSettingsOf(settings, call);
  return {
    transactionId: given.transaction_id ?? "",
    workflowKey: given.workflow_key,
    workflowVersion: snapshot.version,
    content: snapshot.content,
    layer1: snapshot.layer1,
    ...(snapshot.layer2 !== undefined && { layer2: snapshot.layer2 }),
    channels: given.channels ?? [],
    overrides: given.overrides ?? {},
    payload: given.payload ?? {},
    userId: given.user_id ?? "",
    topicKey: given.topic ?? "",
    environment: call.caller.environment ?? "production",
    ttlMs: snapshot.ttlMs,
    timezone,
    requireVerified,
    tiered: settings["notification.queue.mode"] !== "single",
  };
}

/** A caller's transaction id is claimed for its body, where ids with its hash are; the answer is since when. */
async function claim(given: TriggerRequest, call: CallContext): Promise<number | undefined> {
  const { transaction_id: transactionId, wait_ms: _, ...body } = given;
  if (transactionId === undefined) return undefined;
  const { tenant } = call.caller;
  const unwritable = uncanonical(body, "trigger");
  if (unwritable) throw new RefusalError(unwritable);
  const request = { transactionId, fingerprint: digestOf(body), owner: keyOf(given, call) };
  const { key } = audienceOf(tenant, transactionId);
  return (await ask(call, claimTransaction, { key, request, step: "claim" })).at;
}

/** Of the audience of the subscriber, or of the topic. */
function keyOf(given: TriggerRequest, { caller: { tenant } }: CallContext): string {
  const { subscriber_external_id, subscriber_id, topic } = given;
  if (topic !== undefined) return topicAddress(tenant, topic).key;
  if (subscriber_id !== undefined) return handleOfChild(subscriber_id);
  return audienceOf(tenant, subscriber_external_id!).key;
}

function triggerOf(
  given: TriggerRequest,
  manifest: Manifest,
  { retentionDays }: TenantNotifySettings,
): Trigger {
  const { subscriber_id: subscriberId, subscriber_external_id: externalId, subscriber: inline } = given;
  return {
    manifest,
    ...(subscriberId !== undefined && { subscriberId }),
    ...(externalId !== undefined && { externalId }),
    ...(inline !== undefined && { inline }),
    retentionDays,
    waitMs: given.wait_ms,
  };
}

/** The entity that has a broadcast: its id says so, or the claim of the caller's id. */
async function broadcastKey(call: CallContext, transactionId: string): Promise<string> {
  const at = audienceOf(call.caller.tenant, transactionId);
  const { owner } = await ask(call, findTransaction, { key: at.key, request: { transactionId } });
  const key = owner === "" ? handleOfChild(transactionId) : owner;
  if (!key.startsWith("T") || isAudienceKey(key))
    throw new RefusalError(refuse("NOT_FOUND", "there is no such broadcast"));
  return key;
}

function ofBroadcast(method: typeof getBroadcast, change: { readonly step?: string }): Orchestration {
  return async (request, call) => {
    const { transaction_id: transactionId } = request as { readonly transaction_id: string };
    const key = await broadcastKey(call, transactionId);
    return ask(call, method, { key, request: { transactionId }, ...change });
  };
}

export const broadcastMethods: Readonly<Record<string, Orchestration>> = {
  "NotificationService.GetBroadcast": ofBroadcast(getBroadcast, {}),
  "NotificationService.CancelBroadcast": ofBroadcast(cancelBroadcast, { step: "" }),
};
