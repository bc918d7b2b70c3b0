import { isRefusal, limits, RefusalError, systemTenantId } from "#base";
import type { Asker } from "#runtime";
import { type Asking, type Method, tryAsk } from "../../kit/ask.ts";
import { type ConsoleSession, openSession, sessionAddress } from "../record.ts";
import { decryptFor, encryptFor } from "./cipher.ts";
import { isSecretOf, type SessionCookie } from "./cookie.ts";

/** What a session stands for. */
export type SessionCredential =
  | { readonly kind: "api_key"; readonly key: string }
  | { readonly kind: "oidc"; readonly accessToken: string; readonly refreshToken?: string };

/** A session and its credential; `undefined`: the cookie opens none. */
export async function openByCookie(
  asking: Asking,
  cookie: SessionCookie,
): Promise<{ readonly session: ConsoleSession; readonly credential: SessionCredential } | undefined> {
  const session = await askSession(asking, openSession, cookie.id, {});
  if (session === undefined || !isSecretOf(cookie.secret, session.secretHash)) return undefined;
  const credential = decryptFor<SessionCredential>(useOf(cookie.id), cookie.secret, session.credential);
  return credential && { session, credential };
}

export function encryptCredential({ id, secret }: SessionCookie, credential: SessionCredential): string {
  return encryptFor(useOf(id), secret, credential);
}

function useOf(id: string): string {
  return `console_session ${id}`;
}

/** `undefined`: it is not there, or has ended. */
export async function askSession<Request, Response>(
  asking: Asking,
  method: Method<Request, Response>,
  id: string,
  request: Request,
): Promise<Response | undefined> {
  const { tenant, key } = sessionAddress(id);
  const answer = await tryAsk(asking, method, { tenant, key, request: request as never });
  if (!isRefusal(answer)) return answer.response;
  if (answer.code === "NOT_FOUND") return undefined;
  throw new RefusalError(answer);
}

/** Sessions are met before their tenant is known: they are asked for by the service itself. */
export function asAuthentication(asker: Asker, nowMs: number, requestId: string): Asking {
  return {
    asker,
    deadlineMs: nowMs + limits.requestTimeoutMs,
    caller: {
      tenant: systemTenantId,
      principalKind: "module",
      subject: "authentication",
      owner: "authentication",
      requestId,
      environmentMode: "any",
      platform: true,
    },
  };
}
