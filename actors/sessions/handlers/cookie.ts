import { createHash, timingSafeEqual } from "node:crypto";
import { isUlid, limits } from "#base";
import { isLoopbackVisit, type Place, type Visit } from "./place.ts";

/** `<id>.<secret>`: the id leads to the session, the secret proves that the browser began it and opens its credential. */
export interface SessionCookie {
  readonly id: string;
  readonly secret: Buffer;
}

const sessionName = "sy_session";
const signInName = "sy_login";

export function sessionCookieOf({ id, secret }: SessionCookie, place: Place, seconds: number): string {
  const value = `${id}.${secret.toString("base64url")}`;
  return cookieOf(sessionName, value, place, `SameSite=Strict; Max-Age=${seconds}`);
}

export function noSessionCookie(place: Place): string {
  return cookieOf(sessionName, "", place, "SameSite=Strict; Max-Age=0");
}

/** Lax: the browser comes back from the issuer's page. */
export function signInCookieOf(value: string, place: Place): string {
  return cookieOf(signInName, value, place, `SameSite=Lax; Max-Age=${limits.signInMs / 1_000}`);
}

export function noSignInCookie(place: Place): string {
  return cookieOf(signInName, "", place, "SameSite=Lax; Max-Age=0");
}

function cookieOf(name: string, value: string, { isSecure }: Place, attributes: string): string {
  const secure = isSecure ? "; Secure" : "";
  return `${prefix(isSecure)}${name}=${value}; Path=/; HttpOnly; ${attributes}${secure}`;
}

/** Browsers take such a name only from a secure page of this very host. */
function prefix(isSecure: boolean): string {
  return isSecure ? "__Host-" : "";
}

/** `undefined`: there is none, or it cannot be one. */
export function sessionCookieIn(visit: Visit): SessionCookie | undefined {
  const [id = "", text = "", ...more] = valueIn(visit, sessionName)?.split(".") ?? [];
  const secret = Buffer.from(text, "base64url");
  const isOne = isUlid(id) && more.length === 0 && secret.length === limits.consoleSessionSecretBytes;
  return isOne ? { id, secret } : undefined;
}

export function signInCookieIn(visit: Visit): string | undefined {
  return valueIn(visit, signInName);
}

/** Without the prefix only on this very machine: elsewhere another page could have set it. */
function valueIn(visit: Visit, name: string): string | undefined {
  const cookies = new Map(
    (visit.headers.get("cookie") ?? "").split(/; */).map((one): [string, string] => {
      const at = one.indexOf("=");
      return [one.slice(0, at), one.slice(at + 1)];
    }),
  );
  const bare = isLoopbackVisit(visit) ? cookies.get(name) : undefined;
  return cookies.get(`${prefix(true)}${name}`) ?? bare;
}

/** What is stored of the secret; the key of the credential is made of it in another way. */
export function secretHashOf(secret: Uint8Array): string {
  return createHash("sha256").update("console_session\0").update(secret).digest("base64url");
}

export function isSecretOf(secret: Uint8Array, hash: string): boolean {
  const given = Buffer.from(secretHashOf(secret));
  const kept = Buffer.from(hash);
  return given.length === kept.length && timingSafeEqual(given, kept);
}
