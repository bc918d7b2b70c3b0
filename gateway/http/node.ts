import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import {
  constants,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { limits, type Refusal, refuse } from "#base";
import type { PeerCertificate } from "../calls/call.ts";
import { cutOff, RequestBody } from "./body.ts";
import type { ConnectionCount } from "./bounds.ts";
import { ClientConnection, ClientConnections, type ClientRequest } from "./client-connection.ts";
import { isBodiless, leave, nothing, ServerExchange, type ServerState } from "./exchange.ts";
import type { HeaderTable } from "./headers.ts";
import { serveSockets } from "./node-sockets.ts";
import type { HttpRequest, HttpResponse, HttpServer, HttpServerOptions } from "./server.ts";
import { listenOn } from "./shared-port.ts";

/** The portable server, for platforms without a uWebSockets.js binary; behaves alike, byte for byte where it counts. */
export async function listenNode(options: HttpServerOptions): Promise<HttpServer> {
  const state: ServerState = { draining: false, pending: 0, unread: 0 };
  const listener = nodeListener(options, state);
  const server = createServer(http1Bounds(options), listener);
  const endSockets = serveNodeSockets(server, options, state, listener);
  answerClientErrors(server, options);
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.on("close", () => connections--);
    admit(socket, options.bounds.connections);
  });
  const port = await listenOn(server, options);
  return {
    port,
    drain: () => {
      if (state.draining) return;
      state.draining = true;
      server.close();
    },
    pending: () => state.pending,
    unread: () => state.unread,
    connections: () => connections,
    close: async () => {
      state.draining = true;
      server.close();
      endSockets();
      server.closeAllConnections();
    },
  };
}

/** What a connection of HTTP/1.1 may send, and how long it may be silent. */
export function http1Bounds({ idleTimeoutMs = limits.keepAliveTimeoutMs }: HttpServerOptions) {
  return {
    // Ours is smaller and answers with a problem document, as it does where there is no Host; this one is what the parser may hold.
    maxHeaderSize: 2 * limits.headersBytesMax,
    requireHostHeader: false,
    insecureHTTPParser: false,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: 1_000,
  };
}

/** WebSockets, where the options have a door for them. Returns what ends them. */
export function serveNodeSockets(
  server: Server | Http2SecureServer,
  options: HttpServerOptions,
  state: ServerState,
  listener: ReturnType<typeof nodeListener>,
): () => void {
  if (options.sockets === undefined) return () => undefined;
  return serveSockets(server, { options, state, listener, requestOf });

  /** Its headers and address; no answer leaves by it. */
  function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): HttpRequest {
    const connection = new ClientConnection(options.bounds, 1);
    const apart: ServerState = { draining: false, pending: 0, unread: 0 };
    return new NodeExchange(incoming, outgoing, options, apart, connection);
  }
}

/** What Node's parser cannot read is answered like everything else that is refused. */
export function answerClientErrors(server: Server | Http2SecureServer, options: HttpServerOptions): void {
  // Headers beyond a number would not be seen; we refuse them instead. With TLS it is no property of the server's type.
  Object.assign(server, { maxHeadersCount: 0 });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refusal =
      clientErrors[error.code ?? ""] ?? refuse("INVALID_ARGUMENT", "this is not a request of HTTP/1.1");
    if (!socket.writable || error.code === "ECONNRESET" || answering.has(socket)) {
      (socket as Socket).destroySoon();
      return;
    }
    const { status, headers, body } = options.refuse(refusal, undefined);
    const lines = [...headers, ["content-length", Buffer.byteLength(String(body))], ["connection", "close"]];
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  });
}

/** Connections with an answer under way: another would land in the middle of it. */
const answering = new WeakSet<object>();

const clientErrors: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: refuse(
    "HEADERS_TOO_LARGE",
    `at most ${limits.headersBytesMax} bytes of headers are taken`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: refuse("REQUEST_TIMEOUT", "the headers did not arrive in time"),
};

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

/** Counts a connection, and closes it where there are as many as may be. */
export function admit(socket: Socket, connections: ConnectionCount): boolean {
  const isAdmitted = connections.open();
  socket.once("close", () => connections.close());
  if (!isAdmitted) socket.destroy();
  return isAdmitted;
}

