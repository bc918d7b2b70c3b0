import { limits } from "#base";
import {
  address,
  byteSize,
  duration,
  flag,
  freePath,
  oneOf,
  optionalAddress,
  text,
  whole,
} from "../kinds.ts";
import { setting } from "../setting.ts";

/** Listeners, threads and connections. */
export const serverSettings = {
  "server.http_addr": setting(address, {
    default: ":8080",
    dev: "127.0.0.1:8080",
    reason: "External plane over HTTP/1.1: REST, Connect, gRPC-Web, health, docs.",
  }),
  "server.grpc_addr": setting(optionalAddress, {
    default: ":50051",
    dev: "127.0.0.1:50051",
    reason: "External plane: gRPC over HTTP/2 with health and reflection. Empty: not served.",
  }),
  "api.addr": setting(optionalAddress, {
    default: ":50052",
    dev: "127.0.0.1:50052",
    reason: "External plane: native Connect and gRPC over HTTP/2. Empty: not served.",
  }),
  "api.tls_cert_file": setting(text, {
    default: "",
    reason:
      "Certificate of api.addr, with the chain that leads to it (PEM). Empty: HTTP/2 in the clear, for use behind a proxy.",
  }),
  "api.tls_key_file": setting(text, { default: "", reason: "Its private key (PEM)." }),
  "server.internal_addr": setting(optionalAddress, {
    default: ":50053",
    dev: "127.0.0.1:50053",
    reason:
      "Internal plane: gRPC, Connect and REST between services. Must be loopback unless mTLS is required. Empty: not served.",
  }),
  "server.internal_require_mtls": setting(flag, {
    default: false,
    reason: "Callers of the internal plane must show a certificate of internal_tls_ca_file.",
  }),
  "server.internal_tls_ca_file": setting(text, {
    default: "",
    reason: "Who signs the callers' certificates (PEM).",
  }),
  "server.internal_tls_cert_file": setting(text, {
    default: "",
    reason: "Certificate of the internal plane (PEM).",
  }),
  "server.internal_tls_key_file": setting(text, { default: "", reason: "Its private key (PEM)." }),
  "server.metrics_addr": setting(optionalAddress, {
    default: ":9090",
    dev: "127.0.0.1:9090",
    reason:
      "Prometheus text, /health and /ready without Host check, because probes use pod addresses. Empty: not served.",
  }),
  "mcp.enabled": setting(flag, {
    default: false,
    reason: "Serves the Model Context Protocol to assistants, on the listeners of REST; docs/mcp.md.",
  }),
  "mcp.path": setting(freePath, { default: "/mcp", reason: "Where it is served." }),
  "mcp.legacy": setting(flag, {
    default: true,
    reason: "Also answers clients of the revisions of 2025. false: of 2026-07-28 only.",
  }),
  "server.http_server": setting(oneOf("auto", "uws", "node"), {
    default: "auto",
    reason: "auto takes uWebSockets.js where a build of it loads, else node:http; the log says so.",
  }),
  "server.workers": setting(whole({ min: 0, max: 64 }), {
    default: 0,
    reason:
      "Threads that serve and own shards; 0 takes one per core, and leaves one core to the other threads.",
  }),
  "server.stuck_after": setting(duration({ min: 1_000 }), {
    default: limits.workerStuckMs,
    reason:
      "A thread that has not turned for this long is ended and replaced. Longer than any collection or paused disk.",
  }),
  "server.shutdown_grace": setting(duration({ min: 0 }), {
    default: 25_000,
    reason: "How long SIGTERM waits for requests in progress; below the 30 s after which orchestrators kill.",
  }),
  "server.request_memory_max": setting(byteSize({ min: 1_024 ** 2, max: 1_024 ** 4 }), {
    default: limits.requestMemoryMax,
    reason:
      "Bytes held of requests that are not complete, of all connections; every thread has an equal share. Over it 503 REQUEST_MEMORY.",
  }),
  "server.connection_unread_max": setting(byteSize({ min: 64 * 1_024, max: 1_024 ** 3 }), {
    default: limits.connectionUnreadBytesMax,
    reason:
      "Bytes of answers one connection may leave unread; with more its next requests wait, or it is closed.",
  }),
  "server.max_connections": setting(whole({ min: 0, max: 1_000_000 }), {
    default: 0,
    reason:
      "Connections of all listeners together; further ones are closed at once. 0: as many as the limit of open files allows, with 512 kept for storage.",
  }),
  "server.idle_timeout": setting(duration({ min: 1_000 }), {
    default: limits.keepAliveTimeoutMs,
    reason:
      "How long a connection of HTTP/1.1 may be without a request; longer than load balancers keep theirs. uWebSockets.js closes after 10 s whatever is set.",
  }),
  "server.drain_linger": setting(duration({ min: 0 }), {
    default: 1_000,
    reason:
      "How long a draining service waits for the next request of open connections, to close them with its answer.",
  }),
} as const;
