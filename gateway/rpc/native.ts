import { createServer as createHttp1Server, type Server as Http1Server } from "node:http";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { limits } from "#base";
import type { Certificates } from "../http/certificates.ts";
import type { ServerState } from "../http/exchange.ts";
import { admit, answerClientErrors, http1Bounds, nodeListener, serveNodeSockets } from "../http/node.ts";
import type { HttpServer, HttpServerOptions } from "../http/server.ts";
import { listenOn } from "../http/shared-port.ts";
import { guardResets } from "./reset-guard.ts";

export interface NativeOptions extends HttpServerOptions {
  /** Absent: in the clear, HTTP/2 with prior knowledge. */
  readonly tls?: Certificates;
  /** Refuses clients without a certificate that `tls.ca` signed. */
  readonly requireClientCertificate?: boolean;
  /** In the clear, HTTP/1.1 too, told apart by the first bytes. (With TLS the client chooses by ALPN.) */
  readonly http1?: boolean;
  /** Whose connections are taken, by the address of the other end; others are closed before anything is read. Absent: all. */
  readonly acceptsPeer?: (address: string) => boolean;
  /** Streams of other nodes of the cluster, which are no requests. */
  readonly nodeLinks?: {
    readonly path: string;
    readonly accept: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
  };
  /** How often a client is asked whether it is still there, and what it has to answer; tests are less patient. */
  readonly ping?: { readonly everyMs: number; readonly answerMs: number };
}

interface NativeServer extends HttpServer {
  /** Takes these certificates for connections that come from now on. */
  renew(tls: Certificates): void;
}

/** HTTP/2 for everything the HTTP handler speaks: Connect, gRPC, gRPC-Web, REST. */
export async function listenNative(options: NativeOptions): Promise<NativeServer> {
  const state = { draining: false, pending: 0, unread: 0 };
  const sessions = new Set<ServerHttp2Session>();
  // Sessions are not all: a client may speak HTTP/1.1, or have said nothing yet.
  const sockets = new Set<Socket>();
  const http2 = http2Server(options);
  const listener = nodeListener(options, state);
  const { nodeLinks } = options;
  http2.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const isLink =
      nodeLinks !== undefined && request.url === nodeLinks.path && request.httpVersionMajor === 2;
    if (isLink) nodeLinks.accept(request.stream, request.headers);
    else listener(request, response);
  });
  guardResets(http2);
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    endIfSilent(session, options.ping ?? pings);
  });
  // A broken connection is the client's affair; its streams have been told.
  http2.on("sessionError", (_error, session) => session.destroy());
  const http1 = options.http1 === true && options.tls === undefined ? http1Server(options, state) : undefined;
  // With TLS a client may choose HTTP/1.1 on the same server.
  const upgrading = http1 ?? (options.tls === undefined ? undefined : (http2 as Http2SecureServer));
  if (upgrading !== undefined) serveNodeSockets(upgrading, options, state, listener);
  const server: Server = http1 === undefined ? http2 : eitherServer(http1, http2);
  server.on("connection", (socket) => {
    if (options.acceptsPeer?.(socket.remoteAddress ?? "") === false) {
      socket.destroy();
      return;
    }
    if (!admit(socket, options.bounds.connections)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const port = await listenOn(server, options);
  return {
    port,
    drain() {
      if (state.draining) return;
      state.draining = true;
      // With TLS this also closes idle connections of HTTP/1.1; busy ones get `Connection: close` with their answer.
      server.close();
      http1?.closeIdleConnections();
      for (const session of sessions) session.close();
    },
    renew(tls) {
      if ("setSecureContext" in http2) http2.setSecureContext(tls);
    },
    pending: () => state.pending,
    unread: () => state.unread,
    // Draining tells every session to send nothing more.
    connections: () => (state.draining ? 0 : sockets.size),
    async close() {
      state.draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      http1?.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const pings: NonNullable<NativeOptions["ping"]> = {
  everyMs: limits.http2PingMs,
  answerMs: limits.http2PingAnswerMs,
};

/** A live client answers a ping, however little it reads; without pings, streams and leases of a dead one would stay. */
function endIfSilent(session: ServerHttp2Session, { everyMs, answerMs }: typeof pings): void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(ping, everyMs).unref();
  };
  const ping = () => {
    timer = setTimeout(() => session.destroy(), answerMs).unref();
    session.ping(() => {
      clearTimeout(timer);
      if (!session.destroyed) wait();
    });
  };
  session.once("close", () => clearTimeout(timer));
  wait();
}

/** Tells the two versions apart by the first bytes. */
function eitherServer(http1: Http1Server, http2: Http2Server | Http2SecureServer): Server {
  return createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.setTimeout(limits.headersTimeoutMs, () => socket.destroy());
    socket.once("data", (first) => {
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString("latin1", 0, preface.length) === preface;
      (isHttp2 ? http2 : http1).emit("connection", socket);
      // After the new owner has put its listeners on: http.Server does at once, http2.Server in this iteration of the loop.
      process.nextTick(() => socket.resume());
    });
  });
}

/** Never listens itself, but is told so: its watch over slow headers and idle connections begins with that event. */
function http1Server(options: NativeOptions, state: ServerState): Http1Server {
  const server = createHttp1Server(http1Bounds(options), nodeListener(options, state));
  answerClientErrors(server, options);
  server.emit("listening");
  return server;
}

/** Every HTTP/2 connection starts with it (RFC 9113), and no HTTP/1.1 request does. */
const preface = "PRI * HTTP/2";

function http2Server(options: NativeOptions): Http2Server | Http2SecureServer {
  const bounds = {
    settings: { maxConcurrentStreams: limits.http2StreamsMax },
    maxSessionMemory: limits.http2SessionMegabytesMax,
    maxHeaderListPairs: limits.headerCountMax + 8,
    unknownProtocolTimeout: limits.headersTimeoutMs,
  };
  if (options.tls === undefined) return createServer(bounds);
  const server = createSecureServer({
    ...bounds,
    ...options.tls,
    allowHTTP1: true,
    handshakeTimeout: limits.headersTimeoutMs,
    requestCert: options.requireClientCertificate ?? false,
    rejectUnauthorized: options.requireClientCertificate ?? false,
  });
  // For clients that chose HTTP/1.1. They are no options of this server, and not in its types.
  Object.assign(server, http1Bounds(options));
  answerClientErrors(server, options);
  return server;
}
