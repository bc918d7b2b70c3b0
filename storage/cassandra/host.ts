import { limits } from "#base";
import type { CassandraBootstrap } from "../bootstrap.ts";
import { corrupt, StorageError } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";
import type { Log, Storage, StorageBootstrap, StorageHealth, StorageHost } from "../storage.ts";
import { Buckets } from "./buckets.ts";
import { orUnavailable, reasonOf } from "./errors.ts";
import { assertFormat, cassandraFormats } from "./formats.ts";
import { CassandraJournal } from "./journal.ts";
import { Lanes } from "./lanes.ts";
import { Layouts } from "./layouts.ts";
import { cassandraMembers } from "./members.ts";
import { readMeta } from "./migrate.ts";
import { cassandraObjects } from "./objects.ts";
import { newestFormat, schemaVersion } from "./schema.ts";
import { Session } from "./session.ts";
import { journalStatements } from "./statements.ts";
import { CassandraTables } from "./tables.ts";
import { warnings } from "./warnings.ts";

/** Checks the keyspace and gives out bootstraps. Every worker has its own connections (docs/adr/0060). */
export async function startCassandra(settings: CassandraSettings, log: Log): Promise<StorageHost> {
  const session = await Session.connect(settings);
  try {
    await assertKeyspace(session, settings);
    for (const warning of await warnings(session, settings.keyspace)) log(warning);
  } catch (error) {
    await session.close();
    throw error;
  }
  const workers = new Set<number>();
  const bootstrapCount = new Int32Array(new SharedArrayBuffer(4));
  const usedFormat = new Int32Array(new SharedArrayBuffer(4));
  return {
    members: cassandraMembers(session),
    formats: cassandraFormats(session, usedFormat, settings.formatMax),
    bootstrap(worker): StorageBootstrap {
      workers.add(worker);
      Atomics.store(bootstrapCount, 0, workers.size);
      return { data: { engine: "cassandra", settings, bootstrapCount, usedFormat }, transfer: [] };
    },
    health: () => health(session),
    close: () => session.close(),
  };
}

export async function attachCassandra(bootstrap: CassandraBootstrap, log: Log): Promise<Storage> {
  const { settings, bootstrapCount, usedFormat } = bootstrap;
  const session = await Session.connect(settings);
  const share = () => Math.max(1, Math.floor(limits.cassandraInFlightMax / Atomics.load(bootstrapCount, 0)));
  const lanes = new Lanes(share);
  const layouts = new Layouts(session);
  const journal = new CassandraJournal(session, lanes, layouts, settings.formatMax);
  const buckets = new Buckets(session, lanes, {
    bytesMax: settings.partitionBytesMax ?? limits.cassandraBucketBytesMax,
    log,
  });
  const tables = new CassandraTables(session, layouts, buckets);
  const objects = cassandraObjects(session);
  return {
    journal,
    tables,
    objects,
    get usedFormat() {
      return Atomics.load(usedFormat, 0);
    },
    async close() {
      journal.close();
      await tables.close();
      await session.close();
    },
  };
}

async function assertKeyspace(session: Session, settings: CassandraSettings): Promise<void> {
  const { keyspace, localDataCenter } = settings;
  const meta = (name: string) =>
    orUnavailable(
      `keyspace ${keyspace} cannot be read; is it made by \`service storage migrate\`?`,
      readMeta(session, name),
    );
  const version = Number((await meta("schema_version")) ?? 0);
  if (version < schemaVersion)
    throw new StorageError(
      "unavailable",
      `keyspace ${keyspace} has schema ${version}, ${schemaVersion} is needed: run \`service storage migrate\``,
    );
  // A migration only adds to the schema, so that nodes of the version before go on, and may restart, while others are
  // upgraded.
  if (version > schemaVersion + limits.versionsApartMax)
    throw corrupt(
      `keyspace ${keyspace} has schema ${version}, this program knows ${schemaVersion}: start a newer version of it`,
    );
  await assertFormat(session, settings.formatMax ?? newestFormat);
  const home = await meta("home_dc");
  if (home !== localDataCenter)
    throw corrupt(
      `the shards of keyspace ${keyspace} live in data center ${home}; a node in ${localDataCenter} would be a second group of writers`,
    );
  const shardCount = await meta("shard_count");
  if (shardCount !== String(limits.shardCount))
    throw corrupt(`keyspace ${keyspace} has ${shardCount} shards, this program ${limits.shardCount}`);
}

async function health(session: Session): Promise<StorageHealth> {
  try {
    await session.read(journalStatements.statics, [0]);
    return { state: "healthy", detail: "a quorum of Cassandra answers" };
  } catch (error) {
    return { state: "gone", detail: reasonOf(error) };
  }
}
