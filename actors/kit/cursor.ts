import { createHmac, timingSafeEqual } from "node:crypto";
import { limits, type Refusal, refuse } from "#base";
import type { PageRequest } from "./list.ts";

export { cutToBytes, type PageRequest, pageBytesOf } from "./list.ts";

/**
 * A cursor is a position sealed with the secret of the entity that listed it, bound to everything that makes the list
 * what it is (tenant, filter, order): another list's cursor, or an edited one, is refused.
 */
export function sealCursor(
  secret: string,
  scope: CursorScope,
  position: readonly (string | number)[],
): string {
  const body = Buffer.from(JSON.stringify(position));
  return Buffer.concat([macOf(secret, scope, body), body]).toString("base64url");
}

export function openCursor(
  secret: string,
  scope: CursorScope,
  cursor: string,
  field = "page_token",
): readonly (string | number)[] | Refusal {
  // A list whose secret is still to be drawn has given no cursor away.
  if (secret === "") return badToken("is not a cursor of this list", field);
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(macBytes);
  if (bytes.length <= macBytes || !timingSafeEqual(bytes.subarray(0, macBytes), macOf(secret, scope, body)))
    return badToken("is not a cursor of this list", field);
  return JSON.parse(body.toString()) as (string | number)[];
}

/** Tenant, the list's name, its filter, its order: whatever must be the same on the next page. */
export type CursorScope = readonly unknown[];

export interface PageBounds {
  readonly size: number;
  readonly offset: number;
  /** Absent: from the start. */
  readonly after?: readonly (string | number)[];
}

/** Where a page starts and how long it may be; sizes out of range are brought into it. */
export function pageBounds(request: PageRequest, secret: string, scope: CursorScope): PageBounds | Refusal {
  const asked = request.page_size ?? 0;
  const size = asked <= 0 ? limits.pageSizeDefault : Math.min(asked, limits.pageSizeMax);
  const offset = Math.max(0, request.offset ?? 0);
  if (offset > limits.pageOffsetMax)
    return refuse("INVALID_ARGUMENT", `offset may be at most ${limits.pageOffsetMax}; use page_token`, {
      fields: [{ field: "offset", reason: `may be at most ${limits.pageOffsetMax}` }],
    });
  if (!request.page_token) return { size, offset };
  if (offset > 0) return badToken("cannot be combined with offset");
  const after = openCursor(secret, scope, request.page_token);
  return Array.isArray(after) ? { size, offset: 0, after } : (after as Refusal);
}

const macBytes = 16;

function macOf(secret: string, scope: CursorScope, body: Uint8Array): Buffer {
  const mac = createHmac("sha256", secret).update(JSON.stringify(scope)).update("\0").update(body);
  return mac.digest().subarray(0, macBytes);
}

function badToken(reason: string, field = "page_token"): Refusal {
  return refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
}
