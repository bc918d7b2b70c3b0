import { createServer as createHttp1Server } from "node:http";
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { limits } from "#base";
import { nodeListener } from "../http/node.ts";
import type { HttpServer, HttpServerOptions } from "../http/server.ts";

export interface NativeOptions extends HttpServerOptions {
  /** Absent: in the clear, HTTP/2 with prior knowledge. */
  readonly tls?: {
    readonly key: string | Buffer;
    readonly cert: string | Buffer;
    readonly ca?: string | Buffer;
  };
  /** Refuses clients without a certificate that `tls.ca` signed. */
  readonly requireClientCertificate?: boolean;
  /** In the clear, HTTP/1.1 too, told apart by the first bytes. (With TLS the client chooses by ALPN.) */
  readonly http1?: boolean;
}

/** HTTP/2 for everything the HTTP handler speaks: Connect, gRPC, gRPC-Web, REST. */
export async function listenNative(options: NativeOptions): Promise<HttpServer> {
  const state = { draining: false, pending: 0 };
  const connections = new Set<{ close(): void; destroy(): void }>();
  const http2 = http2Server(options);
  http2.on("request", nodeListener(options, state));
  http2.on("session", (session) => keep(session));
  // A broken connection is the client's affair; its streams have been told.
  http2.on("sessionError", (_error, session) => session.destroy());
  const server = options.http1 === true && options.tls === undefined ? eitherServer(http2) : http2;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain() {
      state.draining = true;
      server.close();
      for (const connection of connections) connection.close();
    },
    pending: () => state.pending,
    // Draining tells every session to send nothing more.
    connections: () => (state.draining ? 0 : connections.size),
    async close() {
      state.draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };

  function keep(session: ServerHttp2Session): void {
    connections.add(session);
    session.once("close", () => connections.delete(session));
  }

  function eitherServer(http2: Http2Server | Http2SecureServer): Server {
    const http1 = createHttp1Server(
      { headersTimeout: limits.headersTimeoutMs, requestTimeout: 0 },
      nodeListener(options, state),
    );
    return createTcpServer((socket) => {
      const connection = { close: () => socket.end(), destroy: () => socket.destroy() };
      socket.once("close", () => connections.delete(connection));
      socket.on("error", () => socket.destroy());
      socket.setTimeout(limits.headersTimeoutMs, () => socket.destroy());
      socket.once("data", (first) => {
        socket.setTimeout(0);
        socket.removeAllListeners("timeout");
        socket.pause();
        socket.unshift(first);
        const isHttp2 = first.toString("latin1", 0, preface.length) === preface;
        if (!isHttp2) connections.add(connection);
        (isHttp2 ? http2 : http1).emit("connection", socket);
        resume(socket);
      });
    });
  }
}

/** Every HTTP/2 connection starts with it (RFC 9113), and no HTTP/1.1 request does. */
const preface = "PRI * HTTP/2";

/** After the new owner has put its listeners on, which http.Server does at once and http2.Server in this turn. */
function resume(socket: Socket): void {
  process.nextTick(() => socket.resume());
}

function http2Server(options: NativeOptions): Http2Server | Http2SecureServer {
  const bounds = {
    settings: { maxConcurrentStreams: limits.http2StreamsMax },
    maxSessionMemory: limits.http2SessionMegabytesMax,
    maxHeaderListPairs: limits.headerCountMax + 8,
    unknownProtocolTimeout: limits.headersTimeoutMs,
  };
  if (options.tls === undefined) return createServer(bounds);
  return createSecureServer({
    ...bounds,
    ...options.tls,
    allowHTTP1: true,
    requestCert: options.requireClientCertificate ?? false,
    rejectUnauthorized: options.requireClientCertificate ?? false,
  });
}
