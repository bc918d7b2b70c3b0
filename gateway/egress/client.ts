import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { OutgoingError, type OutgoingRequest, type OutgoingResponse } from "#actors";
import { limits } from "#base";
import type { EgressGuard } from "./guard.ts";

/** HTTP to the outside: every connection through the guard, every answer bounded in bytes and time, redirects checked anew. */
export class OutgoingClient {
  readonly #agent: Agent;

  constructor(guard: EgressGuard, tls: { readonly ca?: string } = {}) {
    const connector = buildConnector({ timeout: limits.outgoingConnectMs, ...tls });
    this.#agent = new Agent({
      connections: limits.outgoingConnectionsMax,
      keepAliveTimeout: limits.outgoingIdleMs,
      headersTimeout: limits.outgoingTimeoutMsMax,
      bodyTimeout: limits.outgoingTimeoutMsMax,
      maxHeaderSize: limits.headersBytesMax,
      connect: (options, callback) => {
        guard.addressOf(options.hostname).then(
          (address) => {
            const servername =
              options.servername ?? options.host?.replace(/:[0-9]+$/, "") ?? options.hostname;
            connector({ ...options, hostname: address, servername }, callback);
          },
          (error: Error) => callback(error, null),
        );
      },
    });
  }

  async request(request: OutgoingRequest): Promise<OutgoingResponse> {
    const timeoutMs = Math.min(request.timeoutMs ?? limits.outgoingTimeoutMs, limits.outgoingTimeoutMsMax);
    // One signal for the deadline and for the caller: `AbortSignal.any` and `timeout` take several times as long.
    const end = new AbortController();
    const leave = () => end.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      leave();
    }, timeoutMs);
    if (request.signal?.aborted) leave();
    else request.signal?.addEventListener("abort", leave, { once: true });
    let progress: Progress = { sent: false };
    try {
      let { method, url, headers, body } = { headers: {}, body: undefined, ...request };
      for (let hop = 0; ; hop++) {
        progress = { sent: progress.sent };
        const answer = await this.#once({ method, url, headers, body }, end.signal, progress, request);
        const location = redirectOf(answer);
        if (location === undefined || request.maxRedirects === undefined) return answer;
        if (hop >= Math.min(request.maxRedirects, limits.outgoingRedirectsMax))
          throw new OutgoingError("redirect", `more than ${hop} redirects`);
        const next = new URL(location, url);
        if (url.startsWith("https:") && next.protocol !== "https:")
          throw new OutgoingError("redirect", "a redirect from https to another protocol is not followed");
        if (next.origin !== new URL(url).origin) headers = withoutCredentials(headers, request.secretHeaders);
        if (answer.status === 303 || (answer.status < 303 && method === "POST")) {
          method = "GET";
          body = undefined;
        }
        url = next.href;
      }
    } catch (error) {
      throw outgoingError(error, { sent: progress.sent, isLate, caller: request.signal, timeoutMs });
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", leave);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #once(
    { method, url, headers, body }: Hop,
    signal: AbortSignal,
    progress: Progress,
    { maxBytes = limits.outgoingBodyBytes }: OutgoingRequest,
  ): Promise<OutgoingResponse> {
    const { origin, pathname, search, protocol, username } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:")
      throw new OutgoingError("denied", `${protocol} is not a protocol for calls`);
    if (username !== "") throw new OutgoingError("denied", "credentials do not belong into a URL");
    const answer = await this.#agent.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { "accept-encoding": "gzip, deflate, br", ...headers },
      body: body ?? null,
      signal,
      onInfo: () => {
        progress.sent = true;
      },
    });
    progress.sent = true;
    const limit = Math.min(maxBytes, limits.outgoingBodyBytesMax);
    const plain = decoded(answer.body, headerOf(answer.headers["content-encoding"]));
    return { status: answer.statusCode, headers: flat(answer.headers), body: await bounded(plain, limit) };
  }
}

interface Hop {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface Progress {
  /** Bytes of the request may have reached the other side. */
  sent: boolean;
}

function redirectOf({ status, headers }: OutgoingResponse): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? headers.location : undefined;
}

function withoutCredentials(
  headers: Readonly<Record<string, string>>,
  secret: readonly string[] = [],
): Record<string, string> {
  const names = new Set(["authorization", "cookie", "x-api-key", ...secret]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
}

function decoded(body: Readable, encoding: string | undefined): Readable {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case "identity":
      return body;
    case "gzip":
    case "x-gzip":
      return body.pipe(createGunzip()).on("close", () => void body.destroy());
    case "deflate":
      return body.pipe(createInflate()).on("close", () => void body.destroy());
    case "br":
      return body.pipe(createBrotliDecompress()).on("close", () => void body.destroy());
    default:
      body.destroy();
      throw new OutgoingError("receive", `an answer in ${encoding} cannot be read`);
  }
}

/** All of it, or an error as soon as it is more than it may be: inflated bytes count. */
async function bounded(body: Readable, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > bytesMax) {
      body.destroy();
      throw new OutgoingError("too_large", `the answer has more than ${bytesMax} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function outgoingError(
  error: unknown,
  about: { sent: boolean; isLate: boolean; caller: AbortSignal | undefined; timeoutMs: number },
): OutgoingError {
  const { sent, isLate, caller, timeoutMs } = about;
  if (caller?.aborted) return new OutgoingError("aborted", "the caller went away", { cause: error, sent });
  if (isLate)
    return new OutgoingError("timeout", `no whole answer within ${timeoutMs} ms`, {
      cause: error,
      sent: true,
    });
  if (error instanceof OutgoingError) return error.withSent(sent);
  const { code = "", message } = error as { code?: string; message: string };
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return new OutgoingError("connect", message, { cause: error, sent });
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ERR_SSL)/.test(code))
    return new OutgoingError("tls", message, { cause: error, sent });
  // The connection was there: bytes of the request may have left.
  return new OutgoingError("receive", message, { cause: error, sent: true });
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, headerOf(value)!]],
    ),
  );
}
