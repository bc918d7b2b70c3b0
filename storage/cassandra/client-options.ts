import { readFile } from "node:fs/promises";
import { policies, types } from "cassandra-driver";
import { limits } from "#base";
import { corrupt } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";

/** Settings of the driver: it never retries by itself, and a node that comes back is used again soon. */
export async function clientOptions(settings: CassandraSettings) {
  assertNames(settings);
  const [firstPoint] = settings.contactPoints;
  // `host:port` or `[address]:port`. A bare IPv6 address contains colons too, but no port.
  const port = Number(/^(?:[^:]*|\[.*\]):(\d+)$/.exec(firstPoint ?? "")?.[1] ?? 9042);
  return {
    contactPoints: [...settings.contactPoints],
    // Set, so that the first connection does not try a protocol version that the server rejects.
    protocolOptions: { port, maxVersion: types.protocolVersion.v4 },
    localDataCenter: settings.localDataCenter,
    ...(settings.username === undefined
      ? {}
      : { credentials: { username: settings.username, password: settings.password ?? "" } }),
    ...(settings.tls === undefined ? {} : { sslOptions: await tlsOptions(settings.tls) }),
    socketOptions: {
      readTimeout: limits.cassandraRequestMsMax,
      connectTimeout: limits.cassandraRequestMsMax,
    },
    // A dead connection is detected, and its timer removed, within seconds.
    pooling: { heartBeatInterval: limits.cassandraRequestMsMax },
    // A node that comes back is used again within two seconds, instead of up to ten minutes.
    policies: { reconnection: new policies.reconnection.ExponentialReconnectionPolicy(100, 2_000, false) },
    encoding: { useUndefinedAsUnset: false },
  };
}

async function tlsOptions(tls: NonNullable<CassandraSettings["tls"]>) {
  return {
    ...(tls.caFile === undefined ? {} : { ca: await readFile(tls.caFile) }),
    ...(tls.certFile === undefined ? {} : { cert: await readFile(tls.certFile) }),
    ...(tls.keyFile === undefined ? {} : { key: await readFile(tls.keyFile) }),
    rejectUnauthorized: true,
  };
}

/** These values are part of the text of statements, where CQL allows no parameters. */
function assertNames({ keyspace, localDataCenter, replicationFactor }: CassandraSettings): void {
  const claims: [boolean, string][] = [
    [/^[a-z][a-z0-9_]{0,47}$/.test(keyspace), "a keyspace name has 1 to 48 of a-z, 0-9 and _"],
    [/^[A-Za-z0-9_.-]{1,64}$/.test(localDataCenter), "a data center name has letters, digits, _ . and -"],
    [
      Number.isInteger(replicationFactor) && replicationFactor > 0,
      "a replication factor is an integer of at least 1",
    ],
  ];
  for (const [holds, claim] of claims) if (!holds) throw corrupt(claim);
}
