import { readFile } from "node:fs/promises";
import { policies, types } from "cassandra-driver";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";

/** How the driver is set up: nothing is repeated behind our back, and a node that returns is soon used again. */
export async function clientOptions(settings: CassandraSettings) {
  assertNames(settings);
  const [firstPoint] = settings.contactPoints;
  // `host:port` or `[address]:port`: the colons of a bare IPv6 address are no sign of a port.
  const port = Number(/^(?:[^:]*|\[.*\]):(\d+)$/.exec(firstPoint ?? "")?.[1] ?? 9042);
  return {
    contactPoints: [...settings.contactPoints],
    // Named, so that the first connection does not begin with a refused guess.
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
    // A dead connection is found, and its timer gone, within seconds.
    pooling: { heartBeatInterval: limits.cassandraRequestMsMax },
    // A node that comes back is used again within two seconds, not within ten minutes.
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

/** They stand in statements where no parameter can. */
function assertNames({ keyspace, localDataCenter, replicationFactor }: CassandraSettings): void {
  const claims: [boolean, string][] = [
    [/^[a-z][a-z0-9_]{0,47}$/.test(keyspace), "a keyspace is named by a-z, 0-9 and _, at most 48"],
    [/^[A-Za-z0-9_.-]{1,64}$/.test(localDataCenter), "a data center is named by letters, digits, _ . and -"],
    [Number.isInteger(replicationFactor) && replicationFactor > 0, "a replication factor is a number from 1"],
  ];
  for (const [holds, claim] of claims) if (!holds) throw new StorageError("corrupt", claim);
}
