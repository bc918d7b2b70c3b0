import { type Fields, isUpload, type Method, patchOf } from "#protos/surface";
import { outgoing, type Method as SdkMethod } from "#sdk/calls";
import { misunderstood } from "../error.ts";

/** A method of the surface as the client library has it. */
export function callOf(method: Method): SdkMethod {
  const { id, rest, repeat, page, raw, media_type, envelope, sse, wait } = method;
  const words = [page && "list", raw && "raw", media_type && "text", envelope === "none" && "bare"];
  return {
    name: id,
    verb: rest!.verb,
    path: rest!.path,
    repeat: repeat === "no_effect" ? "read" : (repeat ?? "none"),
    words: new Set(words.filter((word) => typeof word === "string")),
    last: sse?.last,
    members: sse?.data === undefined ? undefined : { data: sse.data, id: sse.id ?? "" },
    wait: wait && { field: wait.field ?? "", ms: wait.unitMs ?? wait.ms ?? 0 },
  };
}

/** The request as the client library takes it. */
export function askedOf(method: Method, request: Fields): Fields {
  assertAddress(method, request);
  if (!isUpload(method)) return patchOf(method, request);
  return { ...request, data: new Uint8Array(Buffer.from(String(request.data ?? ""), "base64")) };
}

export function assertAddress({ rest }: Method, request: Fields): void {
  for (const [, field] of rest!.path.matchAll(/\{(\w+)\}/g))
    if (/^\.{0,2}$/.test(String(request[field!] ?? "")))
      throw misunderstood(`${field} is missing, "." or "..", and is part of the address`);
}

/** What would be sent; bytes are not shown. */
export function dryRun(method: Method, request: Fields): string {
  const { verb, path, body } = outgoing(callOf(method), askedOf(method, request));
  return `${verb} ${path}\n${typeof body === "string" ? `${JSON.stringify(JSON.parse(body), undefined, 2)}\n` : ""}`;
}
