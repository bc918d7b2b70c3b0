import type { Refusal } from "#base";
import type { Cancellation } from "#runtime";
import type { PeerCertificate } from "../calls/call.ts";
import type { BodyOptions } from "./body.ts";
import type { ThreadBounds } from "./bounds.ts";
import type { HeaderTable } from "./headers.ts";
import type { ListenPlace } from "./shared-port.ts";
import type { Upgrade } from "./sockets.ts";

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
  /** The other end of the connection; empty when that is over. */
  readonly remoteAddress: string;
  /** It came over TLS; absent: it did not. */
  readonly isEncrypted?: boolean;
  /** Aborted when the client goes away before the answer is complete. Made when first asked for. */
  readonly signal: AbortSignal;
  /** The same, made for less; absent: the signal does it. */
  readonly cancellation?: Cancellation;
  /** A client that does not read the rest of its answer is not waited for long. */
  hurry(): void;
  /** The whole body; throws a RefusalError when it is too large (413), too slow (408) or cut off (499). */
  body(): Promise<Buffer>;
  /**
   * As `body`, without a promise and without a copy: `received` is called once, and keeps nothing of the bytes. `bytesMax`: where
   * the framing of a protocol makes it longer than others.
   */
  readBody(received: (body: Buffer | Refusal) => void, bytesMax?: number): void;
  /** Nothing of the body is kept. `done` is called once, when it is over or its sender has had a moment to finish it. */
  discard(done: () => void): void;
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
  /** Bytes of a body that comes in pieces, or of the body that an answer to HEAD leaves out; absent: not known. */
  readonly length?: number;
  /** Sent after the body on HTTP/2; HTTP/1.1 has none. */
  readonly trailers?: () => Iterable<readonly [string, string]>;
  /** Of an answer in pieces: a client that reads none of it for so long is cut off. Absent: not while its call lasts. */
  readonly patienceMs?: number;
  /** The connection ends with this answer: its framing cannot be trusted or its body was not read. */
  readonly close?: boolean;
}

/** A document at a path of its own. */
export type Page = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Has a path to itself, whatever the verb. */
export interface PathDoor {
  readonly path: string;
  handle(request: HttpRequest): Promise<HttpResponse>;
}

/** Answers with what it returns or, where that is `undefined`, through the responder. One that throws gets a masked 500. */
export type HttpHandler = (
  request: HttpRequest,
  responder: Responder,
) => HttpResponse | Promise<HttpResponse> | undefined;

/** What has no promise to give: a promise for every step costs a call more than most of the steps do. */
export interface Responder {
  /** Never throws: whatever happens to the answer is the connection's business. */
  send(answer: HttpResponse): void;
  /** A bug of ours, told by a reference only. */
  fail(error: unknown): void;
}

/** Takes a request to upgrade, or answers it; `undefined`: it is none of its paths, and answered like any other. */
export type SocketDoor = (request: HttpRequest) => Upgrade | HttpResponse | undefined;

export interface HttpServerOptions extends BodyOptions, ListenPlace {
  readonly bounds: ThreadBounds;
  /** A connection of HTTP/1.1 without a request is closed after this; uWebSockets.js has ten seconds of its own. */
  readonly idleTimeoutMs?: number;
  readonly handler: HttpHandler;
  /** Asked of a body that is longer than `bodyBytesMax`: how long this one may be. */
  readonly longBody?: (request: HttpRequest) => number | undefined;
  /** Takes requests to upgrade; absent: there are no WebSockets here. */
  readonly sockets?: SocketDoor;
  /** Answers what never reaches the handler: broken framing, too many headers. */
  readonly refuse: (refusal: Refusal, request: HttpRequest | undefined) => HttpResponse;
  /** `ref`: what the caller was told instead of the cause; absent where the connection just ended. */
  readonly onError: (error: unknown, ref?: string) => void;
}

export interface HttpServer {
  readonly port: number;
  /** Stops accepting; answers on open connections end with `Connection: close`. */
  drain(): void;
  /** Requests that have been taken and not yet answered. */
  pending(): number;
  /** Answers that are complete and that their clients have not read yet. */
  unread(): number;
  /** Connections on which a request may still come. */
  connections(): number;
  /** Closes what is left; after it the thread may exit. */
  close(): Promise<void>;
}

export type ListenHttp = (options: HttpServerOptions) => Promise<HttpServer>;
