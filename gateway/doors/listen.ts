import type { Logger } from "pino";
import { asError, isLoopbackIp, limits } from "#base";
import type { WorkerRuntime } from "#runtime";
import type { Invoker } from "../calls/invoke.ts";
import type { NodeDoor } from "../cluster/node-links.ts";
import { type Config, splitAddress } from "../config/index.ts";
import type { ThreadBounds } from "../http/bounds.ts";
import { type CertificateFiles, readCertificates, renewCertificates } from "../http/certificates.ts";
import type { Front } from "../http/front.ts";
import { listenNode } from "../http/node.ts";
import type { HttpServer, HttpServerOptions } from "../http/server.ts";
import type { NativeOptions } from "../rpc/native.ts";
import { onFreePort } from "./ports.ts";

/** What a listener needs to be drained and closed, whatever it speaks. */
export interface Listener {
  readonly name: string;
  readonly port: number;
  /** Takes no new work; resolves when what is under way has been answered. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface ListenParts {
  readonly front: Front;
  readonly config: Config;
  readonly bounds: ThreadBounds;
  readonly log: Logger;
  readonly sharesPorts: boolean;
}

/** `auto` becomes what this platform has; the log says so where that is not uWebSockets.js. */
export async function resolveHttpServer(config: Config, log: Logger): Promise<"uws" | "node"> {
  const choice = config["server.http_server"];
  if (choice === "node") return "node";
  try {
    await import("../http/uws.ts");
    return "uws";
  } catch (error) {
    if (choice === "uws") throw error;
    log.warn(
      { reason: asError(error).message },
      "HTTP is served by node:http, which is slower: no build of uWebSockets.js runs here",
    );
    return "node";
  }
}

/** `:8080`. */
export async function listenHttp({ front, ...parts }: ListenParts): Promise<Listener> {
  const { config } = parts;
  const options = optionsOf(front, parts, config["server.http_addr"]);
  return asListener("http", await listenShared(options, config), config["server.drain_linger"]);
}

async function listenShared(options: HttpServerOptions, config: Config): Promise<HttpServer> {
  if (config["server.http_server"] === "node") return listenNode(options);
  const { listenUws } = await import("../http/uws.ts");
  if (options.port !== 0) return listenUws(options);
  return onFreePort(options.host, (port) => listenUws({ ...options, port }));
}

/** gRPC by grpc-js. Its code is loaded only by threads that listen. */
export async function listenGrpcPlane(
  invoker: Invoker,
  { config, bounds, sharesPorts }: Omit<ListenParts, "front">,
): Promise<Listener> {
  const { listenGrpc } = await import("../rpc/grpc.ts");
  const messageBytesMax = config["api.max_request_body_size"];
  const address = splitAddress(config["server.grpc_addr"]);
  const server = await listenGrpc({ invoker, ...address, sharesPort: sharesPorts, messageBytesMax, bounds });
  return asListener("grpc", server);
}

/** Native Connect and gRPC over HTTP/2: in the clear, or with TLS where there is a certificate. */
export async function listenNativePlane({ front, ...parts }: ListenParts): Promise<Listener> {
  const { config } = parts;
  const options = optionsOf(front, parts, config["api.addr"]);
  const files = { cert: config["api.tls_cert_file"], key: config["api.tls_key_file"] };
  return listenHttp2("native", options, files.cert === "" ? undefined : files, parts.log);
}

/** The internal plane: loopback in the clear, or anywhere behind certificates. */
export async function listenInternalPlane(
  { front, ...parts }: ListenParts,
  acceptNode: WorkerRuntime["acceptNode"],
): Promise<Listener> {
  const { config, log } = parts;
  const options = {
    ...optionsOf(front, parts, config["server.internal_addr"]),
    ...(acceptNode && (await nodeLinks({ config, log, accept: acceptNode }))),
  };
  if (!config["server.internal_require_mtls"])
    // A name that was loopback when it was checked may be another address by now.
    return listenHttp2("internal", { ...options, http1: true, acceptsPeer: isLoopbackIp }, undefined, log);
  const files = {
    ca: config["server.internal_tls_ca_file"],
    cert: config["server.internal_tls_cert_file"],
    key: config["server.internal_tls_key_file"],
  };
  return listenHttp2("internal", { ...options, requireClientCertificate: true }, files, log);
}

async function nodeLinks(door: NodeDoor): Promise<Pick<NativeOptions, "nodeLinks">> {
  const { nodeLinkPath, acceptNodeLink } = await import("../cluster/node-links.ts");
  return {
    nodeLinks: { path: nodeLinkPath, accept: (stream, headers) => acceptNodeLink(door, stream, headers) },
  };
}

/** Without files in the clear. Its certificates are not looked at any more when it is closed. */
async function listenHttp2(
  name: string,
  options: NativeOptions,
  files: CertificateFiles | undefined,
  log: Logger,
): Promise<Listener> {
  const { listenNative } = await import("../rpc/native.ts");
  if (files === undefined) return asListener(name, await listenNative(options));
  const tls = readCertificates(files);
  const server = await listenNative({ ...options, tls });
  const listener = asListener(name, server);
  const stop = renewCertificates(files, tls, server.renew, log);
  return {
    ...listener,
    close: () => {
      stop();
      return listener.close();
    },
  };
}

/** `:9090`: pages only, on Node's own server, in the main thread. */
export async function listenMetrics({
  front,
  ...parts
}: Omit<ListenParts, "sharesPorts">): Promise<Listener> {
  const options = optionsOf(front, { ...parts, sharesPorts: false }, parts.config["server.metrics_addr"]);
  return asListener("metrics", await listenNode(options));
}

type Rest = Omit<ListenParts, "front">;

function optionsOf(front: Front, parts: Rest, address: string): HttpServerOptions {
  const { config, bounds, log, sharesPorts } = parts;
  return {
    bounds,
    ...splitAddress(address),
    sharesPort: sharesPorts,
    bodyBytesMax: config["api.max_request_body_size"],
    bodyTimeoutMs: config["api.request_body_timeout"],
    idleTimeoutMs: config["server.idle_timeout"],
    ...front,
    onError: (error, ref) => log.error({ ref, err: error }, "a request could not be answered"),
  };
}

function asListener(name: string, server: HttpServer, lingerMs = 0): Listener {
  return {
    name,
    port: server.port,
    async drain() {
      server.drain();
      // A client may have sent its next request before it learns that this connection is the last of its kind: each
      // gets one more answer, with `Connection: close`. Those that stay silent are not waited for longer than this.
      const untilMs = performance.now() + lingerMs;
      const lingers = () => server.connections() > 0 && performance.now() < untilMs;
      while (server.pending() > 0 || lingers()) await look();
      const readUntilMs = performance.now() + limits.unreadMs;
      while (server.unread() > 0 && performance.now() < readUntilMs) await look();
    },
    close: () => server.close(),
  };
}

/** How often a draining listener looks whether its last answer has gone. */
const drainLookMs = 10;

function look(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, drainLookMs));
}
