import { limits } from "#base";
import {
  byteSize,
  datesByName,
  domains,
  duration,
  filled,
  flag,
  identitiesByName,
  link,
  list,
  networks,
  oneOf,
  origins,
  text,
  whole,
} from "../kinds.ts";
import { setting } from "../setting.ts";

const sessionTime = duration({ min: 300_000, max: 7 * 86_400_000 });

/** Who may call, what and how often; what may be called from here. */
export const accessSettings = {
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
  "console.session_ttl": setting(sessionTime, {
    default: 28_800_000,
    reason: "A sign-in ends after so long, whatever it does.",
  }),
  "console.session_idle": setting(sessionTime, {
    default: 3_600_000,
    reason: "A sign-in ends when nothing was asked with it for so long.",
  }),
  "console.oidc_client_id": setting(text, {
    default: "",
    reason:
      "This service as a client of api.oidc_issuer, for people who sign in by it; its address there is /auth/callback of server.public_url. Empty: they sign in with an API key.",
  }),
  "console.oidc_client_secret": setting(text, {
    default: "",
    secret: true,
    reason: "Of that client; empty: it is a public one.",
  }),
  "console.oidc_scopes": setting(text, {
    default: "openid profile offline_access",
    reason: "What is asked of the issuer, with spaces. offline_access: a sign-in outlives its first token.",
  }),
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
      "Calls to private networks: enforce refuses them, shadow makes, logs and counts them, disabled makes them. Metadata and link-local addresses and the service's own ports are refused in every mode.",
  }),
  "egress.allowed_domains": setting(domains, {
    default: [],
    reason:
      "Names that may be called in any private network; *.example.com takes every name below it. Metadata and link-local addresses stay refused.",
  }),
  "egress.allowed_ip_nets": setting(networks, {
    default: [],
    reason: "Private networks that may be called; metadata and link-local addresses stay refused.",
  }),
} as const;
