import { limits } from "#base";
import type { Config } from "../config/index.ts";
import { ConnectionCount, HeldBytes, type ThreadBounds } from "../http/bounds.ts";

/** What is shared by the threads of a process to keep its bounds; made by the main thread. */
export interface ProcessBounds {
  readonly connectionsMax: number;
  /** Open connections: a place for every worker, the last for the main thread. */
  readonly connectionCounts: SharedArrayBuffer;
  readonly workers: number;
}

export function processBounds(config: Config, workers: number, descriptorsMax: number): ProcessBounds {
  return {
    connectionsMax: config["server.max_connections"] || connectionsFor(descriptorsMax),
    connectionCounts: new SharedArrayBuffer(4 * (workers + 1)),
    workers,
  };
}

/** `place`: the number of the worker; as many as there are workers is the main thread. */
export function threadBounds(config: Config, shared: ProcessBounds, place: number): ThreadBounds {
  const share = config["server.request_memory_max"] / shared.workers;
  return {
    requests: new HeldBytes(share),
    answers: new HeldBytes(share),
    connectionUnreadMax: config["server.connection_unread_max"],
    connections: new ConnectionCount({
      max: shared.connectionsMax,
      counts: shared.connectionCounts,
      own: place,
    }),
  };
}

/** Storage, threads and logs keep theirs; where there are few, clients get half. */
function connectionsFor(descriptorsMax: number): number {
  return Math.max(Math.floor(descriptorsMax / 2), descriptorsMax - limits.descriptorsKept);
}
