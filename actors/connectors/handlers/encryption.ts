import { handleOf, handleOfChild, RefusalError } from "#base";
import type { RotateCredentialsRequest } from "#protos";
import { ask } from "../../kit/ask.ts";
import { listEntries } from "../../kit/entity-list.ts";
import {
  decrypt,
  type EncryptedFor,
  type EncryptedSecret,
  encrypt,
  keyIdOf,
  secretOf,
  unconfigured,
} from "../../kit/secrets.ts";
import { reencryptWebhook, webhookKind, webhookSecrets } from "../../kit/webhook.ts";
import type { CallContext, Handlers } from "../../module.ts";
import * as connection from "../connection/methods.ts";
import type { Parts } from "../parts.ts";
import * as providerConfig from "../provider-config/methods.ts";
import { askEach } from "./provider-configs.ts";
import { look } from "./subscriptions.ts";

export function encryptionMethods(parts: Parts): Handlers {
  return {
    "ConnectorService.GetEncryptionStatus": (_request, call) => status(parts, call),
    "ConnectorService.RotateCredentials": (asked, call) => rotate(parts, asked, call),
  };
}

/** The directories count by key. */
async function status(parts: Parts, call: CallContext): Promise<unknown> {
  const active = parts.keyRing?.activeId ?? "";
  const ids = [...new Set([active, ...parts.retiredKeyIds])].filter((id) => id !== "");
  const count = async (kind: string, key_id: string) =>
    (await listEntries({ page_size: 1, filter: { key_id } }, call, kind)).total ?? 0;
  const keys = await Promise.all(
    ids.map(async (key_id) => ({
      key_id,
      connections: await count("connection", key_id),
      provider_configs: await count("provider_config", key_id),
      trigger_subscriptions: await count("trigger_subscription", key_id),
      webhooks: await count(webhookKind, key_id),
    })),
  );
  return { active_key_id: active, keys };
}

type Rotated = "rotated" | "unchanged" | "unreadable";

/** The lists in turn, by what their page tokens begin with. */
const lists = [
  { kind: "provider_config", prefix: "", rotate: rotateConfig },
  { kind: "connection", prefix: "connections.", rotate: rotateConnection },
  { kind: "trigger_subscription", prefix: "subscriptions.", rotate: rotateSubscription },
  { kind: webhookKind, prefix: "webhooks.", rotate: rotateWebhook },
] as const;

/** A page of one list; the page token says of which. */
async function rotate(parts: Parts, asked: RotateCredentialsRequest, call: CallContext): Promise<unknown> {
  if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
  const { page_size = 100, page_token } = asked;
  const at = lists.findLastIndex(({ prefix }) => page_token.startsWith(prefix));
  const { kind, prefix, rotate: one } = lists[at]!;
  const token = page_token.slice(prefix.length);
  const page = await listEntries({ page_size, ...(token !== "" && { page_token: token }) }, call, kind);
  const done = await askEach(page.entries, (id) => one(parts, id, call));
  const next = page.next_page_token;
  const counted = (what: Rotated) => done.filter((was) => was === what).length;
  return {
    rotated: counted("rotated"),
    unchanged: counted("unchanged"),
    unreadable: counted("unreadable"),
    next_page_token: next === "" ? (lists[at + 1]?.prefix ?? "") : prefix + next,
  };
}

async function rotateConnection(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const key = handleOf(id);
  const record = await ask(call, connection.look, { key, request: {} });
  const { version, encrypted } = record.credentials;
  const newSecret = reencrypt(parts, encrypted, secretOf("connection", record, version));
  if (typeof newSecret === "string") return newSecret;
  await ask(call, connection.reencrypt, { key, request: newSecret, step: `:${id}` });
  return "rotated";
}

/** Every version of it that is kept has a client secret of its own, or shares one. */
async function rotateConfig(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const key = handleOf(id);
  const { record, secrets } = await ask(call, providerConfig.secrets, { key, request: {} });
  const results = secrets.map(({ version, encrypted }) =>
    reencrypt(parts, encrypted, secretOf("provider_config", record, version)),
  );
  const anew = results.filter((result) => typeof result !== "string");
  if (anew.length > 0)
    await ask(call, providerConfig.reencrypt, { key, request: { secrets: anew }, step: `:${id}` });
  if (results.includes("unreadable")) return "unreadable";
  return anew.length > 0 ? "rotated" : "unchanged";
}

async function rotateSubscription(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const { record, subscription } = await look(id, call);
  const { encrypted, secretVersion } = subscription;
  const of = secretOf("trigger_subscription", { ...record, id }, secretVersion);
  const newSecret = reencrypt(parts, encrypted, of);
  if (typeof newSecret === "string") return newSecret;
  const request = { id, ...newSecret };
  await ask(call, connection.reencryptSubscription, { key: handleOfChild(id), request, step: `:${id}` });
  return "rotated";
}

/** Also the secret that signs until an overlap is over. */
async function rotateWebhook(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const key = handleOf(id);
  const record = await ask(call, webhookSecrets, { key, request: {} });
  const results = record.secrets.map(({ version, encrypted }) =>
    reencrypt(parts, encrypted, secretOf(webhookKind, record, version)),
  );
  const anew = results.filter((result) => typeof result !== "string");
  if (anew.length > 0) await ask(call, reencryptWebhook, { key, request: { secrets: anew }, step: `:${id}` });
  if (results.includes("unreadable")) return "unreadable";
  return anew.length > 0 ? "rotated" : "unchanged";
}

function reencrypt(parts: Parts, encrypted: string, of: EncryptedFor): Rotated | EncryptedSecret {
  const keyRing = parts.keyRing!;
  if (encrypted === "" || keyIdOf(keyRing, encrypted) === keyRing.activeId) return "unchanged";
  const plain = decrypt<unknown>(parts, encrypted, of);
  return plain === undefined ? "unreadable" : encrypt(parts, plain, of);
}
