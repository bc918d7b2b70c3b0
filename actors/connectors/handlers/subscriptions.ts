import { randomBytes } from "node:crypto";
import { handleOf, handleOfChild, limits, newChildUlid, orThrow, RefusalError, refusalError } from "#base";
import type {
  CreateTriggerSubscriptionRequest,
  TriggerTarget,
  UpdateTriggerSubscriptionRequest,
} from "#protos";
import { ask, encryptedAnew, tryAsk } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { findInDirectory } from "../../kit/entity-list.ts";
import { getPool } from "../../kit/pool.ts";
import type { Message } from "../../kit/record.ts";
import { decrypt, encrypt, secretOf, unconfigured } from "../../kit/secrets.ts";
import type { CallContext, Handlers } from "../../module.ts";
import { environments } from "../catalogue/template.ts";
import type { Trigger } from "../catalogue/types.ts";
import { missingScopes } from "../connection/executions.ts";
import type { FoundSubscription } from "../connection/methods.ts";
import * as connection from "../connection/methods.ts";
import type { Connection } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import type { HookSecret } from "../subscription/record.ts";
import { checkJson, failed, notFound, wrong } from "./checks.ts";
import { recordOf } from "./connections.ts";
import { drawn, listing } from "./provider-configs.ts";
import { publicUrlUnset, tokenOf } from "./route-call.ts";
import { hashOf } from "./sessions.ts";

/** Subscriptions are parts of their connections, which send the entries. */
export const subscriptionDirectory: Directory = {
  kind: "trigger_subscription",
  filters: ["status", "connection_id", "environment", "key_id"],
  addressOf: (tenant, id) => ({ kind: "connection", tenant, key: handleOfChild(id) }),
};

export function subscriptionMethods(parts: Parts): Handlers {
  return {
    "TriggerSubscriptionService.CreateTriggerSubscription": (asked, call) => create(parts, asked, call),
    "TriggerSubscriptionService.GetTriggerSubscription": ({ trigger_subscription_id: id }, call) =>
      get(parts, id, call),
    "TriggerSubscriptionService.ListTriggerSubscriptions": listing(
      "trigger_subscription",
      ["connection_id", "status"],
      (id, call) => get(parts, id, call),
    ),
    "TriggerSubscriptionService.UpdateTriggerSubscription": (asked, call) => update(parts, asked, call),
  };
}

type Content = Pick<
  UpdateTriggerSubscriptionRequest,
  "config" | "filter" | "target" | "secret" | "poll_seconds"
>;

async function create(
  parts: Parts,
  asked: CreateTriggerSubscriptionRequest,
  call: CallContext,
): Promise<unknown> {
  const trigger = parts.catalogue().triggers.get(asked.trigger_key);
  if (trigger === undefined) throw wrong("trigger_key", `${asked.trigger_key} is not in the catalogue`);
  const record = await recordOf(asked.connection_id, connection.look, call);
  if (record.providerKey !== trigger.provider.key)
    throw wrong("connection_id", `is a connection to ${record.providerKey}, not to ${trigger.provider.key}`);
  await checkContent(trigger, asked, call);
  checkPolling(parts, trigger, record);
  const { kind } = trigger.file;
  const id = newChildUlid(call.clock.now(), handleOf(record.id), drawn());
  const hook = kind === "webhook" ? hookOf(parts, trigger, asked.secret) : undefined;
  const newSecret = hook && encrypt(parts, hook, hookSecret(record, id, 1));
  const answer = orThrow(
    await tryAsk(call, connection.subscribe, {
      key: handleOf(record.id),
      request: {
        id,
        triggerKey: trigger.key,
        kind,
        config: asked.config ?? {},
        filter: asked.filter ?? "",
        target: asked.target ?? {},
        tokenHash: hook ? hashOf(Buffer.from(hook.token, "base64url")) : "",
        encrypted: newSecret?.encrypted ?? "",
        keyId: newSecret?.keyId ?? "",
        secretVersion: newSecret?.version ?? 0,
        pollSeconds: asked.poll_seconds ?? limits.pollSeconds,
      },
      step: "",
    }),
  );
  const shown = shownOf(parts, answer.response);
  // A repeat of the request is answered with the subscription that the first one made, without its secret.
  const drew = hook && asked.secret === undefined && !answer.replayed;
  return drew ? { ...shown, secret: hook.secret } : shown;
}

/** Only what a subscription of this kind can have; and only what the caller may do itself. */
async function checkContent(
  trigger: Trigger,
  { config, filter, target, secret, poll_seconds: seconds }: Content,
  call: CallContext,
): Promise<void> {
  const { kind } = trigger.file;
  if (kind === "polling" && secret !== undefined) throw wrong("secret", "is for webhooks");
  if (kind === "webhook" && seconds !== undefined) throw wrong("poll_seconds", "is for polling");
  const bytesMax = limits.providerConfigBytesMax;
  checkJson("config", config ?? {}, { bytesMax, validate: trigger.validateConfig });
  const [problem] = filter ? environments.filter.conditionProblems(filter) : [];
  if (problem) throw wrong("filter", `${problem.reason} (column ${problem.column})`);
  if (target) await checkTarget(target, call);
}

