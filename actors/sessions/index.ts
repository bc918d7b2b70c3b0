/**
 * Owns the sign-ins of people. Entity (console_session, system, id) is one, whatever tenant it is of, because a cookie is met before
 * its tenant is known; (console_sessions, tenant, hash of the principal) lists the open ones of a principal.
 *
 * 1. What is stored opens no credential: its key is made of the secret in the cookie, of which only a hash is stored.
 * 2. A session that has ended stays ended, and every thread is told of it by the commit that ends it.
 * 3. One thread at a time refreshes a token, and a credential is replaced only by one that was made of it.
 * 4. Before a sign-in has succeeded, nothing is written for it.
 * 5. A principal has at most `consoleSessionsMax` open ones: the oldest end.
 *
 * Publishes console_session.*. Lost: a token that the issuer has rotated when its thread dies before it is stored; its person
 * signs in again.
 */
import { defineActor } from "#runtime";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide, wake } from "./decide.ts";
import { sessionRoutes } from "./handlers/routes.ts";
import { sessionListActor } from "./list/service.ts";
import { partsOf } from "./parts.ts";
import { openSession } from "./record.ts";
import { methods } from "./service.ts";
import { apply, empty, resident, restore } from "./state.ts";

export { type SessionCookie, sessionCookieIn } from "./handlers/cookie.ts";
export {
  asAuthentication,
  askSession,
  encryptCredential,
  openByCookie,
  type SessionCredential,
} from "./handlers/open.ts";
export { isOwnPage, type Visit } from "./handlers/place.ts";
export {
  awaitRefresh,
  type ConsoleSession,
  endSession,
  leaseRefresh,
  refreshed,
  refreshFailed,
  sessionEndedTopic,
} from "./record.ts";

export function sessions(given: ModuleParts): Module {
  return {
    name: "sessions",
    actors: [
      defineActor({
        kind: openSession.kind,
        placement: "key",
        empty,
        resident,
        restore,
        decide,
        apply,
        wake,
        methods,
        onMessage: (message: Command): Command => message,
        onTimer: (): Command => ({ type: "timer" }),
      }),
      sessionListActor,
    ],
    routes: sessionRoutes(partsOf(given)),
  };
}
