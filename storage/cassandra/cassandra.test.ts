import test, { type TestFn } from "ava";
import { attachStorage, type StorageHost, startStorage } from "#storage";
import { type CassandraCluster, startCassandraNodes } from "../../test/support/cassandra.ts";
import { casesNeeding } from "../../test/support/needing.ts";
import type { MakeEngine } from "../engine.cases.ts";
import { journalCases } from "../journal.cases.ts";
import { objectsCases } from "../objects.cases.ts";
import { tablesCases } from "../tables.cases.ts";
import { bucketsCases } from "./buckets.cases.ts";
import { fencingCases } from "./fencing.cases.ts";
import { migrateCassandra } from "./index.ts";
import { keyspaceCases } from "./keyspace.cases.ts";
import { sweepCases } from "./sweep.cases.ts";

casesNeeding("all storage suites on a real Cassandra", ["cassandra"], () => cases(test.serial as TestFn));

function cases(serial: TestFn): void {
  let cluster: CassandraCluster;
  let host: StorageHost;
  let shards = 0;
  const warned: string[] = [];

  test.before(async () => {
    // A fifth of the default number of deleted rows that a server reads in one scan.
    cluster = await startCassandraNodes({ extra: "tombstone_failure_threshold: 20000" });
    await migrateCassandra(cluster.settings("suites"));
    host = await startStorage({ engine: "cassandra", ...cluster.settings("suites") }, (s) => warned.push(s));
  });
  test.after.always(async () => {
    await host?.close();
    await cluster?.stop();
  });

  const makeEngine: MakeEngine = async () => ({
    attach: () => attachStorage(host.bootstrap(0).data),
    newShard: () => shards++,
    close: () => Promise.resolve(),
  });
  serial("a start warns of a replication factor below 3", (t) => {
    t.is(warned.length, 1);
    t.regex(warned[0]!, /replication factor 1/);
  });
  journalCases(serial, makeEngine);
  tablesCases(serial, makeEngine);
  sweepCases(serial, makeEngine);
  objectsCases(serial, makeEngine);
  keyspaceCases(serial, (keyspace) => cluster.settings(keyspace));
  bucketsCases(
    serial,
    () => cluster.settings("suites"),
    () => shards++,
  );
  fencingCases(
    serial,
    () => cluster.settings("suites"),
    () => shards++,
  );
}
