import { handleOf, handleOfChild, RefusalError } from "#base";
import { ask, taking } from "../../kit/ask.ts";
import { listEntries } from "../../kit/entity-list.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import * as connection from "../connection/methods.ts";
import type { Parts } from "../parts.ts";
import type { ClientSecret } from "../provider-config/decide.ts";
import * as providerConfig from "../provider-config/methods.ts";
import { decrypt, type EncryptedFor, encrypt, keyIdOf, unconfigured } from "../secrets.ts";
import { askEach } from "./provider-configs.ts";

export function encryptionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectorService.GetEncryptionStatus": (_request, call) => status(parts, call),
    "ConnectorService.RotateCredentials": taking<RotateRequest>((asked, call) => rotate(parts, asked, call)),
  };
}

/** The directories count by key. */
async function status(parts: Parts, call: CallContext): Promise<unknown> {
  const active = parts.keyRing?.activeId ?? "";
  const ids = [...new Set([active, ...parts.retiredKeyIds])].filter((id) => id !== "");
  const count = async (kind: string, key_id: string) =>
    (await listEntries({ page_size: 1, filter: { key_id } }, call, kind)).total;
  const keys = await Promise.all(
    ids.map(async (key_id) => ({
      key_id,
      connections: await count("connection", key_id),
      provider_configs: await count("provider_config", key_id),
      trigger_subscriptions: await count("trigger_subscription", key_id),
    })),
  );
  return { active_key_id: active, keys };
}

interface RotateRequest {
  readonly page_size?: number;
  readonly page_token?: string;
}

type Rotated = "rotated" | "unchanged" | "unreadable";

/** The lists in turn, by what their page tokens begin with. */
const lists = [
  { kind: "provider_config", prefix: "", rotate: rotateConfig },
  { kind: "connection", prefix: "connections.", rotate: rotateConnection },
  { kind: "trigger_subscription", prefix: "subscriptions.", rotate: rotateSubscription },
] as const;

/** A page of one list; the page token says of which. */
async function rotate(parts: Parts, asked: RotateRequest, call: CallContext): Promise<unknown> {
  if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
  const { page_size = 100, page_token = "" } = asked;
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
  const { tenant, environment, credentials } = record;
  const { version, encrypted } = credentials;
  const reencrypted = reencrypt(parts, encrypted, { kind: "connection", tenant, environment, id, version });
  if (typeof reencrypted === "string") return reencrypted;
  await ask(call, connection.reencrypt, { key, request: { version, ...reencrypted }, step: `:${id}` });
  return "rotated";
}

/** Every version of it that is kept has a client secret of its own, or shares one. */
async function rotateConfig(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const key = handleOf(id);
  const { record, secrets } = await ask(call, providerConfig.secrets, { key, request: {} });
  const { tenant, environment } = record;
  const anew: ClientSecret[] = [];
  let unreadable = false;
  for (const { credentialVersion, encrypted } of secrets) {
    const of = { kind: "provider_config", tenant, environment, id, version: credentialVersion } as const;
    const reencrypted = reencrypt(parts, encrypted, of);
    if (typeof reencrypted !== "string") anew.push({ credentialVersion, encrypted: reencrypted.encrypted });
    else unreadable ||= reencrypted === "unreadable";
  }
  if (anew.length > 0) {
    const request = { secrets: anew, keyId: parts.keyRing!.activeId };
    await ask(call, providerConfig.reencrypt, { key, request, step: `:${id}` });
  }
  if (unreadable) return "unreadable";
  return anew.length > 0 ? "rotated" : "unchanged";
}

async function rotateSubscription(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const key = handleOfChild(id);
  const looked = await ask(call, connection.lookAtSubscription, { key, request: { id } });
  const { tenant, environment } = looked.record;
  const { encrypted, secretVersion: version } = looked.subscription;
  const of = { kind: "trigger_subscription", tenant, environment, id, version } as const;
  const reencrypted = reencrypt(parts, encrypted, of);
  if (typeof reencrypted === "string") return reencrypted;
  const request = { id, version, ...reencrypted };
  await ask(call, connection.reencryptSubscription, { key, request, step: `:${id}` });
  return "rotated";
}

function reencrypt(
  parts: Parts,
  encrypted: string,
  of: EncryptedFor,
): Rotated | { encrypted: string; keyId: string } {
  const keyRing = parts.keyRing!;
  if (encrypted === "" || keyIdOf(keyRing, encrypted) === keyRing.activeId) return "unchanged";
  const plain = decrypt<unknown>(keyRing, encrypted, of);
  if (plain === undefined) return "unreadable";
  return { encrypted: encrypt(keyRing, plain, of), keyId: keyRing.activeId };
}
