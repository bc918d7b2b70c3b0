import type { Plane } from "../calls/call.ts";
import type { Config } from "../config/index.ts";

export interface Capability {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** Why it is not active; empty when it is. */
  readonly reason: string;
  readonly dependencies: readonly string[];
}

type Mode = "active" | "disabled" | "unwired" | "degraded";

/** The features of this installation, by id; those of the internal plane are hidden from the external one. */
export function capabilitiesOf(config: Config, plane: Plane): Capability[] {
  return features
    .filter((feature) => plane === "internal" || feature.internal !== true)
    .map(({ id, name, dependencies = [], state }) => {
      const [mode, reason] = state?.(config) ?? active;
      return { id, name, mode, reason, dependencies };
    });
}

type State = readonly [Mode, string];

interface Feature {
  readonly id: string;
  readonly name: string;
  readonly dependencies?: readonly string[];
  readonly internal?: true;
  /** Absent: always active. */
  readonly state?: (config: Config) => State;
}

const active: State = ["active", ""];

/** In order of id, which is the order of the list. */
const features: readonly Feature[] = [
  { id: "admission", name: "Admission constraints", dependencies: ["queues"] },
  {
    id: "api_keys",
    name: "API keys",
    dependencies: ["authentication"],
    state: (config) =>
      config["auth.api_key_enabled"] ? active : ["disabled", "auth.api_key_enabled is false"],
  },
  { id: "authentication", name: "Authentication", state: authentication },
  {
    id: "authorization",
    name: "Roles and scopes",
    dependencies: ["authentication"],
    state: (config) => {
      if (config["authz.provider"] !== "none") return active;
      return config["authz.allow_when_unconfigured"]
        ? ["degraded", "authz.provider is none, and everything is allowed"]
        : ["unwired", "authz.provider is none, and nothing is allowed"];
    },
  },
  {
    id: "cluster",
    name: "Several nodes",
    dependencies: ["durability"],
    state: ({ "storage.engine": engine }) =>
      engine === "cassandra"
        ? ["unwired", "nodes that share the shards come with membership; one process serves a keyspace"]
        : ["disabled", `storage.engine is ${engine}, which serves one node`],
  },
  { id: "dead_letters", name: "Dead letters", dependencies: ["queues"] },
  {
    id: "durability",
    name: "Durable storage",
    state: ({ "storage.engine": engine }) =>
      engine === "memory"
        ? ["degraded", "storage.engine is memory: everything is forgotten at exit"]
        : active,
  },
  {
    id: "dynamic_config",
    name: "Settings per tenant",
    state: (config) =>
      config["dynamic_config.enabled"] ? active : ["disabled", "dynamic_config.enabled is false"],
  },
  { id: "event_stream", name: "Stream of events", dependencies: ["durability"], internal: true },
  {
    id: "oidc",
    name: "Bearer tokens of an issuer",
    dependencies: ["authentication"],
    state: (config) => {
      if (config["api.oidc_issuer"] === "") return ["disabled", "api.oidc_issuer is not set"];
      return config["api.oidc_audience"] === "" ? ["unwired", "api.oidc_audience is not set"] : active;
    },
  },
  { id: "queues", name: "Queues", dependencies: ["durability"] },
  {
    id: "rate_limit",
    name: "Rate limits",
    state: ({ "ratelimit.backend": backend }) => {
      if (backend === "none") return ["disabled", "ratelimit.backend is none"];
      return backend === "local"
        ? ["degraded", "ratelimit.backend is local: every thread counts for itself"]
        : active;
    },
  },
  { id: "routing", name: "Routing", dependencies: ["durability"] },
  {
    id: "tracing",
    name: "Traces",
    state: (config) =>
      config["telemetry.otlp_endpoint"] === "" ? ["disabled", "telemetry.otlp_endpoint is not set"] : active,
  },
];

function authentication(config: Config): State {
  if (!config["auth.enabled"]) return ["disabled", "auth.enabled is false: every caller is an administrator"];
  if (config["api.oidc_issuer"] === "" && !config["auth.api_key_enabled"]) {
    return ["unwired", "neither api.oidc_issuer nor auth.api_key_enabled is set"];
  }
  return config["auth.allow_anonymous"]
    ? ["degraded", "auth.allow_anonymous is true: callers without credentials may read"]
    : active;
}
