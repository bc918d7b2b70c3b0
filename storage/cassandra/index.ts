/**
 * Storage on Cassandra. Owns one keyspace: the journal (a partition per shard, written only by conditional batches
 * that name epoch, owner and head), the tables (plain rows whose write time is their event's sequence) and objects (chunks
 * behind a conditional pointer). Promises what storage/ promises, as long as a quorum of replicas in the home data
 * center keeps what it acknowledged. Losing a quorum's disks loses data; losing a quorum's answers only stops it.
 */
export { attachCassandra, startCassandra } from "./host.ts";
export { migrateCassandra } from "./migrate.ts";
export { verifyCassandra } from "./verify.ts";
