import { lookup } from "node:dns/promises";
import { isLoopbackIp, isLoopbackName, isUlid, limits } from "#base";
import { splitAddress } from "./kinds.ts";
import { profileProblems } from "./security-profile.ts";
import type { Config } from "./table.ts";
import { tlsFileProblems } from "./tls-files.ts";

/** What single values cannot show: combinations that must not start. Empty: none. */
export async function configProblems(
  config: Config,
  profile: "dev" | "production",
): Promise<readonly string[]> {
  return [
    ...(profile === "production" ? authProblems(config) : []),
    ...profileProblems(config),
    ...(await internalPlaneProblems(config)),
    ...mtlsProblems(config),
    ...tlsFileProblems(config),
    ...anonymousProblems(config),
    ...secretProblems(config),
    ...identityProblems(config),
    ...oidcProblems(config),
    ...consoleProblems(config),
    ...redisProblems(config),
    ...cassandraProblems(config),
  ];
}

/** What becomes of calls to private networks: said at every start. */
export function egressNotice(config: Config): string {
  const mode = config["egress.mode"];
  const calls = {
    shadow: "calls to private networks are made, logged and counted (enforce refuses them)",
    disabled: "calls to private networks are made and not reported (enforce refuses them)",
    enforce: "calls to private networks are refused",
  }[mode];
  return `egress.mode is ${mode}: ${calls}; metadata and link-local addresses and this service's own ports are always refused`;
}

function authProblems(config: Config): readonly string[] {
  if (!config["auth.enabled"]) return [];
  if (config["api.oidc_issuer"] !== "" || config["auth.api_key_enabled"]) return [];
  return [
    "auth.enabled: nobody could sign in. Set api.oidc_issuer and api.oidc_audience (bearer tokens) or " +
      "auth.api_key_enabled=true (API keys)",
  ];
}

async function internalPlaneProblems(config: Config): Promise<readonly string[]> {
  const address = config["server.internal_addr"];
  if (address === "" || config["server.internal_require_mtls"]) return [];
  const { host } = splitAddress(address);
  if (await isLoopback(host)) return [];
  return [
    `server.internal_addr: ${address} is not a loopback address. Bind it to 127.0.0.1 or [::1], or set ` +
      "server.internal_require_mtls=true",
  ];
}

function mtlsProblems(config: Config): readonly string[] {
  if (!config["server.internal_require_mtls"]) return [];
  const files = [
    "server.internal_tls_ca_file",
    "server.internal_tls_cert_file",
    "server.internal_tls_key_file",
  ] as const;
  return files
    .filter((key) => config[key] === "")
    .map((key) => `${key}: is needed because server.internal_require_mtls is true`);
}

function anonymousProblems(config: Config): readonly string[] {
  if (!config["auth.allow_anonymous"] || config["auth.anonymous_tenant"] !== "") return [];
  return ["auth.anonymous_tenant: is needed because auth.allow_anonymous is true"];
}

function secretProblems(config: Config): readonly string[] {
  const keys = ["internal.token_secret", "internal.token_secret_previous"] as const;
  return keys
    .filter((key) => config[key] !== "" && Buffer.byteLength(config[key]) < limits.tokenSecretBytesMin)
    .map((key) => `${key}: must have at least ${limits.tokenSecretBytesMin} bytes`);
}

function identityProblems(config: Config): readonly string[] {
  return Object.entries(config["internal.identities"]).flatMap(([name, { roles, tenant }]) => [
    ...(roles.length === 0 ? [`internal.identities: ${name} has no roles`] : []),
    ...(tenant === undefined || isUlid(tenant)
      ? []
      : [`internal.identities: ${name} has a tenant that is no id`]),
  ]);
}

function oidcProblems(config: Config): readonly string[] {
  const issuer = config["api.oidc_issuer"];
  if (issuer === "") return [];
  return [
    ...(isSafeUrl(issuer)
      ? []
      : [`api.oidc_issuer: ${issuer} must be https://…, or http:// to this machine`]),
    ...(config["api.oidc_audience"] === ""
      ? [
          "api.oidc_audience: is needed because api.oidc_issuer is set: without it tokens for others would be taken",
        ]
      : []),
  ];
}

function consoleProblems(config: Config): readonly string[] {
  if (config["console.oidc_client_id"] === "") return [];
  return [
    ...(config["api.oidc_issuer"] === ""
      ? ["api.oidc_issuer: is needed because console.oidc_client_id is set: nobody else could sign people in"]
      : []),
    ...(config["console.oidc_scopes"].split(" ").includes("openid")
      ? []
      : ["console.oidc_scopes: must have openid: without it the issuer does not say who signed in"]),
  ];
}

/** https, or plain HTTP to this very machine. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  if (username !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
}

/** The value is not repeated: it may have a password in it. */
function redisProblems(config: Config): readonly string[] {
  if (config["ratelimit.backend"] !== "redis") return [];
  const url = URL.canParse(config["redis.url"]) ? new URL(config["redis.url"]) : undefined;
  if (url !== undefined && ["redis:", "rediss:"].includes(url.protocol) && url.hostname !== "") return [];
  return ["redis.url: must be redis://host:port or rediss://host:port because ratelimit.backend is redis"];
}

function cassandraProblems(config: Config): readonly string[] {
  const isNamed = config["storage.cassandra.username"] !== "";
  if (config["storage.engine"] !== "cassandra" || isNamed || config["storage.cassandra.password"] === "")
    return [];
  return ["storage.cassandra.username: is needed because storage.cassandra.password is set"];
}

/** 127.0.0.0/8, ::1, or a name that resolves to nothing else. */
export async function isLoopback(host: string): Promise<boolean> {
  if (/^127\.[0-9]+\.[0-9]+\.[0-9]+$/.test(host) || host === "::1") return true;
  if (/^[0-9.]+$/.test(host) || host.includes(":")) return false;
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isLoopbackIp(address));
  } catch {
    return false;
  }
}