/** The same for any server of Node's, HTTP/2 included. */
export function nodeListener(options: HttpServerOptions, state: ServerState) {
  const connections = new ClientConnections(options.bounds);
  return (incoming: Incoming, outgoing: Outgoing): void => {
    const isHttp2 = "stream" in incoming;
    const key = isHttp2 ? incoming.stream.session : incoming.socket;
    // The connection has ended before its request was told to us.
    if (key === undefined) return;
    // Pipelined requests are answered one after the other anyway.
    const connection = connections.of(key, isHttp2 ? limits.http2StreamsMax : 1);
    const exchange = new NodeExchange(incoming, outgoing, options, state, connection);
    // A stream that is opened and reset at once begins no work: the reset is read before the next immediate.
    if (isHttp2) setImmediate(() => exchange.queue());
    else exchange.queue();
    if (!isHttp2 && connection.waiting > limits.pipelinedMax) incoming.socket.destroy();
  };
}

class NodeExchange extends ServerExchange implements ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly httpVersion: "1.1" | "2.0";
  declare readonly peer?: PeerCertificate;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #connection: ClientConnection;
  #isQueued = false;

  constructor(
    incoming: Incoming,
    outgoing: Outgoing,
    options: HttpServerOptions,
    server: ServerState,
    connection: ClientConnection,
  ) {
    super(options, server);
    this.#connection = connection;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.httpVersion = "stream" in incoming ? "2.0" : "1.1";
    if (this.httpVersion === "1.1" && incoming.httpVersionMajor !== 1)
      this.headers.spoil(refuse("INVALID_ARGUMENT", `HTTP/${incoming.httpVersion} is not spoken here`));
    this.method = incoming.method ?? "GET";
    const target = originForm(incoming);
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
    addHeaders(this.headers, incoming);
    const peer = peerOf(incoming);
    if (peer !== undefined) this.peer = peer;
    outgoing.on("close", () => this.#closed());
    // The response itself is finished only when the client has ended its side too. Trailers go out in this very event.
    if ("stream" in outgoing)
      outgoing.stream.on("wantTrailers", () => setImmediate(() => this.#refuseRest()));
  }

  /** Perhaps later than it came: the client may be gone. */
  queue(): void {
    if (this.over) return;
    this.#isQueued = true;
    this.#connection.begin(this);
  }

  begin(): void {
    this.accept();
  }

  protected override finish(): void {
    if (this.over) return;
    super.finish();
    if (this.#isQueued) this.#connection.ended(this);
  }

  get remoteAddress(): string {
    return this.#incoming.socket?.remoteAddress ?? "";
  }

  get isEncrypted(): boolean {
    return (this.#incoming.socket as { readonly encrypted?: boolean } | undefined)?.encrypted === true;
  }

  protected receive(): void {
    if (this.headers.bodyLength === 0 && this.httpVersion === "1.1") return;
    const incoming = this.#incoming;
    const body = new RequestBody(incoming, this.options);
    this.received = body;
    incoming.on("data", (chunk: Buffer) => body.push(chunk, false));
    incoming.on("end", () => body.push(nothing, true));
    incoming.on("error", () => body.fail(cutOff));
  }

  protected cut(): void {
    this.#outgoing.destroy();
  }

  protected sendWhole(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? nothing);
    const bodiless = isBodiless(answer.status);
    this.#writeHead(answer, bodiless ? undefined : (answer.length ?? bytes.byteLength));
    this.#end(bodiless || this.method === "HEAD" ? undefined : bytes);
  }

  protected async sendStream(answer: HttpResponse, body: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      let piece = await pieces.next();
      if (this.over) return;
      this.#writeHead(answer, answer.length);
      // Else an answer without a body ends with its head, and HTTP/2 has no place left for the trailers.
      (this.#outgoing as ServerResponse).flushHeaders();
      if (this.method === "HEAD") {
        this.#end();
        return;
      }
      while (!piece.done) {
        await this.#write(piece.value);
        if (this.over) return;
        piece = await pieces.next();
        if (this.over) return;
      }
      this.#endWithTrailers(answer);
    } finally {
      if (this.aborted) leave(pieces);
    }
  }

  #endWithTrailers(answer: HttpResponse): void {
    if (answer.trailers !== undefined) this.#outgoing.addTrailers(Object.fromEntries(answer.trailers()));
    this.#end();
  }

  /** The answer is complete; when its client has it, this closes. */
  #end(bytes?: Uint8Array): void {
    this.finish();
    const length = bytes?.byteLength ?? 0;
    if (!this.#hold(length)) return;
    this.server.unread++;
    this.#outgoing.once("close", () => {
      this.server.unread--;
      this.#connection.letGo(length);
    });
    if (bytes === undefined) this.#outgoing.end();
    else this.#outgoing.end(bytes);
  }

  /** False: the thread has no room for more answers, and this client has not read those it has. */
  #hold(bytes: number): boolean {
    const hasRoom = this.#connection.hold(bytes);
    if (!hasRoom) this.cut();
    return hasRoom;
  }

  async #write(piece: Uint8Array): Promise<void> {
    const outgoing = this.#outgoing as ServerResponse;
    if (outgoing.write(piece) || !this.#hold(piece.byteLength)) return;
    this.reader.wait();
    await new Promise<void>((resolve) => {
      const go = () => {
        outgoing.off("drain", go);
        outgoing.off("close", go);
        resolve();
      };
      outgoing.on("drain", go);
      outgoing.on("close", go);
    });
    this.#connection.letGo(piece.byteLength);
    this.reader.hasRead();
  }

  #writeHead(answer: HttpResponse, contentLength: number | undefined): void {
    const outgoing = this.#outgoing;
    if (this.httpVersion === "1.1") answering.add(this.#incoming.socket);
    outgoing.statusCode = answer.status;
    for (const [name, value] of answer.headers) outgoing.appendHeader(name, value);
    if (contentLength !== undefined) outgoing.setHeader("content-length", contentLength);
    if (this.httpVersion === "1.1" && this.closes(answer)) outgoing.setHeader("connection", "close");
  }

  /** HTTP/2: the answer is complete and more of the request may be coming; this stops it without a fault. */
  #refuseRest(): void {
    if (this.received === undefined || this.received.ended) return;
    (this.#outgoing as Http2ServerResponse).stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** After a request to upgrade, Node reads nothing more of its connection. */
  protected override closes(answer: HttpResponse): boolean {
    return this.headers.get("upgrade") !== undefined || super.closes(answer);
  }

  #closed(): void {
    if (this.httpVersion === "1.1") answering.delete(this.#incoming.socket);
    if (!this.over) this.abort();
  }
}

