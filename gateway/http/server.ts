import type { PeerCertificate } from "../call.ts";
import type { HeaderTable } from "./headers.ts";

/** One request, copied out of whatever server received it, so that it may outlive the callback that brought it. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** As sent: not decoded, without the query. */
  readonly path: string;
  /** As sent: without the question mark; empty where there was none. */
  readonly query: string;
  readonly headers: HeaderTable;
  readonly httpVersion: "1.1" | "2.0";
  readonly peer?: PeerCertificate;
  /** Aborted when the client goes away before the answer is complete. Made when first asked for. */
  readonly signal: AbortSignal;
  /** The whole body; throws a RefusalError when it is too large (413), too slow (408) or cut off (499). */
  body(): Promise<Buffer>;
  /**
   * The body as it comes, with backpressure; not bounded as a whole, because a stream of messages is not. `patient`:
   * nor is the time between two pieces.
   */
  chunks(patient?: boolean): AsyncIterable<Uint8Array>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Sent after the body on HTTP/2; HTTP/1.1 has none. */
  readonly trailers?: () => Iterable<readonly [string, string]>;
  /** The connection ends with this answer: its framing cannot be trusted or its body was not read. */
  readonly close?: boolean;
}

/** One that throws is answered with a masked 500. */
export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly bodyBytesMax: number;
  /** A collected body must be complete within this, a streamed one must bring something within this. */
  readonly bodyTimeoutMs: number;
  readonly handler: HttpHandler;
  /** Answers what never reaches the handler: broken framing, too many headers. */
  readonly refuse: (refusal: import("#base").Refusal, request: HttpRequest | undefined) => HttpResponse;
  /** `ref`: what the caller was told instead of the cause; absent where the connection just ended. */
  readonly onError: (error: unknown, ref?: string) => void;
}

export interface HttpServer {
  readonly port: number;
  /** Stops accepting; answers on open connections end with `Connection: close`. */
  drain(): void;
  /** Requests that have been taken and not yet answered. */
  pending(): number;
  /** Connections on which a request may still come. */
  connections(): number;
  /** Closes what is left; after it the thread may exit. */
  close(): Promise<void>;
}

export type ListenHttp = (options: HttpServerOptions) => Promise<HttpServer>;
