import { createHash, randomBytes } from "node:crypto";
import { handleOf, handleOfChild, isRefusal, limits, RefusalError } from "#base";
import { ask, taking, tryAsk } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Provider } from "../catalogue/types.ts";
import { awaitSession, createSession, lookAtSession, submitSession } from "../connection/methods.ts";
import { type Connection, type Credentials, noCredentials } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { takeExternalId } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { encrypt, keyIdOf, unconfigured } from "../secrets.ts";
import { checkJson, failed, waitOf, wrong } from "./checks.ts";
import { encryptAgainMax, originOf } from "./provider-configs.ts";
import { tokenOf } from "./route-call.ts";

interface CreateRequest {
  readonly provider_config_id: string;
  readonly connection_id?: string;
  readonly external_id?: string;
  readonly scopes?: readonly string[];
  readonly return_url?: string;
  readonly ttl_seconds?: number;
  readonly name?: string;
}

interface SubmitRequest {
  readonly connect_session_id: string;
  readonly fields?: Message;
}

export function sessionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectSessionService.CreateConnectSession": taking<CreateRequest>((asked, call) =>
      create(parts, asked, call),
    ),
    "ConnectSessionService.SubmitConnectSession": taking<SubmitRequest>(
      ({ connect_session_id: id, fields = {} }, call) => submit(parts, id, fields, call),
    ),
  };
}

/** The provider config names the connection, which makes the session; the token is put together here and kept nowhere. */
async function create(parts: Parts, asked: CreateRequest, call: CallContext): Promise<unknown> {
  const { tenant } = call.caller;
  const config = await ask(call, takeExternalId, {
    key: handleOf(asked.provider_config_id),
    // A reconnect needs no new name.
    request: { external_id: asked.connection_id === undefined ? (asked.external_id ?? "") : "" },
    step: ":connection",
  });
  const { record } = config;
  checkReturn(record, asked.return_url);
  const connectionId = asked.connection_id ?? config.connection_id;
  const secret = randomBytes(limits.connectTokenBytes);
  const answer = await tryAsk(call, createSession, {
    key: handleOf(connectionId),
    request: {
      connection_id: connectionId,
      reconnect: asked.connection_id !== undefined,
      provider_config_id: record.id,
      provider_key: record.providerKey,
      auth: record.auth,
      auth_type: record.authType,
      environment: record.environment,
      external_id: asked.external_id ?? "",
      name: asked.name ?? asked.external_id ?? record.name,
      scopes: asked.scopes?.length ? asked.scopes : record.scopes,
      return_url: asked.return_url ?? "",
      ttl_ms: asked.ttl_seconds === undefined ? limits.connectSessionMs : asked.ttl_seconds * 1_000,
      token_hash: hashOf(secret),
    },
    step: ":session",
  });
  if (isRefusal(answer)) throw new RefusalError(answer);
  const session = answer.response;
  if (answer.replayed) return session;
  const token = tokenOf(tenant, session.id, secret);
  return {
    ...session,
    token,
    ...(parts.publicUrl !== "" && { connect_url: `${parts.publicUrl}/connect/${token}` }),
  };
}

function checkReturn({ allowedReturnOrigins }: ProviderConfig, url: string | undefined): void {
  if (url === undefined) return;
  const origin = originOf(url);
  if (origin === undefined || !allowedReturnOrigins.includes(origin))
    throw wrong("return_url", "must be at one of allowed_return_origins of the provider config");
}

export function hashOf(secret: Uint8Array): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export async function submit(parts: Parts, id: string, fields: Message, call: CallContext): Promise<Message> {
  const key = handleOfChild(id);
  for (let attempt = 0; ; attempt++) {
    const { record, session } = await ask(call, lookAtSession, { key, request: { id } });
    const provider = providerOf(parts, record);
    const auth = provider.file.auth[record.auth];
    if (auth === undefined || auth.type === "oauth2_code")
      throw failed("BROWSER_NEEDED", "this session is for a browser: send it to connect_url");
    const validate = provider.validateFields[record.auth];
    checkJson("fields", fields, { bytesMax: limits.credentialBytesMax, validate });
    const credentials =
      auth.type === "oauth2_client" ? undefined : encryptFields(parts, record, fields, session.scopes);
    if (auth.type === "oauth2_client" && parts.keyRing === undefined) throw new RefusalError(unconfigured);
    const effect = credentials === undefined || provider.file.verify !== undefined;
    const request = { id, ...(credentials && { credentials }), effect };
    const answer = await tryAsk(call, submitSession, { key, request, step: "" });
    if (!isRefusal(answer)) break;
    if (answer.reason !== "CREDENTIAL_VERSION" || attempt > encryptAgainMax) throw new RefusalError(answer);
  }
  return ask(call, awaitSession, { key, request: { id, waitMs: waitOf(call) } });
}

export function providerOf(parts: Parts, { providerKey }: Pick<Connection, "providerKey">): Provider {
  const provider = parts.catalogue().providers.get(providerKey);
  if (provider !== undefined) return provider;
  throw failed("PROVIDER_UNKNOWN", `the catalogue has no provider ${providerKey} any more`);
}

/** Where there is nothing to keep, nothing is encrypted and no key is needed. */
function encryptFields(
  parts: Parts,
  record: Connection,
  fields: Message,
  scopes: readonly string[],
): Credentials {
  const { tenant, environment, id, credentials } = record;
  const version = credentials.version + 1;
  const base = { ...noCredentials, version, scopes, issuedAt: parts.clock.now() };
  if (record.authType === "none") return base;
  const { keyRing } = parts;
  if (keyRing === undefined) throw new RefusalError(unconfigured);
  const encrypted = encrypt(keyRing, fields, { kind: "connection", tenant, environment, id, version });
  return { ...base, encrypted, keyId: keyIdOf(keyRing, encrypted) };
}
