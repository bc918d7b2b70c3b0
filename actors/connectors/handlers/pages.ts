import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { handleOf, handleOfChild, limits, type Refusal, RefusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { anonymousCall } from "../../kit/plain-route.ts";
import type { Message } from "../../kit/record.ts";
import { encrypt, secretOf, unconfigured } from "../../kit/secrets.ts";
import type {
  CallContext,
  ModuleRoute,
  RouteContext,
  RouteMethod,
  RouteRequest,
  RouteResponse,
} from "../../module.ts";
import type { AuthFile } from "../catalogue/types.ts";
import * as connection from "../connection/methods.ts";
import { callbackParameters, type OAuthClient, serverOf } from "../effects/oauth.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { notFound, providerOf, refused } from "./checks.ts";
import { fieldsForm, notice } from "./html.ts";
import { type Named, named, publicUrl, tokenOf } from "./route-call.ts";
import { hashOf, submit } from "./sessions.ts";

/** The pages that a person sees on the way to a connection. Their token is the credential. */
export function connectRoutes(parts: Parts): readonly ModuleRoute[] {
  return [
    {
      path: "/connect/callback",
      methods: {
        GET: {
          operationId: "Connect_callback",
          summary: "Where a provider sends the browser back to.",
          about,
          query: ["code", "state", "iss", "error"],
          answers: pages,
          handle: (request, context) => shown(() => callback(parts, request, context)),
        },
      },
    },
    {
      path: "/connect/{token}",
      methods: {
        GET: {
          operationId: "Connect_page",
          summary: "The page of a connect session.",
          about,
          answers: pages,
          handle: (request, context) => shown(() => start(parts, request, context)),
        },
        POST: {
          operationId: "Connect_submit",
          summary: "Submits the fields that the page asks for.",
          about,
          body: ["application/x-www-form-urlencoded"],
          answers: pages,
          handle: (request, context) => shown(() => submitForm(parts, request, context)),
        },
      },
    },
  ];
}

const about = "connect_session:write";

const pages: RouteMethod["answers"] = {
  200: { description: "A page.", type: "text/html" },
  302: { description: "To the provider, or back to the caller's page." },
  404: { description: "No such session.", type: "text/html" },
  410: { description: "The session is over.", type: "text/html" },
};

/** A refusal becomes a page. */
async function shown(page: () => Promise<RouteResponse>): Promise<RouteResponse> {
  try {
    return await page();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return notice(statusOf(error.refusal), "Not connected", error.refusal.detail);
  }
}

function statusOf({ code, reason }: Refusal): number {
  if (reason === "SESSION_OVER" || code === "STATE_CONFLICT") return 410;
  if (code === "NOT_FOUND") return 404;
  if (code === "UNAVAILABLE" || code === "TIMEOUT" || code === "RATE_LIMITED") return 503;
  return 400;
}

async function lookAt(parts: Parts, { id }: Named, call: CallContext) {
  const key = handleOfChild(id);
  const looked = await ask(call, connection.lookAtSession, { key, request: { id } });
  const { record } = looked;
  const config = await ask(call, snapshot, { key: handleOf(record.providerConfigId), request: {} });
  const provider = providerOf(parts, record);
  const auth = provider.file.auth[record.auth];
  if (auth === undefined) throw notFound("the provider has no such auth any more");
  return { ...looked, key, config, provider, auth };
}

async function byToken(parts: Parts, token: string, context: RouteContext) {
  const name = named(token);
  const call = await anonymousCall(name.tenant, "connect", context);
  const found = await lookAt(parts, name, call);
  const given = Buffer.from(hashOf(name.secret));
  const kept = Buffer.from(found.session.tokenHash);
  if (!timingSafeEqual(given, kept)) throw notFound("there is no such connect session");
  const { status, expiresAt } = found.session;
  if (!["created", "authorizing", "failed"].includes(status) || expiresAt <= context.clock.now())
    throw refused("STATE_CONFLICT", `this connect session is ${status === "created" ? "expired" : status}`);
  return { ...found, ...name, call };
}

type Found = Awaited<ReturnType<typeof byToken>>;

async function start(parts: Parts, request: RouteRequest, context: RouteContext): Promise<RouteResponse> {
  const found = await byToken(parts, request.part, context);
  if (found.auth.type === "oauth2_code") return toProvider(parts, request, found);
  return formOf(found, found.session.error);
}

function formOf({ provider, auth, session, record }: Found, error: string): RouteResponse {
  const returnOrigin = session.returnUrl === "" ? "" : new URL(session.returnUrl).origin;
  const { name } = record;
  return fieldsForm({ provider: provider.file.name, name, fields: auth.fields ?? {}, error, returnOrigin });
}

async function toProvider(parts: Parts, request: RouteRequest, found: Found): Promise<RouteResponse> {
  const { tenant, id, call, key, session, config, auth } = found;
  const base = publicUrl(parts, request);
  const drawn = () => randomBytes(limits.connectTokenBytes);
  const [state, cookie] = [drawn(), drawn()];
  const verifier = drawn().toString("base64url");
  const redirectUri = `${base}/connect/callback`;
  const { encrypted: encryptedVerifier } = encrypt(parts, verifier, sessionSecret(found));
  const hashes = { stateHash: hashOf(state), cookieHash: hashOf(cookie) };
  const authorization = { ...hashes, encryptedVerifier, redirectUri };
  await ask(call, connection.authorize, { key, request: { id, authorization } });
  const server = serverOf(clientOf(auth, config));
  const url = new URL(server.authorization_endpoint!);
  const parameters: Record<string, string> = {
    response_type: "code",
    client_id: config.clientId,
    redirect_uri: redirectUri,
    state: tokenOf(tenant, id, state),
    ...(session.scopes.length > 0 && { scope: session.scopes.join(auth.scope_separator ?? " ") }),
    ...(auth.pkce !== "none" && {
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
    ...auth.params,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const secure = base.startsWith("https:") ? "; Secure" : "";
  const seconds = Math.ceil((session.expiresAt - parts.clock.now()) / 1_000);
  const attributes = `Path=/connect; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  return redirect(url, `${cookieName(id)}=${cookie.toString("base64url")}; ${attributes}`);
}

function redirect(url: URL, cookie?: string): RouteResponse {
  const headers = { location: url.href, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return { status: 302, headers: { ...headers, ...cookieIn(cookie) }, body: "" };
}

function cookieIn(cookie: string | undefined): Readonly<Record<string, string>> {
  return cookie === undefined ? {} : { "set-cookie": cookie };
}

function sessionSecret({ record, session }: Pick<Found, "record" | "session">) {
  return secretOf("connect_session", { ...record, id: session.id });
}

function cookieName(id: string): string {
  return `switchyard_connect_${id}`;
}

function clientOf(auth: AuthFile, { config, clientId }: ProviderConfig): OAuthClient {
  return { auth, config, clientId, clientSecret: "" };
}

async function callback(parts: Parts, request: RouteRequest, context: RouteContext): Promise<RouteResponse> {
  if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
  const parameters = new URLSearchParams(request.query);
  const names = [...parameters.keys()];
  if (new Set(names).size !== names.length) throw refused("INVALID_ARGUMENT", "a parameter came twice");
  const name = named(parameters.get("state") ?? "");
  const call = await anonymousCall(name.tenant, "connect", context);
  const found = await lookAt(parts, name, call);
  const { key, config, auth, session } = found;
  const { id, secret } = name;
  const cookie = cookieOf(request, cookieName(id));
  const error = errorOf(clientOf(auth, config), parameters);
  const code = parameters.get("code") ?? "";
  await ask(call, connection.callback, {
    key,
    request: {
      id,
      state_hash: hashOf(secret),
      cookie_hash: hashOf(Buffer.from(cookie, "base64url")),
      ...(error === undefined
        ? { encrypted_code: encrypt(parts, code, sessionSecret(found)).encrypted }
        : { error }),
    },
  });
  const waiting = { id, waitMs: limits.executionWaitMs };
  const done = await ask(call, connection.awaitSession, { key, request: waiting });
  return ended(session.returnUrl, done, `${cookieName(id)}=; Path=/connect; HttpOnly; Max-Age=0`);
}

/** Why there is no code to exchange. */
function errorOf(client: OAuthClient, parameters: URLSearchParams): string | undefined {
  const error = parameters.get("error");
  if (error !== null) return /^[a-z_]{1,64}$/.test(error) ? error : "the provider refused";
  if (parameters.get("code") === null) return "no code came back";
  try {
    callbackParameters(client, parameters);
    return undefined;
  } catch {
    return "the answer is not from the issuer of this provider";
  }
}

function cookieOf(request: RouteRequest, name: string): string {
  const cookies = (request.header("cookie") ?? "").split(/; */).map((one) => one.split("="));
  return cookies.find(([key]) => key === name)?.[1] ?? "";
}

/** Back to the caller's page, or to one that says so. */
function ended(returnUrl: string, session: Message, cookie?: string): RouteResponse {
  const status = String(session.status);
  if (returnUrl === "") {
    const text = status === "connected" ? "You can close this page." : String(session.error || "Try again.");
    const page = notice(200, status === "connected" ? "Connected" : "Not connected", text);
    return { ...page, headers: { ...page.headers, ...cookieIn(cookie) } };
  }
  const url = new URL(returnUrl);
  url.searchParams.set("connect_session_id", String(session.id));
  url.searchParams.set("status", status);
  return redirect(url, cookie);
}

async function submitForm(
  parts: Parts,
  request: RouteRequest,
  context: RouteContext,
): Promise<RouteResponse> {
  const found = await byToken(parts, request.part, context);
  const form = new URLSearchParams((await request.body()).toString());
  const fields = Object.fromEntries([...form].filter(([, value]) => value !== ""));
  try {
    const done = await submit(parts, found.id, fields, found.call);
    return done.status === "failed"
      ? formOf(found, String(done.error))
      : ended(found.session.returnUrl, done);
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.code === "INVALID_ARGUMENT")
      return formOf(found, error.refusal.detail);
    throw error;
  }
}
