import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { limits } from "#base";
import { nodeListener } from "../http/node.ts";
import type { HttpServer, HttpServerOptions } from "../http/server.ts";

export interface NativeOptions extends HttpServerOptions {
  /** Absent: HTTP/2 with prior knowledge only. */
  readonly tls?: {
    readonly key: string | Buffer;
    readonly cert: string | Buffer;
    readonly ca?: string | Buffer;
  };
  /** Refuses clients without a certificate that `tls.ca` signed. */
  readonly requireClientCertificate?: boolean;
}

/** HTTP/2 for everything the HTTP handler speaks: h2c with prior knowledge, or TLS with ALPN (h2, http/1.1). */
export async function listenNative(options: NativeOptions): Promise<HttpServer> {
  const state = { draining: false, pending: 0 };
  const sessions = new Set<ServerHttp2Session>();
  const server = serverOf(options);
  server.on("request", nodeListener(options, state));
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // A broken connection is the client's affair; its streams have been told.
    session.on("error", () => session.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain() {
      state.draining = true;
      server.close();
      for (const session of sessions) session.close();
    },
    pending: () => state.pending,
    async close() {
      state.draining = true;
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function serverOf(options: NativeOptions): Http2Server | Http2SecureServer {
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
