import { isUlid, limits, type RefusalError } from "#base";
import type { RouteRequest } from "../../module.ts";
import type { Parts } from "../parts.ts";
import { failed, notFound } from "./checks.ts";

export interface Named {
  readonly tenant: string;
  readonly id: string;
  readonly secret: Buffer;
}

const ulidLength = 26;

/** Tenant and id in the clear: they lead to the entity that knows the hash of the rest. */
export function tokenOf(tenant: string, id: string, secret: Buffer): string {
  return Buffer.concat([Buffer.from(tenant + id), secret]).toString("base64url");
}

/** Of a token or a state. */
export function named(text: string, what = "connect session"): Named {
  const bytes = Buffer.from(text, "base64url");
  const ids = bytes.subarray(0, 2 * ulidLength).toString("latin1");
  const tenant = ids.slice(0, ulidLength);
  const id = ids.slice(ulidLength);
  const isToken = bytes.length === 2 * ulidLength + limits.connectTokenBytes && isUlid(id) && isUlid(tenant);
  if (!isToken) throw notFound(`there is no such ${what}`);
  return { tenant, id, secret: bytes.subarray(2 * ulidLength) };
}

/** Set, or this very machine. */
export function publicUrl({ publicUrl: set }: Parts, request: Pick<RouteRequest, "header">): string {
  if (set !== "") return set;
  const host = request.header("host") ?? "";
  if (/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)) return `http://${host}`;
  throw publicUrlUnset();
}

export function publicUrlUnset(): RefusalError {
  return failed(
    "PUBLIC_URL_UNSET",
    "server.public_url is not set: the provider could not reach this service",
  );
}
