import type { Fields, Method } from "./method.ts";

/** A request as HTTP has it. */
export interface HttpCall {
  readonly verb: string;
  /** With its query. Nothing in it has a meaning for a shell. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of JSON. */
  readonly body?: Fields;
}

/** Variables of the path, then the body or the query. Throws a TypeError where the address is not complete. */
export function httpOf(method: Method, request: Fields): HttpCall {
  const { verb, path: template, body } = method.rest!;
  const rest: Record<string, unknown> = { ...patchOf(method, request) };
  const path = template.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest[field];
    // A step in an address would lead to another method.
    if (value === undefined || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`${field} is missing, "." or "..", and is part of the address`);
    delete rest[field];
    return encoded(String(value));
  });
  if (isUpload(method)) return { verb, path, headers: { "content-type": "application/octet-stream" } };
  if (body === undefined) return { verb, path: path + queryOf(rest), headers: {} };
  return { verb, path, headers: { "content-type": "application/json" }, body: rest };
}

/** Its request has the bytes as `data`, in base64. */
export function isUpload({ raw, kind }: Method): boolean {
  return raw === true && kind === "client_streaming";
}

export function isDownload({ raw, kind }: Method): boolean {
  return raw === true && kind === "server_streaming";
}

/** REST merges a patch: a field that the mask names and the request does not have goes back to its default. */
export function patchOf({ rest }: Method, request: Fields): Fields {
  if (rest?.verb !== "PATCH") return request;
  const { update_mask: mask, ...patch } = request as Record<string, unknown>;
  for (const name of Array.isArray(mask) ? mask : []) patch[String(name).split(".", 1)[0]!] ??= null;
  return patch;
}

/** Also what a shell would read: `!` in an interactive one. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, percent);
}

const percent = (one: string): string => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;

function queryOf(fields: Fields): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else if (value !== undefined && value !== null) query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(fields)) add(name, value);
  return query.size === 0 ? "" : `?${String(query).replaceAll("*", percent)}`;
}
