import { refusalError } from "#base";
import { ask } from "../../kit/ask.ts";
import { said } from "../../kit/plain-route.ts";
import type { ModuleRoute, RouteAnswer, RouteContext, RouteRequest, RouteResponse } from "../../module.ts";
import type { Parts } from "../parts.ts";
import { endAllSessions, endSession, sessionListOf } from "../record.ts";
import { noSessionCookie, sessionCookieIn } from "./cookie.ts";
import { callback, login, shown } from "./login.ts";
import { asAuthentication, askSession, openByCookie } from "./open.ts";
import { isOwnPage, placeOf } from "./place.ts";
import { about, jsonHeaders, signInByKey, visitOf } from "./sign-in.ts";

/** How people sign in and out. */
export function sessionRoutes(parts: Parts): readonly ModuleRoute[] {
  return [
    {
      path: "/auth/login",
      methods: {
        GET: {
          operationId: "Auth_login",
          summary: "Sends the browser to the issuer to sign in.",
          about,
          query: ["return_to"],
          answers: { 303: { description: "To the issuer." }, ...pages },
          handle: (request, context) => shown(request, () => login(parts, request, context)),
        },
      },
    },
    {
      path: "/auth/callback",
      methods: {
        GET: {
          operationId: "Auth_callback",
          summary: "Where the issuer sends the browser back to; begins a session.",
          about,
          query: ["code", "state", "iss", "error"],
          answers: { 303: { description: "To the page that asked for the sign-in." }, ...pages },
          handle: (request, context) => shown(request, () => callback(parts, request, context)),
        },
      },
    },
    {
      path: "/auth/session",
      methods: {
        GET: {
          operationId: "Auth_ways",
          summary: "Says how people sign in here.",
          about: "console_session:read",
          answers: {
            200: {
              description: "`open`: callers need not. `ways`: oidc, api_key.",
              type: "application/json",
            },
          },
          handle: (_request, context) => ways(context),
        },
        POST: {
          operationId: "Auth_sign_in",
          summary: "Begins a session of an API key.",
          about,
          body: ["application/json"],
          answers: {
            201: {
              description: "The session has begun; the answer sets its cookie.",
              type: "application/json",
            },
            401: problem("The key is not good."),
            403: problem("A page of another site asks."),
            412: problem("SIGN_IN_NEEDS_HTTPS."),
            429: problem("Too many bad keys came from this address."),
          },
          handle: (request, context) => signInByKey(parts, request, context),
        },
        DELETE: {
          operationId: "Auth_sign_out",
          summary: "Ends the session of the cookie; with `all=true` every session of its principal.",
          about,
          query: ["all"],
          answers: {
            204: { description: "It has ended, or had before." },
            401: problem("The cookie does not count: see docs/security.md."),
          },
          handle: (request, context) => signOut(parts, request, context),
        },
      },
    },
  ];
}

const pages = {
  401: said("Not signed in."),
  404: said("No issuer is set up for people to sign in."),
  412: said("SIGN_IN_NEEDS_HTTPS."),
  503: said("The issuer cannot be reached."),
};

function problem(description: string): RouteAnswer {
  return { description, type: "application/problem+json" };
}

async function ways({ signIn: { isOpen: open, ways } }: RouteContext): Promise<RouteResponse> {
  return { status: 200, headers: jsonHeaders, body: JSON.stringify({ open, ways }) };
}

async function signOut(parts: Parts, request: RouteRequest, context: RouteContext): Promise<RouteResponse> {
  const visit = visitOf(parts, request);
  const cookie = sessionCookieIn(visit);
  const counts = request.header("x-console") === "1" && isOwnPage(visit);
  if (cookie === undefined || !counts) throw noSession();
  const asking = asAuthentication(context.asker, parts.clock.now(), request.requestId);
  const opened = await openByCookie(asking, cookie);
  if (opened !== undefined) {
    const { session } = opened;
    if (new URLSearchParams(request.query).get("all") === "true") {
      const { tenant, key } = sessionListOf(session);
      await ask(asking, endAllSessions, { tenant, key, request: {} });
    }
    await askSession(asking, endSession, cookie.id, { why: "signed_out" });
    const { subject, tenant } = session;
    context.audit(request, {
      act: "ConsoleSession.End",
      about,
      caller: { kind: "user", subject, tenant },
      target: { console_session_id: session.id },
    });
  }
  const place = placeOf(visit);
  const headers = { "cache-control": "no-store", ...(place && { "set-cookie": noSessionCookie(place) }) };
  return { status: 204, headers, body: "" };
}

function noSession() {
  return refusalError(
    "UNAUTHENTICATED",
    "there is no session to end: its cookie counts only with X-Console: 1, from a page of this service",
  );
}
