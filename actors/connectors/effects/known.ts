import { handleOf } from "#base";
import type { EffectRun } from "#runtime";
import { askAs, type Method } from "../../kit/ask.ts";
import { decrypt, secretOf } from "../../kit/secrets.ts";
import type { AuthFile, Provider } from "../catalogue/types.ts";
import type { Connection, Credentials } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import type { OAuthClient } from "./oauth.ts";
import type { Credential } from "./request.ts";

/** A question of an effect to its connection, or to the entity with this key. */
export function inside<Request, Response>(
  { call }: Parts,
  { address, id, signal }: EffectRun,
  method: Method<Request, Response>,
  request: NoInfer<Request>,
  key = address.key,
): Promise<Response> {
  const as = { tenant: address.tenant, subject: "connectors", key: id, signal };
  return askAs(call, method, { key, request }, as);
}

/** As this connection uses it. */
export function configOf(parts: Parts, run: EffectRun, record: Connection): Promise<ProviderConfig> {
  return inside(parts, run, snapshot, { connection_id: record.id }, handleOf(record.providerConfigId));
}

/** What an effect knows of its connection. */
export interface Known {
  readonly parts: Parts;
  readonly run: EffectRun;
  readonly record: Connection;
  readonly config: ProviderConfig;
  readonly provider: Provider;
  /** Absent: the provider has no such auth any more. */
  readonly auth: AuthFile | undefined;
}

export async function knownOf(parts: Parts, run: EffectRun, record: Connection): Promise<Known> {
  const config = await configOf(parts, run, record);
  const provider = parts.catalogue().providers.get(record.providerKey);
  if (provider === undefined) throw new Error(`the catalogue has no provider ${record.providerKey}`);
  return { parts, run, record, config, provider, auth: provider.file.auth[record.auth] };
}

/** Credentials of auth `none` are nothing, and nothing is encrypted for them. */
export function openCredentials(
  parts: Parts,
  record: Connection,
  { encrypted, version }: Credentials = record.credentials,
): Credential | undefined {
  if (encrypted === "") return {};
  return decrypt<Credential>(parts, encrypted, secretOf("connection", record, version));
}

/** Nothing where the client secret cannot be decrypted. */
export function clientOf({ parts, config, auth }: Known): OAuthClient | undefined {
  const { clientSecret: encrypted, credentialVersion, clientId } = config;
  const of = secretOf("provider_config", config, credentialVersion);
  const clientSecret = encrypted === "" ? "" : decrypt<string>(parts, encrypted, of);
  if (clientSecret === undefined || auth === undefined) return undefined;
  return { auth, config: config.config, clientId, clientSecret };
}
