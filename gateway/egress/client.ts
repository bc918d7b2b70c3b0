import { Agent, buildConnector, type Dispatcher } from "undici";
import { OutgoingError, type OutgoingRequest, type OutgoingResponse } from "#actors";
import { limits } from "#base";
import { Exchange } from "./exchange.ts";
import type { EgressGuard } from "./guard.ts";

/** HTTP to the outside: every connection through the guard, every answer bounded in bytes and time, redirects checked anew. */
export class OutgoingClient {
  readonly #agent: Agent;
  #last: Target | undefined;

  constructor(guard: EgressGuard, tls: { readonly ca?: string } = {}) {
    const connector = buildConnector({ timeout: limits.outgoingConnectMs, ...tls });
    this.#agent = new Agent({
      connections: limits.outgoingConnectionsMax,
      keepAliveTimeout: limits.outgoingIdleMs,
      headersTimeout: limits.outgoingTimeoutMsMax,
      bodyTimeout: limits.outgoingTimeoutMsMax,
      maxHeaderSize: limits.headersBytesMax,
      connect: (options, callback) => {
        guard.addressOf({ host: options.hostname, port: portOf(options) }).then(
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
    const { signal, maxRedirects, maxBytes = limits.outgoingBodyBytes } = request;
    const timeoutMs = Math.min(request.timeoutMs ?? limits.outgoingTimeoutMs, limits.outgoingTimeoutMsMax);
    const bytesMax = Math.min(maxBytes, limits.outgoingBodyBytesMax);
    let exchange: Exchange | undefined;
    let sent = false;
    let over: OutgoingError | undefined;
    const end = (error: OutgoingError) => {
      over = error;
      exchange?.stop(error);
    };
    const late = () => end(new OutgoingError("timeout", `no whole answer within ${timeoutMs} ms`));
    const gone = () => end(new OutgoingError("aborted", "the caller went away"));
    // One timer and one listener: an AbortSignal for each call, and what undici makes of it, takes several times as long.
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener("abort", gone, { once: true });
    if (signal?.aborted) gone();
    try {
      let { method, url, headers, body } = { headers: {}, body: undefined, ...request };
      for (let hop = 0; ; hop++) {
        if (over !== undefined) throw over;
        exchange = this.#send({ method, url, headers, body }, bytesMax);
        const answer = await exchange.answer;
        sent = true;
        const location = redirectOf(answer);
        if (location === undefined || maxRedirects === undefined) return answer;
        if (hop >= Math.min(maxRedirects, limits.outgoingRedirectsMax))
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
      const here = exchange?.sent === true;
      throw outgoingError(error, here).withSent(sent || here);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", gone);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #send({ method, url, headers, body }: Hop, bytesMax: number): Exchange {
    // Mostly that of the call before.
    if (this.#last?.url !== url) this.#last = targetOf(url);
    const { origin, path } = this.#last;
    const exchange = new Exchange(bytesMax);
    this.#agent.dispatch(
      {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers: { "accept-encoding": "gzip, deflate, br", ...headers },
        body: body ?? null,
      },
      exchange,
    );
    return exchange;
  }
}

/** undici leaves out the port that the protocol has anyway. */
function portOf({ port, protocol }: { readonly port?: string; readonly protocol?: string }): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

interface Hop {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface Target {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
}

function targetOf(url: string): Target {
  const { origin, pathname, search, protocol, username } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw new OutgoingError("denied", `${protocol} is not a protocol for calls`);
  if (username !== "") throw new OutgoingError("denied", "credentials do not belong into a URL");
  return { url, origin, path: pathname + search };
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

const tlsCode = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ERR_SSL)/;

/** Of one request: without a connection, no byte of it has left. */
function outgoingError(error: unknown, sent: boolean): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  const stage = sent ? "receive" : tlsCode.test(code) ? "tls" : "connect";
  return new OutgoingError(stage, message, { cause: error });
}
