import type { StorageSettings } from "./index.ts";

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
      return (await import("./cassandra/index.ts")).verifyCassandra(settings);
  }
}
