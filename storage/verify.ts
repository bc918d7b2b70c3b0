import type { DataReport } from "./report.ts";
import type { StorageSettings } from "./settings.ts";

/** For `service data verify`: reads everything, changes nothing, and reports what it found. */
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
