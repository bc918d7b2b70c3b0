import { limits } from "#base";
import { corrupt, StorageError } from "../error.ts";
import type { CassandraSettings } from "../settings.ts";
import { unavailable } from "./errors.ts";
import { foundingFacts, keyspaceStatement, metaStatement, migrations, schemaVersion } from "./schema.ts";
import { Session } from "./session.ts";
import { metaStatements } from "./statements.ts";

/**
 * Creates the keyspace or brings its schema to this version. It needs no lock: every step may run twice, also at the
 * same time on several nodes. The version is raised by a conditional write once all nodes know the statements of that
 * version.
 */
export async function migrateCassandra(
  settings: CassandraSettings,
): Promise<{ readonly from: number; readonly to: number }> {
  const { keyspace, localDataCenter, replicationFactor } = settings;
  const session = await Session.connect(settings);
  try {
    await define(session, keyspaceStatement(keyspace, localDataCenter, replicationFactor));
    await define(session, metaStatement(keyspace));
    for (const fact of foundingFacts(localDataCenter))
      await session.conditional([{ query: metaStatements.create, params: fact }]);
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
    throw corrupt(
      `keyspace ${keyspace} has schema ${from}, this program knows ${schemaVersion}: run the migration with a newer version of it`,
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
    // The driver waits for schema agreement; its types do not include the result.
    if ((result.info as { isSchemaInAgreement?: boolean }).isSchemaInAgreement === false)
      throw new StorageError(
        "unavailable",
        "the nodes do not agree on the schema yet: run the migration again",
      );
  } catch (error) {
    // Another node created it between our "if not exists" check and the creation.
    if ((error as { code?: unknown }).code !== alreadyExists)
      throw unavailable("the schema could not be changed", error);
  }
}

const alreadyExists = 0x2400;
