import { randomUUID } from "node:crypto";
import { type Fields, isUpload, type Method } from "#protos/surface";
import { answerOf, bytesOf, open, type Problem, RefusedError, type Server } from "./http.ts";
import { outgoing } from "./request.ts";

/** What a method has answered. */
export type Answered = { readonly data: unknown; readonly more: boolean } | { readonly bytes: Uint8Array };

interface How {
  readonly server: Server;
  readonly headers?: Readonly<Record<string, string>>;
  /** All pages of a list. */
  readonly all?: boolean;
}

export async function perform(
  method: Method,
  request: Fields,
  { server: given, headers = {}, all = false }: How,
): Promise<Answered> {
  const key = method.repeat === "key" ? { "idempotency-key": randomUUID() } : {};
  const server = { ...given, headers: { ...key, ...given.headers, ...headers } };
  const isDownload = method.raw && !isUpload(method);
  if (isDownload || method.media_type !== undefined)
    return { bytes: await bytesOf(await open(server, outgoing(method, request))) };
  if (method.page !== undefined) return pagesOf(method, request, server, all);
  const answer = await answerOf(server, outgoing(method, request));
  return { data: method.envelope === "none" ? answer : answer.data, more: false };
}

async function pagesOf(method: Method, request: Fields, server: Server, all: boolean): Promise<Answered> {
  const data: unknown[] = [];
  let next: Fields = all ? { limit: 1000, ...request } : request;
  for (;;) {
    const page = await answerOf(server, outgoing(method, next));
    data.push(...(page.data as readonly unknown[]));
    const { next_cursor: cursor } = page;
    const more = typeof cursor === "string" && cursor !== "";
    if (!more || !all) return { data, more };
    const { offset: _, ...rest } = next;
    next = { ...rest, cursor };
  }
}

/** Every event as a message of the stream, until the server ends it. */
export async function* eventsOf(method: Method, request: Fields, server: Server): AsyncGenerator<unknown> {
  const sent = outgoing(method, request);
  const headers = { accept: "text/event-stream" };
  // It is open for as long as there may be something to say.
  const response = await open({ ...server, timeoutMs: 0 }, { ...sent, headers });
  response.setEncoding("utf8");
  let text = "";
  try {
    for await (const part of response) {
      text += part;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = eventIn(text.slice(0, end));
        text = text.slice(end + 2);
        if (event.event === "error") throw new RefusedError(0, JSON.parse(event.data!) as Problem);
        if (event.data !== undefined || event.id !== undefined) yield messageOf(method, event);
      }
    }
  } finally {
    response.destroy();
  }
}

function eventIn(block: string): { event?: string; id?: string; data?: string } {
  const fields = block.split("\n").map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")] as const;
  });
  return Object.fromEntries(fields.filter(([name]) => name !== ""));
}

function messageOf(
  { sse }: Method,
  { event, id, data }: { event?: string; id?: string; data?: string },
): unknown {
  const value: unknown = data === undefined ? {} : JSON.parse(data);
  return sse!.oneof === undefined ? { [sse!.id!]: id, [sse!.data!]: value } : { [event!]: value };
}
