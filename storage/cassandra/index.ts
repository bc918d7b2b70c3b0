/**
 * Storage on Cassandra. Owns one keyspace: the journal (one partition per shard, written only by conditional batches
 * that check epoch, owner and head), the tables (plain rows whose write time is the sequence of their event) and
 * objects (chunks behind a conditional pointer). It keeps the promises of storage/ as long as a quorum of replicas in
 * the home data center keeps what it acknowledged. If the disks of a quorum are lost, data is lost; if a quorum does
 * not answer, the service only waits.
 */
export { attachCassandra, startCassandra } from "./host.ts";
export { migrateCassandra } from "./migrate.ts";
export { verifyCassandra } from "./verify.ts";
