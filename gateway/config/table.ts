import { limits } from "#base";
import {
  address,
  byteSize,
  datesByName,
  domains,
  duration,
  filled,
  flag,
  identitiesByName,
  type Kind,
  keyId,
  keysByName,
  link,
  list,
  networks,
  oneOf,
  optionalAddress,
  optionalKey,
  origins,
  publicKeys,
  text,
  whole,
} from "./kinds.ts";

export interface Setting<T> {
  readonly kind: Kind<T>;
  readonly default: T;
  /** What `service dev` takes instead. */
  readonly dev?: T;
  /** What it does, and why the default is what it is. */
  readonly reason: string;
  /** Never printed. */
  readonly secret?: true;
  /** A tenant may have a value of its own, kept in `tenant.settings`. */
  readonly dynamic?: "tenant";
}

/** Every setting there is. Keys are what YAML, `--set` and, as SERVICE_…, the environment use. */
export const settingsTable = {
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
  "storage.engine": setting(oneOf("embedded", "cassandra", "memory"), {
    default: "embedded",
    reason:
      "embedded needs nothing else; cassandra survives the loss of a machine; memory forgets everything at exit.",
  }),
  "storage.dir": setting(filled, {
    default: "./data",
    reason: "Folder of the embedded engine; one process at a time.",
  }),
  "storage.cassandra.contact_points": setting(list, {
    default: ["127.0.0.1"],
    reason: "Nodes to ask first.",
  }),
  "storage.cassandra.keyspace": setting(filled, {
    default: "switchyard",
    reason: "Made by `service storage migrate`.",
  }),
  "storage.cassandra.local_data_center": setting(filled, {
    default: "datacenter1",
    reason: "Must be the one the keyspace was made in: two data centres are two sets of votes.",
  }),
  "storage.cassandra.replication_factor": setting(whole({ min: 1, max: 9 }), {
    default: 3,
    reason: "Used when the keyspace is made; below 3 one lost node is lost data.",
  }),
  "storage.cassandra.partition_size": setting(byteSize({ min: 1_024 ** 2, max: 256 * 1_024 ** 2 }), {
    default: limits.cassandraBucketBytesMax,
    reason: "A partition whose rows have more is divided; they stay in order.",
  }),
  "storage.cassandra.username": setting(text, { default: "", reason: "Empty: no authentication." }),
  "storage.cassandra.password": setting(text, { default: "", secret: true, reason: "Of that user." }),
  "storage.cassandra.tls_ca_file": setting(text, {
    default: "",
    reason: "PEM; any of these three files turns TLS to Cassandra on. Empty: authorities that Node trusts.",
  }),
  "storage.cassandra.tls_cert_file": setting(text, {
    default: "",
    reason: "Client certificate (PEM), where asked for.",
  }),
  "storage.cassandra.tls_key_file": setting(text, { default: "", reason: "Its private key (PEM)." }),
  "cluster.node_id": setting(text, {
    default: "",
    reason:
      "Name of this node among those that share a Cassandra keyspace. Empty: host name and internal port. A second start with one name replaces the first.",
  }),
  "cluster.advertise_addr": setting(optionalAddress, {
    default: "",
    reason: "Where other nodes reach the internal plane of this one. Empty: as server.internal_addr says.",
  }),
  "cluster.zone": setting(text, {
    default: "",
    reason: "Label of where this node stands, shown in the status of the cluster.",
  }),
  "cluster.format_max": setting(whole({ min: 1, max: limits.formatMax }), {
    default: limits.formatMax,
    reason:
      "No newer format of data is announced or written: holds an upgrade back while the version before may return.",
  }),
  "cluster.moves_at_once": setting(whole({ min: 1, max: 256 }), {
    default: limits.movesAtOnce,
    reason: "Shards that move to this node at a time when nodes come and go; each is paused while it moves.",
  }),
  "api.allowed_hosts": setting(list, {
    default: ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"],
    reason: "Host names this service answers to; * takes all. Guards against DNS rebinding.",
  }),
  "api.max_request_body_size": setting(byteSize({ min: 1_024, max: 1_024 ** 3 }), {
    default: limits.bodyBytesMax,
    reason: "Counted while the body arrives; larger is 413.",
  }),
  "api.request_body_timeout": setting(duration({ min: 1 }), {
    default: limits.requestTimeoutMs,
    reason: "A body must be complete within this (408); a streamed one must bring something.",
  }),
  "api.max_concurrent_requests": setting(whole({ min: 0, max: 1_000_000 }), {
    default: 0,
    reason: "Requests in progress per thread; 0: no cap. Over it 429 CONCURRENCY.",
  }),
  "api.max_concurrent_requests_per_tenant": setting(whole({ min: 0, max: 1_000_000 }), {
    default: 0,
    reason: "The same for one tenant.",
  }),
  "api.max_streams": setting(whole({ min: 0, max: 1_000_000 }), {
    default: 10_000,
    reason:
      "Streams and long polls of one thread and plane, of all tenants together: each holds memory. Over it 429 CONCURRENCY.",
  }),
  "api.errors_url": setting(link("path"), {
    default: "/docs/errors",
    reason: "Where `type` of an error points; by default a page of this server.",
  }),
  "api.oidc_issuer": setting(text, {
    default: "",
    reason: "Issuer of bearer tokens; empty: none are taken.",
  }),
  "api.oidc_audience": setting(text, { default: "", reason: "Audience a bearer token must name." }),
  "api.oidc_tenant_claim": setting(filled, {
    default: "tenant_id",
    reason: "Claim that carries the tenant's id.",
  }),
  "auth.enabled": setting(flag, {
    default: true,
    dev: false,
    reason: "false: every caller is the administrator of tenant dev. For development only.",
  }),
  "auth.api_key_enabled": setting(flag, { default: false, reason: "Takes X-API-Key." }),
  "auth.allow_anonymous": setting(flag, {
    default: false,
    reason: "Callers without credentials become viewers of auth.anonymous_tenant.",
  }),
  "auth.anonymous_tenant": setting(text, { default: "", reason: "Tenant id for them." }),
  security_profile: setting(oneOf("standard", "enterprise"), {
    default: "standard",
    reason:
      "enterprise forces controls that fail closed; docs/security.md has the table. The start refuses settings that contradict it.",
  }),
  "internal.token_secret": setting(text, {
    default: "",
    secret: true,
    reason:
      "Signs and checks service tokens (HS256) of the internal plane; at least 32 bytes. Empty: none are taken.",
  }),
  "internal.token_secret_previous": setting(text, {
    default: "",
    secret: true,
    reason: "The secret before that: its tokens are still taken while callers change over.",
  }),
  "internal.identities": setting(identitiesByName, {
    default: {},
    reason:
      "Callers with a client certificate, by SPIFFE id or DNS name: roles, scopes, and tenant where it has one. Others are refused (403).",
  }),
  "authz.provider": setting(oneOf("builtin", "none"), {
    default: "builtin",
    reason: "none leaves authorization unconfigured; authz.allow_when_unconfigured then decides.",
  }),
  "authz.allow_when_unconfigured": setting(flag, {
    default: true,
    reason: "false: no authorizer, no access.",
  }),
  "entitlement.enforcement": setting(oneOf("off", "report", "strict"), {
    default: "report",
    reason:
      "A method that asks for an entitlement which its tenant lacks: strict refuses, report lets it pass and logs it, off does not look. An explicit deny refuses always.",
  }),
  "entitlement.grace_unprovisioned": setting(flag, {
    default: false,
    reason: "Strict enforcement lets tenants pass that never had entitlements.",
  }),
  "ratelimit.backend": setting(oneOf("none", "local", "redis"), {
    default: "none",
    reason: "none never throttles; local counts per thread; redis counts for all threads of all nodes.",
  }),
  "ratelimit.global_rps": setting(whole({ min: 0, max: 10_000_000 }), {
    default: 0,
    reason: "Tokens a second for one method, all tenants together; 0: no limit.",
  }),
  "ratelimit.tenant_rps": setting(whole({ min: 0, max: 10_000_000 }), {
    default: 0,
    reason: "The same for one tenant.",
  }),
  "ratelimit.fail_mode": setting(oneOf("open", "closed"), {
    default: "open",
    reason: "While Redis cannot be asked: open lets every thread count for itself, closed refuses (503).",
  }),
  "redis.url": setting(text, {
    default: "redis://127.0.0.1:6379",
    secret: true,
    reason: "redis:// or rediss:// (TLS), with user, password and database where needed.",
  }),
  "redis.timeout": setting(duration({ min: 1 }), {
    default: 50,
    reason: "What a call waits for Redis at most; a healthy one answers in a millisecond or two.",
  }),
  "redis.key_prefix": setting(text, {
    default: "switchyard:",
    reason: "Before every key, so that installations can share a Redis without sharing limits.",
  }),
  "cors.allowed_origins": setting(origins, {
    default: [],
    reason:
      "Origins whose pages may read answers and change things, exactly as browsers send them; * for all, without credentials.",
  }),
  "deprecation.sunset": setting(datesByName, {
    default: {},
    reason: "HTTP date by method (deprecation.sunset.PoolService.ListPools), sent as Sunset.",
  }),
  "egress.mode": setting(oneOf("shadow", "enforce", "disabled"), {
    default: "shadow",
    reason:
      "Calls to private networks and metadata services: enforce refuses them, shadow logs and counts them, disabled looks at nothing.",
  }),
  "egress.allowed_domains": setting(domains, {
    default: [],
    reason: "Names that may be called whatever address they have; *.example.com takes every name below it.",
  }),
  "egress.allowed_ip_nets": setting(networks, {
    default: [],
    reason: "Private networks that may be called.",
  }),
  "connector.encryption_key": setting(optionalKey, {
    default: "",
    secret: true,
    reason:
      "Seals credentials at rest: 32 bytes in base64. Empty: the dev profile makes one in storage.dir, otherwise what needs it refuses.",
  }),
  "connector.encryption_key_id": setting(keyId, { default: "k1", reason: "Its name in what it seals." }),
  "connector.rotation_keys": setting(keysByName, {
    default: {},
    secret: true,
    reason: "Retired keys by id: they only open what was sealed with them.",
  }),
  "connector.catalogue_dir": setting(text, {
    default: "",
    reason: "Folder with more provider files (*.yaml); one with the key of a shipped provider replaces it.",
  }),
  "connector.disabled_actions": setting(list, {
    default: [],
    reason: "Keys of actions that may not be executed here, as stripe.create_refund.",
  }),
  "notification.connections_file": setting(text, {
    default: "",
    reason:
      "YAML file with connections by tenant and name, for integrations that name static:NAME; texts may name environment variables. Read again every 10 s, never stored.",
  }),
  "notification.sink.enabled": setting(flag, {
    default: false,
    dev: true,
    reason: "Lets integrations use the provider sink, which accepts every message and sends nothing.",
  }),
  "notification.render.threads": setting(whole({ min: 1, max: 16 }), {
    default: 1,
    reason: "Threads that run templates, of each worker; they start with the first template.",
  }),
  "notification.render.timeout": setting(duration({ min: 10 }), {
    default: 100,
    reason: "How long one message may take to render: over it the message fails and its thread is replaced.",
  }),
  "notification.dispatch.enabled": setting(flag, {
    default: false,
    dev: true,
    reason: "false: triggers are refused with DISPATCH_DISABLED; everything else of notifications works.",
  }),
  "notification.timezone": setting(text, {
    default: "UTC",
    dynamic: "tenant",
    reason: "IANA zone of quiet hours where neither the schedule nor the subscriber has one.",
  }),
  "notification.require_verified": setting(flag, {
    default: false,
    dynamic: "tenant",
    reason: "true: only endpoints that were verified are sent to.",
  }),
  "notification.retention_days": setting(whole({ min: 1, max: 3_650 }), {
    default: 30,
    dynamic: "tenant",
    reason: "How long deliveries, their dead letters and observations are kept.",
  }),
  "notification.queue.mode": setting(oneOf("tiered", "single"), {
    default: "tiered",
    reason:
      "tiered: direct deliveries go before broadcasts. single: all wait in one line. The enterprise profile dispatches with tiered only.",
  }),
  "server.public_url": setting(link("empty"), {
    default: "",
    reason:
      "Where browsers and providers reach this service, as https://service.example.com: in addresses of connect pages and webhooks.",
  }),
  "dynamic_config.enabled": setting(flag, {
    default: false,
    reason: "Lets tenants keep values of their own for dynamic settings, and /api/config/export show them.",
  }),
  "docs.production_url": setting(link("path"), {
    default: "/",
    reason: "Production server in /openapi.yaml; / is wherever the document was read.",
  }),
  "docs.staging_url": setting(link("path"), {
    default: "/",
    reason:
      "Staging server in /openapi.yaml. Never a host that is not yours: /docs sends credentials to the server that is chosen.",
  }),
  "audit.sink": setting(oneOf("none", "stderr", "stdout", "file"), {
    default: "none",
    reason:
      "Where the audit log goes: changes as each method's contract says, and every denial. none: nothing is recorded.",
  }),
  "audit.file": setting(text, {
    default: "",
    reason:
      "File of the sink file; empty: audit.log in storage.dir. It may be moved away while the service runs.",
  }),
  "audit.hash_chain": setting(flag, {
    default: true,
    reason: "Chains entries by SHA-256 and signs the chain, for `service audit verify`.",
  }),
  "audit.redact_pii": setting(flag, {
    default: false,
    reason:
      "Persons, addresses and names that callers chose are written as keyed hashes, free text not at all.",
  }),
  "audit.signing_key_file": setting(text, {
    default: "",
    reason: "Ed25519 key (PKCS #8, PEM) that signs the chain; empty: one is made in storage.dir.",
  }),
  "evidence.signing_key_file": setting(text, {
    default: "",
    reason:
      "Ed25519 key (PKCS #8, PEM) that signs exports of evidence; empty: one is made in storage.dir. Nodes of a cluster need the same one.",
  }),
  "evidence.trusted_keys": setting(publicKeys, {
    default: [],
    dynamic: "tenant",
    reason: "Keys of producers whose receipts count as signed: Ed25519 or ECDSA, SPKI (DER) in base64.",
  }),
  "conformance.enabled": setting(flag, {
    default: true,
    reason: "Lets callers run the conformance suites against this node; reports can be read in any case.",
  }),
  "promotion.live_environments": setting(list, {
    default: ["production"],
    dynamic: "tenant",
    reason: "Environments that customers depend on: nothing is tested in them but by dry runs.",
  }),
  "promotion.evidence_required": setting(oneOf("none", "live", "all"), {
    default: "live",
    dev: "none",
    reason:
      "In which environments a promotion is approved only where the gate of its evidence pack is satisfied.",
  }),
  "promotion.approvals_required": setting(whole({ min: 1, max: 5 }), {
    default: 1,
    reason: "Owners who have to approve a promotion: an API key counts as its maker.",
  }),
  "promotion.allow_self_approval": setting(flag, {
    default: false,
    dev: true,
    reason: "Whether the maker of a candidate or of a version in it may approve it.",
  }),
  "promotion.approval_ttl": setting(duration({ min: 60_000 }), {
    default: 24 * 3_600_000,
    reason: "How long an approval holds: a promotion later than that is approved anew.",
  }),
  "log.level": setting(oneOf("debug", "info", "warn", "error", "silent"), {
    default: "info",
    dev: "warn",
    reason: "Least severe line that is written; JSON lines on standard error.",
  }),
  "telemetry.slow_request": setting(duration({ min: 0 }), {
    default: 1_000,
    reason: "Slower calls are logged, with their parts.",
  }),
  "telemetry.otlp_endpoint": setting(link("empty"), {
    default: "",
    reason:
      "OTLP over HTTP, e.g. http://127.0.0.1:4318/v1/traces; empty: no traces, and nothing of them is loaded.",
  }),
  "telemetry.sample_percent": setting(whole({ min: 0, max: 100 }), {
    default: 10,
    reason: "Share of calls traced that no caller has decided about.",
  }),
} as const;

export type SettingKey = keyof typeof settingsTable;
export type Config = { readonly [K in SettingKey]: ValueOf<(typeof settingsTable)[K]> };
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Named options, one shape for all kinds. */
function setting<T>(kind: Kind<T>, options: Omit<Setting<NoInfer<T>>, "kind">): Setting<T> {
  return { kind, ...options };
}
