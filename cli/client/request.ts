import { misunderstood } from "../error.ts";
import type { Outgoing } from "./http.ts";
import type { Method } from "./surface.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A request as HTTP: variables of the path, then the body or the query. */
export function outgoing(method: Method, request: Fields, data?: Uint8Array): Outgoing {
  const { verb, path: template, body } = method.rest!;
  const rest: Record<string, unknown> = { ...request };
  const path = template.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest[field];
    if (value === undefined || value === "")
      throw misunderstood(`${field} is missing: it is part of the address`);
    delete rest[field];
    return encodeURIComponent(String(value));
  });
  const sent = { verb, waitMs: waitOf(method, rest) };
  if (data !== undefined)
    return { ...sent, path, body: data, headers: { "content-type": "application/octet-stream" } };
  if (body === undefined) return { ...sent, path: path + queryOf(rest) };
  const text = JSON.stringify(verb === "PATCH" ? patchOf(rest) : rest);
  return { ...sent, path, body: text, headers: { "content-type": "application/json" } };
}

/** REST merges a patch: a field that the mask names and the request does not have goes back to its default. */
function patchOf({ update_mask: mask, ...fields }: Record<string, unknown>): Fields {
  const patch: Record<string, unknown> = fields;
  for (const name of Array.isArray(mask) ? mask : []) patch[String(name).split(".", 1)[0]!] ??= null;
  return patch;
}

function waitOf({ wait }: Method, request: Fields): number {
  return wait?.ms ?? Number(request[wait?.field ?? ""] ?? 0) * (wait?.unitMs ?? 0);
}

function queryOf(fields: Fields): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) add(name, one);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else if (value !== undefined && value !== null) query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(fields)) add(name, value);
  return query.size === 0 ? "" : `?${query}`;
}
