import { type Fields, httpOf, isUpload, type Method } from "#protos/surface";
import { misunderstood } from "../error.ts";
import type { Outgoing } from "./http.ts";

/** A request as it is sent. */
export function outgoing(method: Method, request: Fields): Outgoing {
  const { body, ...sent } = http(method, request);
  const waitMs = waitOf(method, request);
  if (isUpload(method)) return { ...sent, waitMs, body: Buffer.from(String(request.data ?? ""), "base64") };
  return { ...sent, waitMs, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

export function dryRun(method: Method, request: Fields): string {
  const { verb, path, body } = http(method, request);
  return `${verb} ${path}\n${body === undefined ? "" : `${JSON.stringify(body, undefined, 2)}\n`}`;
}

function http(method: Method, request: Fields) {
  try {
    return httpOf(method, request);
  } catch (error) {
    throw misunderstood((error as Error).message);
  }
}

function waitOf({ wait }: Method, request: Fields): number {
  return wait?.ms ?? Number(request[wait?.field ?? ""] ?? 0) * (wait?.unitMs ?? 0);
}
