import { randomBytes } from "node:crypto";
import { limits, RefusalError, refusalError } from "#base";
import { text } from "../../kit/plain-route.ts";
import { tenantSecretOf } from "../../kit/tenants.ts";
import type { OidcAttempt, OidcSignIn, RouteContext, RouteRequest, RouteResponse } from "../../module.ts";
import type { Parts } from "../parts.ts";
import { decryptFor, encryptFor } from "./cipher.ts";
import { noSignInCookie, sessionCookieOf, signInCookieIn, signInCookieOf } from "./cookie.ts";
import { asAuthentication } from "./open.ts";
import { begin, counted, safePlaceOf, visitOf } from "./sign-in.ts";

/** What the browser keeps between the way to the issuer and the way back: strangers write nothing here. */
interface Attempt extends OidcAttempt {
  readonly returnTo: string;
  readonly untilMs: number;
}

const use = "console sign-in";

/** GET /auth/login: to the issuer. */
export async function login(
  parts: Parts,
  request: RouteRequest,
  context: RouteContext,
): Promise<RouteResponse> {
  const oidc = issuerOf(context);
  const place = safePlaceOf(visitOf(parts, request));
  const drawn = () => randomBytes(32).toString("base64url");
  const attempt: Attempt = {
    state: drawn(),
    nonce: drawn(),
    verifier: drawn(),
    redirectUri: `${place.base}/auth/callback`,
    returnTo: returnPathOf(new URLSearchParams(request.query).get("return_to") ?? ""),
    untilMs: parts.clock.now() + limits.signInMs,
  };
  const cookie = encryptFor(use, await secretOf(parts, request, context), attempt);
  return redirect(await oidc.addressOf(attempt), [signInCookieOf(cookie, place)]);
}

/** GET /auth/callback: back from the issuer, with a code. */
export function callback(parts: Parts, request: RouteRequest, context: RouteContext): Promise<RouteResponse> {
  return counted(parts, "oidc", request, context, async (noted) => {
    const oidc = issuerOf(context);
    const visit = visitOf(parts, request);
    const place = safePlaceOf(visit);
    const secret = await secretOf(parts, request, context);
    const attempt = decryptFor<Attempt>(use, secret, signInCookieIn(visit) ?? "");
    if (attempt === undefined || attempt.untilMs <= parts.clock.now()) throw noAttempt();
    const tokens = await oidc.exchange(attempt, new URLSearchParams(request.query));
    const who = await context.signIn.identify("oidc", tokens.accessToken, request);
    const begun = await begin(parts, { kind: "oidc", ...tokens }, who, request, context);
    noted(who, begun.session.id);
    return redirect(place.base + attempt.returnTo, [
      sessionCookieOf(begun.cookie, place, parts.ttlMs / 1_000),
      noSignInCookie(place),
    ]);
  });
}

/** A browser is told what was refused on a page, and by which id the log knows it. */
export async function shown(
  { requestId }: RouteRequest,
  page: () => Promise<RouteResponse>,
): Promise<RouteResponse> {
  try {
    return await page();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    const { code, detail } = error.refusal;
    return text(
      statuses[code as keyof typeof statuses] ?? 400,
      `Not signed in: ${detail}\nref: ${requestId}\n`,
    );
  }
}

const statuses = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  FAILED_PRECONDITION: 412,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
} as const;

function issuerOf({ signIn }: RouteContext): OidcSignIn {
  if (signIn.oidc !== undefined) return signIn.oidc;
  throw refusalError("NOT_FOUND", "no sign-in by an issuer is set up here: console.oidc_client_id is empty");
}

async function secretOf(
  { clock }: Parts,
  { requestId }: RouteRequest,
  { asker }: RouteContext,
): Promise<Buffer> {
  return Buffer.from(await tenantSecretOf(asAuthentication(asker, clock.now(), requestId)));
}

/** Only a page of the console; anything else is left out, so that no sign-in leads to another site. */
export function returnPathOf(asked: string): string {
  const isOurs =
    asked.length <= limits.signInPathLengthMax &&
    /^\/workspaces(?:[/?#]|$)/.test(asked) &&
    !/[^\x21-\x7e]|\\/.test(asked) &&
    new URL(asked, "http://x").pathname.startsWith("/workspaces");
  return isOurs ? asked : "/workspaces";
}

function noAttempt(): RefusalError {
  return refusalError(
    "UNAUTHENTICATED",
    "this browser has not begun to sign in, or took longer than 10 minutes: begin again at /auth/login",
    { reason: "NO_SIGN_IN" },
  );
}

function redirect(location: string, cookies: readonly string[]): RouteResponse {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return { status: 303, headers: { ...headers, "set-cookie": cookies }, body: "" };
}
