import type { ClientRequest, IncomingMessage } from "node:http";
import type { Answer, Fetch, FetchInit } from "./fetch.ts";

/** PEM: who signs the server's certificate, and the certificate of the caller. */
export type Tls = Readonly<Partial<Record<"ca" | "cert" | "key", Pem>>>;

/** A file, and what is in it. */
export interface Pem {
  readonly file: string;
  readonly text: string;
}

/**
 * `fetch` by `node:http`. The one of Node takes no authority of one's own, and as long to load as a whole command of the
 * command line.
 */
export function nodeFetch(tls: Tls = {}): Fetch {
  return async (url, init) => {
    const { body } = init;
    const bytes =
      typeof body === "object" && "arrayBuffer" in body ? new Uint8Array(await body.arrayBuffer()) : body;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = requestOf(url, init, tls);
      request.on("response", resolve);
      request.on("error", reject);
      request.end(bytes);
    });
    return answerOver(message);
  };
}

function requestOf(url: string, { method, headers, signal }: FetchInit, tls: Tls): ClientRequest {
  const options = { method, headers, signal };
  const texts = Object.entries(tls).map(([name, { text }]) => [name, text]);
  return url.startsWith("https:")
    ? process.getBuiltinModule("node:https").request(url, { ...options, ...Object.fromEntries(texts) })
    : process.getBuiltinModule("node:http").request(url, options);
}

function answerOver(message: IncomingMessage): Answer {
  const status = message.statusCode ?? 0;
  const bytes = async () => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part);
    return Buffer.concat(parts);
  };
  const text = async () => (await bytes()).toString();
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get(name) {
        const value = message.headers[name];
        return value === undefined ? null : String(value);
      },
    },
    body: { getReader: () => readerOf(message) },
    text,
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => new Uint8Array(await bytes()).buffer,
  };
}

function readerOf(message: IncomingMessage) {
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  return {
    read: async () => {
      const { done = false, value } = await chunks.next();
      return { done, value };
    },
    cancel: async () => void message.destroy(),
  };
}
