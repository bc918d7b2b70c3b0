import { RefusalError } from "#base";
import type { EffectHandler, EffectHandlers, EffectRun } from "#runtime";
import { TemplateError } from "../../cel/template.ts";
import { decrypt, encrypt, secretOf } from "../../kit/secrets.ts";
import type { CheckResult, Gone, RevokeResult } from "../connection/decide.ts";
import type { CallResult } from "../connection/execution-results.ts";
import type { Attempted } from "../connection/executions.ts";
import { attempt, look, lookAtSession, resolve } from "../connection/methods.ts";
import type { Connection, Credentials, Session } from "../connection/record.ts";
import type { RefreshResult } from "../connection/refresh.ts";
import type { ConnectResult } from "../connection/sessions.ts";
import { callKind } from "../connection/state.ts";
import type { Parts } from "../parts.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { type DeliverBody, deliver } from "./deliver.ts";
import { clientOf, configOf, inside, type Known, knownOf, openCredentials } from "./known.ts";
import {
  clientTokens,
  exchangeCode,
  type OAuthClient,
  refreshTokens,
  revokeToken,
  type TokenOutcome,
  type Tokens,
} from "./oauth.ts";
import { perform, performRead } from "./perform.ts";
import { type PollBody, poll } from "./poll.ts";
import { type Credential, prepare, withCredential } from "./request.ts";

/** Longer than a refresh that is waited for and the call itself. */
const leaseMs = 120_000;

