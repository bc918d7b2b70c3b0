import { request as httpRequest, type IncomingMessage } from "node:http";
import type { ContractMethod } from "../../../gateway/contract/index.ts";
import type { Outcome, StreamOptions } from "./clients.ts";
import { requestOf, toldBy } from "./rest-client.ts";

/** One event as it is on the wire. */
export interface SentEvent {
  readonly event: string;
  readonly id?: string;
  readonly data?: string;
}

/** A client of server-sent events that records status, headers, events and comments. */
export class EventReader {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly response: IncomingMessage;
  /** Lines that start with a colon. */
  comments = 0;
  retryMs: number | undefined;

  constructor(response: IncomingMessage) {
    this.response = response;
    this.status = response.statusCode ?? 0;
    this.headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    response.setEncoding("utf8");
  }

  /** Runs until the server ends the stream or the reader leaves. */
  async *events(): AsyncGenerator<SentEvent> {
    let text = "";
    for await (const chunk of this.response) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = this.#parse(text.slice(0, end));
        text = text.slice(end + 2);
        if (event !== undefined) yield event;
      }
    }
  }

  async text(): Promise<string> {
    let text = "";
    for await (const chunk of this.response) text += chunk;
    return text;
  }

  close(): void {
    this.response.destroy();
  }

  #parse(block: string): SentEvent | undefined {
    const fields: Record<string, string> = {};
    for (const line of block.split("\n")) {
      const [name, ...rest] = line.split(":");
      if (name === "") this.comments++;
      else fields[name!] = rest.join(":").replace(/^ /, "");
    }
    if (fields.retry !== undefined) this.retryMs = Number(fields.retry);
    const { event = "message", id, data } = fields;
    if (id === undefined && data === undefined) return undefined;
    return { event, ...(id !== undefined && { id }), ...(data !== undefined && { data }) };
  }
}

export function openEvents(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }, (response) =>
      resolve(new EventReader(response)),
    );
    request.on("error", reject);
    request.end();
  });
}

/** A stream by REST, with its answers in their RPC form. */
export async function callEvents(
  port: number,
  method: ContractMethod,
  message: unknown,
  { headers = {}, take = Number.POSITIVE_INFINITY }: StreamOptions = {},
): Promise<Outcome> {
  const { path } = requestOf(method, message as Record<string, unknown>);
  const reader = await openEvents(port, path, { accept: "text/event-stream", ...headers });
  if (reader.status >= 400)
    return { ok: false, error: toldBy(JSON.parse(await reader.text())), headers: reader.headers };
  const answers: unknown[] = [];
  for await (const event of reader.events()) {
    if (event.event === "error")
      return { ok: false, error: toldBy(JSON.parse(event.data!)), headers: reader.headers };
    answers.push(answerOf(method, event));
    if (answers.length >= take) break;
  }
  reader.close();
  return { ok: true, message: answers, headers: reader.headers };
}

function answerOf({ sse }: ContractMethod, { event, id, data }: SentEvent): unknown {
  const parsed = data === undefined ? undefined : JSON.parse(data);
  if (sse!.oneof !== undefined) return { [event]: parsed ?? {} };
  // One without data only moves the cursor on.
  return { [sse!.id!]: id, ...(parsed !== undefined && { [sse!.data!]: parsed }) };
}
