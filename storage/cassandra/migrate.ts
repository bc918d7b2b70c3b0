import { limits } from "#base";
import { StorageError } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";
import { unavailable } from "./errors.ts";
import {
  foundingFacts,
  keyspaceStatement,
  metaStatement,
  migrations,
  newestFormat,
  schemaVersion,
} from "./schema.ts";
import { Session } from "./session.ts";
import { metaStatements } from "./statements.ts";

/**
 * Creates the keyspace or brings it to this version. Needs no lock: every step may run twice, and at the same time as
 * on another node; the version is raised by a conditional write after its statements are known to all nodes.
 */
export async function migrateCassandra(
  settings: CassandraSettings,
): Promise<{ readonly from: number; readonly to: number }> {
  const { keyspace, localDataCenter, replicationFactor } = settings;
  const session = await Session.connect(settings);
  try {
    await define(session, keyspaceStatement(keyspace, localDataCenter, replicationFactor));
    await define(session, metaStatement(keyspace));
    const create = async (name: string, value: string) =>
      (await session.conditional([{ query: metaStatements.create, params: [name, value] }])).applied;
    let isNew = false;
    for (const [name, value] of foundingFacts(localDataCenter)) isNew = await create(name, value);
    // Nodes that do not know the newest format may run on a keyspace that was there before: they agree on it themselves.
    if (isNew) await create("format", String(newestFormat));
    return await raiseVersion(session, keyspace);
  } catch (error) {
    throw unavailable(`keyspace ${keyspace} could not be migrated`, error);
  } finally {
    await session.close();
  }
}

export async function readMeta(session: Session, name: string): Promise<string | undefined> {
  return (await session.serial(metaStatements.get, [name])).first()?.value ?? undefined;
}

async function raiseVersion(session: Session, keyspace: string): Promise<{ from: number; to: number }> {
  const from = Number((await readMeta(session, "schema_version")) ?? 0);
  if (from > schemaVersion)
    throw new StorageError(
      "corrupt",
      `keyspace ${keyspace} has schema ${from}, this program knows ${schemaVersion}: it is too old`,
    );
  for (let version = from; version < schemaVersion; version++) {
    for (const statement of migrations(keyspace)[version]!) await define(session, statement);
    const params = [String(version + 1), "schema_version", String(version)];
    await session.conditional([{ query: metaStatements.replace, params }]);
  }
  return { from, to: schemaVersion };
}

async function define(session: Session, statement: string): Promise<void> {
  try {
    const result = await session.client.execute(statement, [], {
      readTimeout: limits.cassandraSchemaMsMax,
    });
    // The driver waits for agreement after a change of the schema; its types do not mention what it found.
    if ((result.info as { isSchemaInAgreement?: boolean }).isSchemaInAgreement === false)
      throw new StorageError(
        "unavailable",
        "the nodes do not agree on the schema yet: run the migration again",
      );
  } catch (error) {
    // Another node was faster between "if not exists" and the creation.
    if ((error as { code?: unknown }).code !== alreadyExists)
      throw unavailable("the schema could not be changed", error);
  }
}

const alreadyExists = 0x2400;