/** What connections ask to be done outside, by kind; calls have one kind for each number of calls at a time. */
export function connectorEffects(parts: Parts): EffectHandlers {
  const handlers: Record<string, EffectHandler> = {
    connector_connect: { run: (run: EffectRun<ConnectBody>) => unlessGone(connect(parts, run)), leaseMs },
    connector_refresh: { run: (run) => unlessGone(refresh(parts, run)), leaseMs },
    connector_check: { run: (run) => unlessGone(check(parts, run)), leaseMs },
    connector_revoke: { run: (run) => unlessGone(revoke(parts, run)), leaseMs },
    connector_poll: { run: (run: EffectRun<PollBody>) => poll(parts, run), leaseMs },
    connector_deliver: { run: (run: EffectRun<DeliverBody>) => deliver(parts, run), leaseMs },
  };
  for (let concurrency = 1; concurrency <= concurrencyMax; concurrency++)
    handlers[callKind(concurrency)] = {
      run: (run: EffectRun<CallBody>) => call(parts, run),
      leaseMs,
      laneMax: concurrency,
    };
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

interface CallBody {
  readonly execution: string;
}

async function call(parts: Parts, run: EffectRun<CallBody>): Promise<CallResult> {
  const { execution: key } = run.body;
  if (run.begun) return { type: "unknown", message: "the service stopped while the request was under way" };
  let given: Attempted;
  let config: ProviderConfig;
  try {
    given = await inside(parts, run, attempt, { id: key });
    config = await configOf(parts, run, given.record);
  } catch (error) {
    return notStarted(error);
  }
  const { record, mutation, action_key } = given;
  if (config.status !== "active")
    return stopped("PROVIDER_CONFIG_INACTIVE", `the provider config is ${config.status}`);
  const action = parts.catalogue().actions.get(action_key);
  if (action?.runtimeStatus !== "executable")
    return stopped("ACTION_NOT_EXECUTABLE", `${action_key} is not executable any more`);
  const credential = openCredentials(parts, record);
  const { version: credentialVersion } = record.credentials;
  if (credential === undefined) return { type: "unreadable", credentialVersion };
  const auth = action.provider.file.auth[record.auth];
  if (auth === undefined)
    return stopped("ACTION_NOT_EXECUTABLE", `the provider has no auth ${record.auth} any more`);
  const values = { input: given.input, config: config.config, now: parts.clock.now() };
  const about = { action, mutation, values, credential, credentialVersion, key, signal: run.signal };
  try {
    const plain = prepare(action, values);
    const prepared =
      plain.mail === undefined ? withCredential(plain, auth, { ...values, credential, key }) : plain;
    if (mutation === "non_idempotent") await run.begin();
    return await perform(parts.outgoing, prepared, about);
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
  if (!(error instanceof RefusalError)) throw error;
  const { code, reason, detail, retryAfterMs } = error.refusal;
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (reason === "TOKEN_EXPIRED")
    return { type: "failed", code: "TOKEN_UNAVAILABLE", message: detail, again: "unsent", ...later };
  if (code === "UNAVAILABLE" || code === "TIMEOUT" || code === "RATE_LIMITED" || code === "INTERNAL")
    throw error;
  return stopped(reason ?? code, detail);
}

interface ConnectBody {
  readonly session: string;
  readonly credentials?: Credentials;
  readonly encryptedCode?: string;
  readonly encryptedVerifier?: string;
  readonly redirectUri?: string;
  readonly scopes?: readonly string[];
}

/** Credentials of a session: got where a code has to be exchanged, then tried. */
async function connect(parts: Parts, run: EffectRun<ConnectBody>): Promise<ConnectResult> {
  const { body } = run;
  const { record, session } = await inside(parts, run, lookAtSession, { id: body.session });
  const known = await knownOf(parts, run, record);
  if (known.auth === undefined) return failure("the provider has no such auth any more");
  let { credentials } = body;
  let credential: Credential | undefined;
  if (credentials !== undefined) credential = openCredentials(parts, record, credentials);
  else {
    const client = clientOf(known);
    if (client === undefined) return failure("the client secret cannot be decrypted");
    const got = await firstTokens(known, client, session, body);
    if (typeof got === "string") return failure(got);
    credential = got.credential;
    credentials = encryptTokens(parts, record, got);
  }
  if (credential === undefined) return failure("the credentials cannot be decrypted");
  const error = await verify(known, credential, credentials.version);
  if (error !== undefined) return failure(error.text);
  return { type: "connected", credentials, ...lifetimeOf(known, credential) };
}

function failure(error: string): ConnectResult {
  return { type: "failed", error };
}

/** The tokens, or why there are none. */
async function firstTokens(
  { parts, run, record }: Known,
  client: OAuthClient,
  session: Session,
  { encryptedCode = "", encryptedVerifier = "", redirectUri = "", scopes = [] }: ConnectBody,
): Promise<Tokens | string> {
  if (client.auth.type === "oauth2_client")
    return tokensOf(await clientTokens(parts.outgoing, client, session.scopes));
  if (run.begun) return "the answer of the provider was lost: connect again";
  const of = secretOf("connect_session", { ...record, id: session.id });
  const code = decrypt<string>(parts, encryptedCode, of);
  const verifier = decrypt<string>(parts, encryptedVerifier, of);
  if (code === undefined || verifier === undefined) return "what the browser brought cannot be decrypted";
  await run.begin();
  return tokensOf(await exchangeCode(parts.outgoing, client, { code, verifier, redirectUri, scopes }));
}

function tokensOf(outcome: TokenOutcome): Tokens | string {
  switch (outcome.type) {
    case "tokens":
      return outcome.tokens;
    case "refused":
      return `the provider refused: ${outcome.error}`;
    case "unavailable":
    case "unknown":
      return `the provider could not be asked: ${outcome.message}`;
  }
}

function encryptTokens(
  parts: Parts,
  record: Connection,
  { credential, expiresInMs, scopes }: Tokens,
): Credentials {
  const of = secretOf("connection", record, record.credentials.version + 1);
  const issuedAt = parts.clock.now();
  return {
    ...encrypt(parts, credential, of),
    scopes,
    refreshable: credential.refresh_token !== undefined || record.authType === "oauth2_client",
    issuedAt,
    ...(expiresInMs !== undefined && { expiresAt: issuedAt + expiresInMs }),
  };
}

/** How long the refresh token lives, where the catalogue says so. */
function lifetimeOf({ auth }: Known, credential: Credential): { readonly lifetimeMs?: number } {
  const seconds = auth?.refresh_lifetime_seconds;
  return seconds === undefined || credential.refresh_token === undefined
    ? {}
    : { lifetimeMs: seconds * 1_000 };
}

async function refresh(parts: Parts, run: EffectRun): Promise<RefreshResult> {
  const record = await inside(parts, run, look, {});
  const known = await knownOf(parts, run, record);
  const client = clientOf(known);
  const credential = openCredentials(parts, record);
  if (client === undefined || credential === undefined) return { type: "unreadable" };
  const { scopes } = record.credentials;
  const isClient = record.authType === "oauth2_client";
  if (run.begun && !isClient) return { type: "unknown" };
  if (!isClient) await run.begin();
  const outcome = isClient
    ? await clientTokens(parts.outgoing, client, scopes)
    : await refreshTokens(parts.outgoing, client, String(credential.refresh_token), scopes);
  switch (outcome.type) {
    case "tokens": {
      // A provider that sends no new refresh token means the old one.
      const tokens = { ...outcome.tokens, credential: { ...credential, ...outcome.tokens.credential } };
      const credentials = encryptTokens(parts, record, tokens);
      return { type: "refreshed", credentials, ...lifetimeOf(known, tokens.credential) };
    }
    case "refused":
      return outcome.error === "invalid_grant" || client.auth.rejected?.includes(outcome.error)
        ? { type: "rejected", reason: "INVALID_GRANT" }
        : { type: "failed" };
    case "unavailable":
      return { type: "failed" };
    case "unknown":
      return { type: isClient ? "failed" : "unknown" };
  }
}

async function check(parts: Parts, run: EffectRun): Promise<CheckResult> {
  let record: Connection;
  try {
    record = await inside(parts, run, resolve, {});
  } catch (error) {
    const known = error instanceof RefusalError;
    return { type: "failed", error: known ? error.refusal.detail : "it could not be asked" };
  }
  const known = await knownOf(parts, run, record);
  const { version } = record.credentials;
  const rejected = { type: "rejected", credentialVersion: version } as const;
  const credential = openCredentials(parts, record);
  if (credential === undefined) return { ...rejected, reason: "KEY_MISSING" };
  const error = await verify(known, credential, version);
  if (error === undefined) return { type: "works" };
  return error.unauthorized ? { ...rejected, reason: "UNAUTHORIZED" } : { type: "failed", error: error.text };
}

/** Why the provider does not take these credentials; `undefined`: it does, or there is no way to ask. */
async function verify(
  { parts, run, config, provider, auth }: Known,
  credential: Credential,
  credentialVersion: number,
): Promise<{ readonly text: string; readonly unauthorized: boolean } | undefined> {
  const action = parts.catalogue().actions.get(`${provider.key}.${provider.file.verify}`);
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
  const client = clientOf(await knownOf(parts, run, record));
  const credential = openCredentials(parts, record);
  if (client === undefined || credential === undefined) return { revoked: true };
  const token = credential.refresh_token ?? credential.access_token;
  return { revoked: await revokeToken(parts.outgoing, client, String(token)) };
}
