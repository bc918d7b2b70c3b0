import { isRefusal, RefusalError } from "#base";
import type { EffectHandler, EffectHandlers, EffectRun } from "#runtime";
import { TemplateError } from "../../cel/template.ts";
import type { Provider } from "../catalogue/types.ts";
import type { CheckResult, Gone, RevokeResult } from "../connection/decide.ts";
import type { CallResult } from "../connection/execution-results.ts";
import type { Attempted } from "../connection/executions.ts";
import { attempt, type FoundSession, look, lookAtSession, resolve } from "../connection/methods.ts";
import type { Connection, Credentials } from "../connection/record.ts";
import type { RefreshResult } from "../connection/refresh.ts";
import type { ConnectResult } from "../connection/sessions.ts";
import { callKind } from "../connection/state.ts";
import type { Parts } from "../parts.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { decrypt, encrypt, keyIdOf } from "../secrets.ts";
import { configOf, openCredentials } from "./credentials.ts";
import { deliver } from "./deliver.ts";
import { inside } from "./inside.ts";
import {
  clientTokens,
  exchangeCode,
  type OAuthClient,
  refreshTokens,
  revokeToken,
  type Tokens,
} from "./oauth.ts";
import { perform, performRead } from "./perform.ts";
import { poll } from "./poll.ts";
import { type Credential, prepare, withCredential } from "./request.ts";

/** Longer than a refresh that is waited for and the call itself. */
const leaseMs = 120_000;

/** What connections ask to be done outside, by kind; calls have one kind for each number of calls at a time. */
export function connectorEffects(parts: Parts): EffectHandlers {
  const handlers: Record<string, EffectHandler> = {
    connector_connect: { run: (run) => unlessGone(connect(parts, run)), leaseMs },
    connector_refresh: { run: (run) => unlessGone(refresh(parts, run)), leaseMs },
    connector_check: { run: (run) => unlessGone(check(parts, run)), leaseMs },
    connector_revoke: { run: (run) => unlessGone(revoke(parts, run)), leaseMs },
    connector_poll: { run: (run) => poll(parts, run), leaseMs },
    connector_deliver: { run: (run) => deliver(parts, run), leaseMs },
  };
  for (let concurrency = 1; concurrency <= concurrencyMax; concurrency++)
    handlers[callKind(concurrency)] = { run: (run) => call(parts, run), leaseMs, laneMax: concurrency };
  return handlers;
}

/** Where the connection, the session or the refresh is not there any more, nothing is left to do: it is not run again. */
async function unlessGone<Result>(result: Promise<Result>): Promise<Result | Gone> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "NOT_FOUND") return { type: "gone" };
    throw error;
  }
}

/** As the schema of catalogue files says. */
const concurrencyMax = 128;

/** What an effect knows of its connection. */
interface Known {
  readonly record: Connection;
  readonly config: ProviderConfig;
  readonly provider: Provider;
}

async function call(parts: Parts, run: EffectRun): Promise<CallResult> {
  const { execution } = run.body as { execution: string };
  if (run.begun) return { type: "unknown", message: "the service stopped while the request was under way" };
  let given: Attempted;
  let config: ProviderConfig;
  try {
    given = await inside(parts, run, attempt, { id: execution });
    config = await configOf(parts, run, given.record);
  } catch (error) {
    return notStarted(error);
  }
  if (config.status !== "active")
    return stopped("PROVIDER_CONFIG_INACTIVE", `the provider config is ${config.status}`);
  const action = parts.catalogue().actions.get(given.action_key);
  if (action?.runtimeStatus !== "executable")
    return stopped("ACTION_NOT_EXECUTABLE", `${given.action_key} is not executable any more`);
  const { record } = given;
  const credential = openCredentials(parts, record);
  const { version: credentialVersion } = record.credentials;
  if (credential === undefined) return { type: "unreadable", credentialVersion };
  const values = { input: given.input, config: config.config, now: parts.clock.now() };
  const auth = action.provider.file.auth[record.auth];
  if (auth === undefined)
    return stopped("ACTION_NOT_EXECUTABLE", `the provider has no auth ${record.auth} any more`);
  try {
    const plain = prepare(action, values);
    const prepared =
      plain.mail === undefined
        ? withCredential(plain, auth, { ...values, credential, key: execution })
        : plain;
    if (given.mutation === "non_idempotent") await run.begin();
    return await perform(parts.outgoing, prepared, {
      action,
      mutation: given.mutation,
      values,
      credential,
      credentialVersion,
      key: execution,
      signal: run.signal,
    });
  } catch (error) {
    if (error instanceof TemplateError) return stopped("BAD_REQUEST", error.message);
    if (error instanceof RefusalError && error.refusal.reason === "ENDED")
      return stopped("ENDED", "it has ended");
    throw error;
  }
}

function stopped(code: string, message: string): CallResult {
  return { type: "failed", code, message, again: "no" };
}

