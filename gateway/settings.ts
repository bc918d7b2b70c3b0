import type { StorageSettings } from "#storage";
import type { PipelineSettings } from "./calls/stages/stage.ts";
import type { Config } from "./config/index.ts";
import type { RedisSettings } from "./redis/index.ts";

/** From the table of settings to what each part is made of. */
export function pipelineSettings(config: Config): PipelineSettings {
  return {
    authEnabled: config["auth.enabled"],
    ...(config["auth.allow_anonymous"] ? { anonymousTenant: config["auth.anonymous_tenant"] } : {}),
    authzProvider: config["authz.provider"],
    authzAllowWhenUnconfigured: config["authz.allow_when_unconfigured"],
    concurrentRequestsMax: config["api.max_concurrent_requests"],
    concurrentRequestsPerTenantMax: config["api.max_concurrent_requests_per_tenant"],
    streamsMax: config["api.max_streams"],
    globalRps: config["ratelimit.global_rps"],
    tenantRps: config["ratelimit.tenant_rps"],
    rateLimitFailMode: config["ratelimit.fail_mode"],
    sunsets: config["deprecation.sunset"],
    slowRequestMs: config["telemetry.slow_request"],
    entitlementEnforcement: config["entitlement.enforcement"],
    entitlementGraceUnprovisioned: config["entitlement.grace_unprovisioned"],
  };
}

export function redisSettings(config: Config): RedisSettings {
  return {
    url: config["redis.url"],
    timeoutMs: config["redis.timeout"],
    keyPrefix: config["redis.key_prefix"],
  };
}

export function storageSettings(config: Config): StorageSettings {
  const engine = config["storage.engine"];
  switch (engine) {
    case "memory":
      return { engine };
    case "embedded":
      return { engine, dir: config["storage.dir"] };
    case "cassandra":
      return {
        engine,
        contactPoints: config["storage.cassandra.contact_points"],
        keyspace: config["storage.cassandra.keyspace"],
        localDataCenter: config["storage.cassandra.local_data_center"],
        replicationFactor: config["storage.cassandra.replication_factor"],
        partitionBytesMax: config["storage.cassandra.partition_size"],
        formatMax: config["cluster.format_max"],
        ...(config["storage.cassandra.username"] === ""
          ? {}
          : {
              username: config["storage.cassandra.username"],
              password: config["storage.cassandra.password"],
            }),
        ...cassandraTls(config),
      };
  }
}

/** A setting that names any of the files means TLS: without the authority's, those that Node trusts count. */
function cassandraTls(config: Config) {
  const caFile = config["storage.cassandra.tls_ca_file"];
  const certFile = config["storage.cassandra.tls_cert_file"];
  const keyFile = config["storage.cassandra.tls_key_file"];
  if (caFile === "" && certFile === "" && keyFile === "") return {};
  return {
    tls: {
      ...(caFile === "" ? {} : { caFile }),
      ...(certFile === "" ? {} : { certFile }),
      ...(keyFile === "" ? {} : { keyFile }),
    },
  };
}