/** The service itself delivers events: the caller that names the target needs the permission. */
async function checkTarget({ pool_id, workflow_key }: TriggerTarget, call: CallContext): Promise<void> {
  if (pool_id !== undefined && workflow_key !== undefined)
    throw wrong("target", "has pool_id or workflow_key, not both");
  if (pool_id !== undefined) {
    mayElse("queue_item:write", call);
    await ask(call, getPool, { key: handleOf(pool_id), request: { pool_id } });
  }
  if (workflow_key === undefined) return;
  mayElse("workflow_run:write", call);
  const question = { key: "workflow_definition", request: { name: workflow_key } };
  if ((await ask(call, findInDirectory, question)).id === null)
    throw notFound(`there is no workflow definition with the key ${workflow_key}`);
}

function mayElse(permission: string, call: CallContext): void {
  if (call.may(permission)) return;
  const detail = `the target needs ${permission}, which the caller lacks`;
  throw refusalError("PERMISSION_DENIED", detail);
}

function checkPolling(parts: Parts, { file, provider }: Trigger, record: Connection): void {
  if (file.kind !== "polling") return;
  const action = parts.catalogue().actions.get(`${provider.key}.${file.action}`);
  if (action?.runtimeStatus !== "executable")
    throw failed("ACTION_NOT_EXECUTABLE", `${provider.key}.${file.action} is not executable`);
  const missing = missingScopes(record, action.file.scopes?.any_of ?? []);
  if (missing.length > 0)
    throw failed("MISSING_SCOPES", `the connection lacks ${missing.join(", ")}`, { missing_scopes: missing });
}

/** Its address and its secret. Some providers give secrets out, and take none. */
function hookOf(parts: Parts, { file }: Trigger, given: string | undefined): HookSecret {
  if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
  if (parts.publicUrl === "" && !parts.loopback) throw publicUrlUnset();
  if (given === undefined && file.verify?.type === "twilio")
    throw wrong("secret", "is required: the auth token of the account");
  const token = randomBytes(limits.connectTokenBytes).toString("base64url");
  return { token, secret: given ?? drawnSecret(file.verify?.type) };
}

function drawnSecret(type: string | undefined): string {
  const bytes = randomBytes(limits.connectTokenBytes);
  return type === "standard_webhooks" ? `whsec_${bytes.toString("base64")}` : bytes.toString("base64url");
}

function hookSecret(record: Connection, id: string, version: number) {
  return secretOf("trigger_subscription", { ...record, id }, version);
}

/** `undefined`: polling, or a key that is not here. */
export function hookSecretOf(
  parts: Parts,
  { subscription, record }: FoundSubscription,
): HookSecret | undefined {
  const { id, encrypted, secretVersion } = subscription;
  if (encrypted === "") return undefined;
  return decrypt<HookSecret>(parts, encrypted, hookSecret(record, id, secretVersion));
}

function shownOf(parts: Parts, looked: FoundSubscription): Message {
  const hook = hookSecretOf(parts, looked);
  if (hook === undefined) return looked.message;
  const token = tokenOf(looked.record.tenant, looked.subscription.id, Buffer.from(hook.token, "base64url"));
  return { ...looked.message, hook_url: `${parts.publicUrl}/connect/hooks/${token}` };
}

export function look(id: string, call: CallContext): Promise<FoundSubscription> {
  return ask(call, connection.lookAtSubscription, { key: handleOfChild(id), request: { id } });
}

async function get(parts: Parts, id: string, call: CallContext): Promise<Message> {
  return shownOf(parts, await look(id, call));
}

function update(parts: Parts, asked: UpdateTriggerSubscriptionRequest, call: CallContext): Promise<unknown> {
  const { trigger_subscription_id: id, secret, ...given } = asked;
  const key = handleOfChild(id);
  const changed = encryptedAnew(async () => {
    const looked = await look(id, call);
    const { subscription, record } = looked;
    const trigger = parts.catalogue().triggers.get(subscription.triggerKey);
    if (trigger !== undefined)
      await checkContent(trigger, { ...asked, config: asked.config ?? subscription.config }, call);
    const hook = secret === undefined ? undefined : hookSecretOf(parts, looked);
    if (secret !== undefined && hook === undefined) throw new RefusalError(unconfigured);
    const of = hookSecret(record, id, subscription.secretVersion + 1);
    const newSecret = hook && encrypt(parts, { ...hook, secret }, of);
    const request = { id, given, ...(newSecret && { newSecret }) };
    return tryAsk(call, connection.updateSubscription, { key, request, step: "" });
  });
  return changed.then((found) => shownOf(parts, found));
}