/** Nothing has left; where that may change, it is tried again. */
function notStarted(error: unknown): CallResult {
  const { refusal } = error as Partial<RefusalError>;
  if (!isRefusal(refusal)) throw error;
  const { code, reason, detail, retryAfterMs } = refusal;
  if (reason === "TOKEN_EXPIRED")
    return {
      type: "failed",
      code: "TOKEN_UNAVAILABLE",
      message: detail,
      again: "unsent",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  if (code === "UNAVAILABLE" || code === "TIMEOUT" || code === "RATE_LIMITED" || code === "INTERNAL")
    throw error;
  return stopped(reason ?? code, detail);
}

interface ConnectBody {
  readonly session: string;
  readonly attempt: number;
  readonly credentials?: Credentials;
  readonly encryptedCode?: string;
  readonly encryptedVerifier?: string;
  readonly redirectUri?: string;
  readonly scopes?: readonly string[];
}

/** Credentials of a session: got where a code has to be exchanged, then tried. */
async function connect(parts: Parts, run: EffectRun): Promise<ConnectResult> {
  const body = run.body as ConnectBody;
  const looked = await inside(parts, run, lookAtSession, { id: body.session });
  const known = await knownOf(parts, run, looked.record);
  const { record, provider } = known;
  const auth = provider.file.auth[record.auth];
  if (auth === undefined) return { type: "failed", error: "the provider has no such auth any more" };
  let credentials = body.credentials;
  let credential: Credential | undefined;
  if (credentials !== undefined) credential = openCredentials(parts, record, credentials);
  else {
    const client = clientOf(parts, run, known);
    if (client === undefined) return { type: "failed", error: "the client secret cannot be decrypted" };
    const got = await firstTokens(parts, run, client, looked, body);
    if (typeof got === "string") return { type: "failed", error: got };
    credential = got.credential;
    credentials = encryptTokens(parts, record, got);
  }
  if (credential === undefined) return { type: "failed", error: "the credentials cannot be decrypted" };
  const error = await verify(parts, run, known, credential, credentials.version);
  if (error !== undefined) return { type: "failed", error: error.text };
  const lifetimeMs = refreshLifetime(auth.refresh_lifetime_seconds, credential);
  return { type: "connected", credentials, ...(lifetimeMs !== undefined && { lifetimeMs }) };
}

/** The tokens, or why there are none. */
async function firstTokens(
  parts: Parts,
  run: EffectRun,
  client: OAuthClient,
  { session, record }: FoundSession,
  body: ConnectBody,
): Promise<Tokens | string> {
  if (client.auth.type === "oauth2_client") {
    const outcome = await clientTokens(parts.outgoing, client, session.scopes);
    return outcome.type === "tokens" ? outcome.tokens : failureText(outcome);
  }
  if (run.begun) return "the answer of the provider was lost: connect again";
  const { tenant, environment } = record;
  const of = { kind: "connect_session", tenant, environment, id: session.id, version: 0 } as const;
  const code = parts.keyRing && decrypt<string>(parts.keyRing, body.encryptedCode ?? "", of);
  const verifier = parts.keyRing && decrypt<string>(parts.keyRing, body.encryptedVerifier ?? "", of);
  if (code === undefined || verifier === undefined) return "what the browser brought cannot be decrypted";
  await run.begin();
  const { redirectUri = "", scopes = [] } = body;
  const outcome = await exchangeCode(parts.outgoing, client, { code, verifier, redirectUri, scopes });
  return outcome.type === "tokens" ? outcome.tokens : failureText(outcome);
}

function failureText(outcome: {
  readonly type: string;
  readonly error?: string;
  readonly message?: string;
}): string {
  if (outcome.type === "refused") return `the provider refused: ${outcome.error}`;
  return `the provider could not be asked: ${outcome.message}`;
}

function encryptTokens(
  parts: Parts,
  record: Connection,
  { credential, expiresInMs, scopes }: Tokens,
): Credentials {
  const version = record.credentials.version + 1;
  const { tenant, environment, id } = record;
  const keyRing = parts.keyRing!;
  const encrypted = encrypt(keyRing, credential, { kind: "connection", tenant, environment, id, version });
  const issuedAt = parts.clock.now();
  return {
    encrypted,
    version,
    keyId: keyIdOf(keyRing, encrypted),
    scopes,
    refreshable: credential.refresh_token !== undefined || record.authType === "oauth2_client",
    issuedAt,
    ...(expiresInMs !== undefined && { expiresAt: issuedAt + expiresInMs }),
  };
}

function refreshLifetime(seconds: number | undefined, credential: Credential): number | undefined {
  return seconds === undefined || credential.refresh_token === undefined ? undefined : seconds * 1_000;
}

async function refresh(parts: Parts, run: EffectRun): Promise<RefreshResult> {
  const record = await inside(parts, run, look, {});
  const known = await knownOf(parts, run, record);
  const { credentials, authType } = record;
  const auth = known.provider.file.auth[record.auth];
  const client = clientOf(parts, run, known);
  const credential = openCredentials(parts, record);
  if (client === undefined || credential === undefined || auth === undefined) return { type: "unreadable" };
  const isClient = authType === "oauth2_client";
  if (run.begun && !isClient) return { type: "unknown" };
  if (!isClient) await run.begin();
  const outcome = isClient
    ? await clientTokens(parts.outgoing, client, credentials.scopes)
    : await refreshTokens(parts.outgoing, client, String(credential.refresh_token), credentials.scopes);
  switch (outcome.type) {
    case "tokens": {
      // A provider that sends no new refresh token means the old one.
      const tokens = { ...outcome.tokens, credential: { ...credential, ...outcome.tokens.credential } };
      const lifetimeMs = refreshLifetime(auth.refresh_lifetime_seconds, tokens.credential);
      return {
        type: "refreshed",
        credentials: encryptTokens(parts, record, tokens),
        ...(lifetimeMs !== undefined && { lifetimeMs }),
      };
    }
    case "refused":
      return outcome.error === "invalid_grant" || auth.rejected?.includes(outcome.error)
        ? { type: "rejected", reason: "INVALID_GRANT" }
        : { type: "failed" };
    case "unavailable":
      return { type: "failed" };
    case "unknown":
      return isClient ? { type: "failed" } : { type: "unknown" };
  }
}

async function check(parts: Parts, run: EffectRun): Promise<CheckResult> {
  let record: Connection;
  try {
    record = await inside(parts, run, resolve, {});
  } catch (error) {
    return {
      type: "failed",
      error: error instanceof RefusalError ? error.refusal.detail : "it could not be asked",
    };
  }
  const known = await knownOf(parts, run, record);
  const { credentials } = record;
  const rejected = { type: "rejected", credentialVersion: credentials.version } as const;
  const credential = openCredentials(parts, record);
  if (credential === undefined) return { ...rejected, reason: "KEY_MISSING" };
  const error = await verify(parts, run, known, credential, credentials.version);
  if (error === undefined) return { type: "works" };
  return error.unauthorized ? { ...rejected, reason: "UNAUTHORIZED" } : { type: "failed", error: error.text };
}

/** Why the provider does not take these credentials; `undefined`: it does, or there is no way to ask. */
async function verify(
  parts: Parts,
  run: EffectRun,
  { record, config, provider }: Known,
  credential: Credential,
  credentialVersion: number,
): Promise<{ readonly text: string; readonly unauthorized: boolean } | undefined> {
  const action = parts.catalogue().actions.get(`${provider.key}.${provider.file.verify}`);
  const auth = provider.file.auth[record.auth];
  if (action === undefined || auth === undefined) return undefined;
  const values = { input: {}, config: config.config, now: parts.clock.now() };
  try {
    const result = await performRead(parts, run, { action, auth, values, credential, credentialVersion });
    if (result.type === "succeeded") return undefined;
    if (result.type !== "failed") return { text: "the provider gave no answer", unauthorized: false };
    const unauthorized = result.unauthorized !== undefined || result.providerStatus === 403;
    return { text: `${result.code}: ${result.message}`, unauthorized };
  } catch (error) {
    if (error instanceof TemplateError) return { text: error.message, unauthorized: false };
    throw error;
  }
}

async function revoke(parts: Parts, run: EffectRun): Promise<RevokeResult> {
  const record = await inside(parts, run, look, {});
  if (!record.authType.startsWith("oauth2_")) return { revoked: true };
  const known = await knownOf(parts, run, record);
  const client = clientOf(parts, run, known);
  const credential = openCredentials(parts, record);
  if (client === undefined || credential === undefined) return { revoked: true };
  const token = credential.refresh_token ?? credential.access_token;
  return { revoked: await revokeToken(parts.outgoing, client, String(token)) };
}

async function knownOf(parts: Parts, run: EffectRun, record: Connection): Promise<Known> {
  const config = await configOf(parts, run, record);
  const provider = parts.catalogue().providers.get(record.providerKey);
  if (provider === undefined) throw new Error(`the catalogue has no provider ${record.providerKey}`);
  return { record, config, provider };
}

function clientOf(
  { keyRing }: Parts,
  { address: { tenant } }: EffectRun,
  known: Known,
): OAuthClient | undefined {
  const { config, provider, record } = known;
  const { clientSecret: encrypted, credentialVersion: version, environment, id } = config;
  const of = { kind: "provider_config", tenant, environment, id, version } as const;
  const clientSecret = encrypted === "" ? "" : keyRing && decrypt<string>(keyRing, encrypted, of);
  const auth = provider.file.auth[record.auth];
  if (clientSecret === undefined || auth === undefined) return undefined;
  return { auth, config: config.config, clientId: config.clientId, clientSecret };
}
