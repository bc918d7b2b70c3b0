import type { CassandraSettings, StorageSettings } from "./index.ts";

export interface DataReport {
  /** False: there is nothing to verify, neither sound nor damaged. */
  readonly found: boolean;
  /** False: something is damaged or contradicts itself; the sentence that says so begins with DAMAGED. */
  readonly sound: boolean;
  /** What was found, one sentence each. */
  readonly findings: readonly string[];
}

/** For `service data verify`: reads all there is, changes nothing, and says what it found. */
export async function verifyData(settings: StorageSettings): Promise<DataReport> {
  switch (settings.engine) {
    case "memory":
      return { found: true, sound: true, findings: ["The memory engine keeps nothing to verify."] };
    case "embedded":
      return (await import("./embedded/verify.ts")).verifyEmbedded(settings);
    case "cassandra":
      return verifyKeyspace(settings);
  }
}

async function verifyKeyspace(settings: CassandraSettings): Promise<DataReport> {
  const { verifyCassandra } = await import("./cassandra/index.ts");
  const { shards, entries, objects, problems, notes } = await verifyCassandra(settings);
  return {
    found: true,
    sound: problems.length === 0,
    findings: [
      ...problems.map((problem) => `DAMAGED: ${problem}`),
      `Keyspace ${settings.keyspace}: ${shards} shards, ${entries} entries behind the watermarks, ${objects} objects.`,
      ...notes,
    ],
  };
}
