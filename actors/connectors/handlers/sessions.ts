import { createHash, randomBytes } from "node:crypto";
import { handleOf, handleOfChild, limits, orThrow, RefusalError } from "#base";
import type { CreateConnectSessionRequest } from "#protos";
import { ask, encryptedAnew, tryAsk } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import { encrypt, secretOf, unconfigured } from "../../kit/secrets.ts";
import type { CallContext, Handlers } from "../../module.ts";
import { awaitSession, createSession, lookAtSession, submitSession } from "../connection/methods.ts";
import { type Connection, type Credentials, noCredentials } from "../connection/record.ts";
import type { Parts } from "../parts.ts";
import { takeExternalId } from "../provider-config/methods.ts";
import { checkJson, failed, providerOf, waitOf, wrong } from "./checks.ts";
import { originOf } from "./provider-configs.ts";
import { tokenOf } from "./route-call.ts";

export function sessionMethods(parts: Parts): Handlers {
  return {
    "ConnectSessionService.CreateConnectSession": (asked, call) => create(parts, asked, call),
    "ConnectSessionService.SubmitConnectSession": ({ connect_session_id: id, fields = {} }, call) =>
      submit(parts, id, fields, call),
  };
}

/** The provider config names the connection, which makes the session; the token is put together here and kept nowhere. */
async function create(parts: Parts, asked: CreateConnectSessionRequest, call: CallContext): Promise<unknown> {
  const { tenant } = call.caller;
  const { external_id = "", connection_id, scopes, return_url = "", ttl_seconds } = asked;
  const config = await ask(call, takeExternalId, {
    key: handleOf(asked.provider_config_id),
    // A reconnect needs no new name.
    request: { external_id: connection_id === undefined ? external_id : "" },
    step: ":connection",
  });
  const { record } = config;
  if (asked.return_url !== undefined && !record.allowedReturnOrigins.includes(originOf(return_url) ?? ""))
    throw wrong("return_url", "must be at one of allowed_return_origins of the provider config");
  const connectionId = connection_id ?? config.connection_id;
  const secret = randomBytes(limits.connectTokenBytes);
  const answer = orThrow(
    await tryAsk(call, createSession, {
      key: handleOf(connectionId),
      request: {
        connection_id: connectionId,
        reconnect: connection_id !== undefined,
        provider_config_id: record.id,
        provider_key: record.providerKey,
        auth: record.auth,
        auth_type: record.authType,
        environment: record.environment,
        external_id,
        name: asked.name ?? asked.external_id ?? record.name,
        scopes: scopes.length > 0 ? scopes : record.scopes,
        return_url,
        ttl_ms: ttl_seconds === undefined ? limits.connectSessionMs : ttl_seconds * 1_000,
        token_hash: hashOf(secret),
      },
      step: ":session",
    }),
  );
  const session = answer.response;
  if (answer.replayed) return session;
  const token = tokenOf(tenant, session.id, secret);
  const { publicUrl } = parts;
  return { ...session, token, ...(publicUrl !== "" && { connect_url: `${publicUrl}/connect/${token}` }) };
}

export function hashOf(secret: Uint8Array): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export async function submit(parts: Parts, id: string, fields: Message, call: CallContext): Promise<Message> {
  const key = handleOfChild(id);
  await encryptedAnew(async () => {
    const { record, session } = await ask(call, lookAtSession, { key, request: { id } });
    const { file, validateFields } = providerOf(parts, record);
    const auth = file.auth[record.auth];
    if (auth === undefined || auth.type === "oauth2_code")
      throw failed("BROWSER_NEEDED", "this session is for a browser: send it to connect_url");
    checkJson("fields", fields, {
      bytesMax: limits.credentialBytesMax,
      validate: validateFields[record.auth],
    });
    const isClient = auth.type === "oauth2_client";
    if (isClient && parts.keyRing === undefined) throw new RefusalError(unconfigured);
    const credentials = isClient ? undefined : encryptFields(parts, record, fields, session.scopes);
    const effect = credentials === undefined || file.verify !== undefined;
    return tryAsk(call, submitSession, {
      key,
      request: { id, ...(credentials && { credentials }), effect },
      step: "",
    });
  });
  return ask(call, awaitSession, { key, request: { id, waitMs: waitOf(call) } });
}

/** Where there is nothing to keep, nothing is encrypted and no key is needed. */
function encryptFields(
  parts: Parts,
  record: Connection,
  fields: Message,
  scopes: readonly string[],
): Credentials {
  const version = record.credentials.version + 1;
  const base = { ...noCredentials, version, scopes, issuedAt: parts.clock.now() };
  if (record.authType === "none") return base;
  return { ...base, ...encrypt(parts, fields, secretOf("connection", record, version)) };
}