/**
 * A proxy may send the whole URL. Its host counts then (RFC 9112, 3.2.2); where the Host header names another, the target
 * stays as it is, and is no path of ours.
 */
function originForm(incoming: Incoming): string {
  const target = incoming.url ?? "/";
  const match = target.startsWith("/") ? null : /^https?:\/\/([^/?#@]+)(\/[^#]*|\?[^#]*)?$/i.exec(target);
  if (match === null || match[1] !== incoming.headers.host) return target;
  const rest = match[2] ?? "/";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Who the client proved to be, where the listener asked for a certificate and believed it. */
function peerOf(incoming: Incoming): PeerCertificate | undefined {
  const socket = incoming.socket as Partial<TLSSocket> | null;
  if (socket?.authorized !== true || socket.getPeerCertificate === undefined) return undefined;
  const { subjectaltname = "", valid_to } = socket.getPeerCertificate();
  const names = subjectaltname.split(", ").flatMap((name) => /^(?:URI|DNS):(.+)$/.exec(name)?.[1] ?? []);
  return { names, expiresAtMs: Date.parse(valid_to) };
}

function addHeaders(headers: HeaderTable, incoming: Incoming): void {
  const raw = incoming.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (name === ":authority") headers.add("host", raw[i + 1]!);
    else if (!name.startsWith(":")) headers.add(name, raw[i + 1]!);
  }
}
