import { createHash } from "node:crypto";
import { invalid, isRefusal, limits, type Refusal } from "#base";
import type { Decision } from "#runtime";

export interface PageRequest {
  readonly page_size?: number;
  readonly page_token?: string;
  readonly offset?: number;
}

/** What makes a list what it is, and how its values follow each other. */
export interface List<Value> {
  /** Tenant, name, filter, order: whatever must be the same on the next page. */
  readonly scope: readonly unknown[];
  /** The types of a position's parts. */
  readonly shape: PositionShape;
  readonly positionOf: (value: Value) => Position;
}

/** What a list is ordered by, of one of its values. */
export type Position = readonly (string | number)[];
export type PositionShape = readonly ("string" | "number")[];

/** Which values a page takes: those after `after`, without the first `skip`. */
export interface Bounds {
  readonly after?: Position;
  readonly skip: number;
  readonly size: number;
  /** How many values to read: one more than are skipped and shown says whether there is a next page. */
  readonly limit: number;
}

export interface Found<Value> {
  /** The first ones after the bounds' position, in order: as many as `limit`, or all there are. */
  readonly values: readonly Value[];
  /** Of all pages, where it is known exactly. */
  readonly total?: number;
  /** The search stopped here before it had `limit` values: there may be more behind it. */
  readonly end?: Position;
}

export interface Page<Shown> {
  readonly values: readonly Shown[];
  readonly next_page_token: string;
  readonly total?: number;
}

/** One page of a list: `read` has its values after a position, `show` puts them into the words of the contract. */
export function pageOf<Value, Shown>(
  request: PageRequest,
  list: List<Value> & { readonly read: (bounds: Bounds) => Found<Value> },
  show: (value: Value) => Shown,
): Page<Shown> | Refusal {
  const bounds = boundsOf(request, list);
  return isRefusal(bounds) ? bounds : pageFrom(list, bounds, list.read(bounds), show);
}

/** The answer of a list: its values under the name that the contract has for them. */
export function listed(many: string, page: Page<unknown> | Refusal): Decision<never> {
  if (isRefusal(page)) return page;
  const { values, ...rest } = page;
  return { events: [], answer: { [many]: values, ...rest } };
}

/** Sizes out of range are brought into it. */
export function boundsOf(
  { page_size = 0, page_token, offset = 0 }: PageRequest,
  { scope, shape }: Pick<List<never>, "scope" | "shape">,
): Bounds | Refusal {
  const size = page_size <= 0 ? limits.pageSizeDefault : Math.min(page_size, limits.pageSizeMax);
  if (offset > limits.pageOffsetMax)
    return invalid({ field: "offset", reason: `may be at most ${limits.pageOffsetMax}; use page_token` });
  if (!page_token) {
    const skip = Math.max(0, offset);
    return { skip, size, limit: skip + size + 1 };
  }
  if (offset > 0) return invalid({ field: "page_token", reason: "cannot be combined with offset" });
  const opened = openCursor(scope, page_token, [...shape, "number"]);
  if (isRefusal(opened)) return opened;
  const skip = opened.at(-1) as number;
  if (skip > limits.pageOffsetMax) return badCursor("page_token");
  return { after: opened.slice(0, -1), skip, size, limit: skip + size + 1 };
}

/** The page that `found` makes: cut where it would outgrow what callers can receive, with at least one value. */
export function pageFrom<Value, Shown>(
  { scope, positionOf }: Pick<List<Value>, "scope" | "positionOf">,
  { skip, size }: Bounds,
  { values, total, end }: Found<Value>,
  show: (value: Value) => Shown,
): Page<Shown> {
  const shown = cutToBytes(values.slice(skip, skip + size).map(show));
  const last = skip + shown.length;
  const next = () => {
    if (values.length > last) return cursorOf(scope, [...positionOf(values[last - 1]!), 0]);
    return end === undefined ? "" : cursorOf(scope, [...end, Math.max(0, skip - values.length)]);
  };
  return { values: shown, next_page_token: next(), ...(total !== undefined && { total }) };
}

/** One entity's part of a list over several: as many of its first `most` values as fit into an answer. */
export interface Part<Shown> {
  readonly values: readonly Shown[];
  /** The entity has more of them. */
  readonly more: boolean;
  readonly total: number;
}

export function partOf<Shown>(shown: readonly Shown[], most: number, total: number): Part<Shown> {
  const values = cutToBytes(shown);
  return { values, more: values.length < shown.length || values.length === most, total };
}

/** Values of a list that is in memory, in the order of their positions. */
export function after<Value>(
  values: readonly Value[],
  { after: position, limit }: Bounds,
  isAfter: (value: Value, position: Position) => boolean,
): Found<Value> {
  const rest = position === undefined ? values : values.filter((value) => isAfter(value, position));
  return { values: rest.slice(0, limit), total: values.length };
}

/**
 * A cursor is a position, and a digest of it with the list's scope: one of another list, or one that was cut or edited by mistake,
 * is refused. It is not signed, because a position opens nothing: a caller that makes one up reads the same list from there on, which
 * that caller may read anyway (ADR 0218).
 */
export function cursorOf(scope: readonly unknown[], position: Position): string {
  const body = Buffer.from(JSON.stringify(position));
  return Buffer.concat([digestOf(scope, body), body]).toString("base64url");
}

/** `"numbers"`: any number of them. */
export function openCursor(
  scope: readonly unknown[],
  cursor: string,
  shape: PositionShape | "numbers",
  field = "page_token",
): Position | Refusal {
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(digestBytes);
  const position = bytes.subarray(0, digestBytes).equals(digestOf(scope, body)) ? parsed(body) : undefined;
  return isPosition(position, shape) ? position : badCursor(field);
}

export function badCursor(field: string): Refusal {
  return invalid({ field, reason: "is not a cursor of this list" });
}

/** As many of `items` as fit in a page of bytes, at least one: an answer never outgrows what callers can receive. */
export function cutToBytes<T>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  for (let i = 0; i < items.length; i++) {
    bytes += pageBytesOf(items[i]);
    if (bytes > limits.pageBytesMax && i > 0) return items.slice(0, i);
  }
  return items;
}

/** What one of its entries takes of a page, with its comma. */
export function pageBytesOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item)) + 1;
}

const digestBytes = 8;

function digestOf(scope: readonly unknown[], body: Uint8Array): Buffer {
  const digest = createHash("sha256").update(JSON.stringify(scope)).update("\0").update(body);
  return digest.digest().subarray(0, digestBytes);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function isPosition(value: unknown, shape: PositionShape | "numbers"): value is Position {
  if (!Array.isArray(value)) return false;
  if (shape === "numbers") return value.every(isCount);
  return (
    value.length === shape.length &&
    shape.every((type, index) => (type === "number" ? isCount(value[index]) : typeof value[index] === type))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
