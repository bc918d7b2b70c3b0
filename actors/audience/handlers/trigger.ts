import {
  digestOf,
  handleOfChild,
  invalid,
  limits,
  RefusalError,
  refusalError,
  toRfc3339,
  uncanonical,
} from "#base";
import type { GetBroadcastRequest, SendEndpointConfirmationRequest, TriggerRequest } from "#protos";
import { ask } from "../../kit/ask.ts";
import { SharedQuestions } from "../../kit/shared-questions.ts";
import type { CallContext, Handlers, Orchestration } from "../../module.ts";
import { audienceOf, isAudienceKey, topicAddress } from "../../notify/address.ts";
import { lengthProblems } from "../../notify/length.ts";
import type { Manifest, NoticeSnapshot } from "../../notify/manifest.ts";
import { broadcast, cancelBroadcast, getBroadcast } from "../../notify/methods.ts";
import { mailProblems } from "../../notify/outbound/mail-rules.ts";
import { type ModuleParts, publicUrlOf } from "../../parts.ts";
import type { Trigger } from "../deliveries/trigger.ts";
import { claimTransaction, findTransaction, triggerOne } from "../methods.ts";
import { tenantSettingsOf } from "../parts.ts";
import { snapshotOf } from "./subscribers.ts";

/** What a trigger asks of the workflow and of the tenant. */
interface Parts {
  readonly settings: ModuleParts["settings"];
  readonly snapshots: SharedQuestions<NoticeSnapshot>;
}

export function triggerMethods({ settings }: Pick<ModuleParts, "settings">): Handlers {
  const parts: Parts = { settings, snapshots: new SharedQuestions() };
  return {
    "NotificationService.Trigger": (request, call) => trigger(parts, request, call),
    "SubscriberService.SendEndpointConfirmation": (request, call) => sendConfirmation(parts, request, call),
    "NotificationService.GetBroadcast": ofBroadcast(getBroadcast, {}),
    "NotificationService.CancelBroadcast": ofBroadcast(cancelBroadcast, { step: "" }),
  };
}

function checkEnabled(settings: ModuleParts["settings"]): void {
  if (settings["notification.dispatch.enabled"] === true) return;
  throw refusalError("FAILED_PRECONDITION", "notification.dispatch.enabled is false: nothing is sent", {
    reason: "DISPATCH_DISABLED",
  });
}

/** A trigger of the workflow `endpoint_confirmation`, to one endpoint, with a link that confirms it. */
async function sendConfirmation(
  parts: Parts,
  { subscriber_id, endpoint_id: endpointId, page_url: pageUrl = "" }: SendEndpointConfirmationRequest,
  call: CallContext,
): Promise<unknown> {
  const { settings } = parts;
  checkEnabled(settings);
  if (publicUrlOf(settings) === "")
    throw refusalError("FAILED_PRECONDITION", "server.public_url is not set: the link would lead nowhere", {
      reason: "PUBLIC_URL_UNSET",
    });
  const given = { workflow_key: confirmationWorkflow, subscriber_id, channels: [], overrides: {} };
  const manifest = await manifestOf(parts, given, call);
  const { retentionDays } = tenantSettingsOf(settings, call);
  const confirm = { endpointId, pageUrl };
  const asked = { manifest, subscriberId: subscriber_id, retentionDays, waitMs: 0, confirm };
  const sent = await ask(call, triggerOne, { key: keyOf(given, call), request: asked, step: "" });
  const { transaction_id, outcomes, until = 0 } = sent;
  const { delivery_id = "", status = "", reason_code = "" } = outcomes[0] ?? {};
  return { transaction_id, delivery_id, status, reason_code, expires_at: toRfc3339(until) };
}

const confirmationWorkflow = "endpoint_confirmation";

/** The workflow is asked as it is now, then one command to the audience or the topic does everything. */
async function trigger(parts: Parts, given: TriggerRequest, call: CallContext): Promise<unknown> {
  checkEnabled(parts.settings);
  check(given);
  const asked = await manifestOf(parts, given, call);
  const claimedAt = await claim(given, call);
  const manifest = claimedAt === undefined ? asked : { ...asked, claimedAt };
  const key = keyOf(given, call);
  const {
    topic,
    subscriber_id: subscriberId,
    subscriber_external_id: externalId,
    subscriber: inline,
  } = given;
  if (topic !== undefined) return ask(call, broadcast, { key, request: { key: topic, manifest }, step: "" });
  const request: Trigger = {
    manifest,
    ...(subscriberId !== undefined && { subscriberId }),
    ...(externalId !== undefined && { externalId }),
    ...(inline !== undefined && { inline }),
    retentionDays: tenantSettingsOf(parts.settings, call).retentionDays,
    waitMs: given.wait_ms ?? 0,
  };
  return ask(call, triggerOne, { key, request, step: "" });
}

function check(given: TriggerRequest): void {
  const { subscriber_external_id, subscriber_id, topic, subscriber, payload, overrides } = given;
  const named = [subscriber_external_id, subscriber_id, topic].filter((one) => one !== undefined);
  const problems = [
    ...lengthProblems("payload", payload, limits.notifyPayloadBytesMax),
    ...lengthProblems("overrides", overrides, limits.notifyPayloadBytesMax),
    ...mailProblems(overrides.email?.provider ?? {}, "overrides.email.provider."),
  ];
  if (subscriber !== undefined && subscriber_external_id === undefined)
    problems.unshift({ field: "subscriber", reason: "is given together with subscriber_external_id only" });
  if (named.length !== 1) {
    const reason = "exactly one of subscriber_external_id, subscriber_id and topic is given";
    const fields = [{ field: "subscriber_id", reason }];
    throw refusalError("INVALID_ARGUMENT", reason, { fields });
  }
  if (problems.length > 0) throw new RefusalError(invalid(...problems));
}

async function manifestOf(
  { settings, snapshots }: Parts,
  given: TriggerRequest,
  call: CallContext,
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
    workflowKey: workflow_key,
    workflowVersion: snapshot.version,
    content: snapshot.content,
    layer1: snapshot.layer1,
    ...(snapshot.layer2 !== undefined && { layer2: snapshot.layer2 }),
    channels: given.channels,
    overrides: given.overrides,
    payload: given.payload ?? {},
    userId: user_id ?? "",
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

/** The entity that has a broadcast: its id says so, or the claim of the caller's id. */
async function broadcastKey(call: CallContext, transactionId: string): Promise<string> {
  const at = audienceOf(call.caller.tenant, transactionId);
  const { owner } = await ask(call, findTransaction, { key: at.key, request: { transactionId } });
  const key = owner === "" ? handleOfChild(transactionId) : owner;
  if (!key.startsWith("T") || isAudienceKey(key))
    throw refusalError("NOT_FOUND", "there is no such broadcast");
  return key;
}

function ofBroadcast(
  method: typeof getBroadcast,
  change: { readonly step?: string },
): Orchestration<GetBroadcastRequest> {
  return async ({ transaction_id: transactionId }, call) => {
    const key = await broadcastKey(call, transactionId);
    return ask(call, method, { key, request: { transactionId }, ...change });
  };
}
