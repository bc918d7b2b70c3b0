import type { CassandraSettings } from "#storage";
import { migrateCassandra } from "../../storage/cassandra/index.ts";
import { type CassandraNode, type CassandraOptions, startCassandraNodes } from "../support/cassandra.ts";

/** A Cassandra node for the servers of one run: their settings, and how to end it. */
export async function startCassandra(options: CassandraOptions = {}): Promise<{
  readonly settings: readonly string[];
  readonly node: { readonly host: string; readonly port: number };
  readonly storage: CassandraSettings;
  readonly host: CassandraNode;
  stop(): Promise<void>;
}> {
  const cluster = await startCassandraNodes(options);
  const wanted = cluster.settings("crash");
  await migrateCassandra(wanted);
  const { contactPoints, keyspace, localDataCenter, replicationFactor } = wanted;
  return {
    settings: [
      "storage.engine=cassandra",
      `storage.cassandra.contact_points=${contactPoints.join(",")}`,
      `storage.cassandra.keyspace=${keyspace}`,
      `storage.cassandra.local_data_center=${localDataCenter}`,
      `storage.cassandra.replication_factor=${replicationFactor}`,
    ],
    node: { host: cluster.nodes[0]!.configuration.address, port: cluster.port },
    storage: wanted,
    host: cluster.nodes[0]!,
    stop: () => cluster.stop(),
  };
}

/** The server has to open every shard by a vote of the replicas before there is load to be killed under. */
export const cassandraLifeMsMax = 3_000;
