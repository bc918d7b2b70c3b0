import { readFileSync } from "node:fs";
import test, { type TestFn } from "ava";
import { attachStorage, type StorageHost, startStorage } from "#storage";
import type { MakeEngine } from "../engine.cases.ts";
import { journalCases } from "../journal.cases.ts";
import { objectsCases } from "../objects.cases.ts";
import { tablesCases } from "../tables.cases.ts";
import { fencingCases } from "./fencing.cases.ts";
import { migrateCassandra } from "./index.ts";
import { keyspaceCases } from "./keyspace.cases.ts";
import { sweepCases } from "./sweep.cases.ts";

const serial = test.serial as TestFn;
const base = JSON.parse(readFileSync("/tmp/cass-lab/settings.json", "utf8"));
const run = `r${Date.now().toString(36)}`;
const settings = (keyspace: string) => ({
  ...base,
  keyspace: keyspace === "verified" ? keyspace : `${run}_${keyspace}`.slice(0, 48),
});
let host: StorageHost;
let shards = 0;
test.before(async () => {
  await migrateCassandra(settings("suites"));
  host = await startStorage({ engine: "cassandra", ...settings("suites") }, () => {});
});
test.after.always(async () => {
  await host?.close();
});
const makeEngine: MakeEngine = async () => ({
  attach: () => attachStorage(host.seat(0).data),
  newShard: () => shards++,
  close: () => Promise.resolve(),
});
journalCases(serial, makeEngine);
tablesCases(serial, makeEngine);
sweepCases(serial, makeEngine);
objectsCases(serial, makeEngine);
keyspaceCases(serial, settings);
fencingCases(
  serial,
  () => settings("suites"),
  () => shards++,
);
