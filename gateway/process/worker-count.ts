import { availableParallelism } from "node:os";
import type { Config } from "../config/index.ts";

/**
 * How many threads serve and own shards. One core is left to the threads beside them, which write the tables, sync the
 * journal, compile and collect garbage, and to other processes on the machine.
 */
export function workerCount(config: Config, cores = availableParallelism()): number {
  // The memory engine lives in one thread.
  if (config["storage.engine"] === "memory") return 1;
  return config["server.workers"] || Math.max(1, cores - 1);
}
