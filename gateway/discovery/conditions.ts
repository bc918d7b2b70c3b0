import type { Providers } from "../calls/stages/stage.ts";
import type { Config } from "../config/index.ts";

export type Mode = "active" | "disabled" | "unwired" | "degraded";

/** A mode and its reason. */
export type Condition = readonly [Mode, string];

/** What a mode follows from, besides other capabilities. */
export interface CapabilityParts {
  readonly config: Config;
  readonly providers: Providers;
  /** Whether there is a key that seals credentials. Absent: there is. */
  readonly sealing?: boolean;
}

function needsKey({ sealing }: CapabilityParts): Condition | undefined {
  return sealing === false
    ? ["unwired", "connector.encryption_key is not set: credentials cannot be stored"]
    : undefined;
}

/** Of capabilities whose mode follows from more than a switch and what they need; `undefined`: nothing stands against it. */
export const conditions: Readonly<Record<string, (parts: CapabilityParts) => Condition | undefined>> = {
  api_keys: ({ providers }) =>
    providers.apiKey === undefined ? ["unwired", "nothing in this process verifies API keys"] : undefined,

  authentication: ({ config, providers: { bearer, apiKey, certificate } }) => {
    if (bearer === undefined && apiKey === undefined && certificate === undefined)
      return ["unwired", "nothing in this process verifies credentials"];
    return config["auth.allow_anonymous"]
      ? ["degraded", "auth.allow_anonymous is true: callers without credentials may read"]
      : undefined;
  },

  authorization: ({ config }) => {
    if (config["authz.provider"] !== "none") return undefined;
    return config["authz.allow_when_unconfigured"]
      ? ["degraded", "authz.provider is none, and everything is allowed"]
      : ["unwired", "authz.provider is none, and nothing is allowed"];
  },

  cluster: ({ config: { "storage.engine": engine, "server.internal_addr": internal } }) => {
    if (engine !== "cassandra") return ["disabled", `storage.engine is ${engine}, which serves one node`];
    return internal === ""
      ? ["unwired", "server.internal_addr is empty: other nodes cannot reach this one"]
      : undefined;
  },

  connectors: needsKey,

  console_sessions: ({ config, providers: { apiKey, bearer } }) =>
    bearer !== undefined && apiKey === undefined && config["console.oidc_client_id"] === ""
      ? ["unwired", "console.oidc_client_id is not set, and auth.api_key_enabled is false"]
      : undefined,

  durability: ({ config }) =>
    config["storage.engine"] === "memory"
      ? ["degraded", "storage.engine is memory: everything is forgotten at exit"]
      : undefined,

  evidence: ({ config }) =>
    config["storage.engine"] === "cassandra" && config["evidence.signing_key_file"] === ""
      ? ["degraded", "evidence.signing_key_file is empty: every node signs with a key of its own"]
      : undefined,

  oidc: ({ providers }) =>
    providers.bearer === undefined
      ? ["unwired", "nothing in this process verifies bearer tokens"]
      : undefined,

  webhooks: needsKey,

  rate_limit: ({ config }) =>
    config["ratelimit.backend"] === "local"
      ? ["degraded", "ratelimit.backend is local: every thread counts for itself"]
      : undefined,
};
