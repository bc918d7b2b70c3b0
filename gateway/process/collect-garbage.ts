import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { limits } from "#base";

/**
 * Once when a thread has started, because starting leaves much more behind than serving needs; and each time it has come to
 * rest: V8 gives the young generation back only in a full collection after some seconds in which little was made.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const rest = restOf(performance.eventLoopUtilization);
  setInterval(() => {
    // Of a large heap it would be a long pause, and not worth it.
    if (rest() && getHeapStatistics().used_heap_size <= limits.idleCollectionBytesMax) collect();
  }, limits.idleLookMs).unref();
}

type Utilization = ReturnType<typeof performance.eventLoopUtilization>;

/** True when the time since the last look was quiet: twice for every rest, as V8 may count the first look as busy. */
export function restOf(
  utilizationOf: (now?: Utilization, before?: Utilization) => Utilization,
): () => boolean {
  let before = utilizationOf();
  let quietLooks = 0;
  return () => {
    const now = utilizationOf();
    quietLooks = utilizationOf(now, before).utilization < restUtilizationMax ? quietLooks + 1 : 0;
    before = now;
    return quietLooks === 1 || quietLooks === 2;
  };
}

/** What timers and heartbeats take, several times over. */
const restUtilizationMax = 0.1;
