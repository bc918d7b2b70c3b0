import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { limits } from "#base";

/**
 * Once when a thread has started, because starting leaves much more behind than serving needs; and once each time it has come
 * to rest: V8 gives the young generation back only in a full collection after some seconds in which little was made.
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

/** True once for every rest: when the time since the last look was quiet, and the look before was not the same rest. */
export function restOf(
  utilizationOf: (now?: Utilization, before?: Utilization) => Utilization,
): () => boolean {
  let before = utilizationOf();
  let rests = false;
  return () => {
    const now = utilizationOf();
    const rested = rests;
    rests = utilizationOf(now, before).utilization < restUtilizationMax;
    before = now;
    return rests && !rested;
  };
}

/** What timers and heartbeats take, several times over. */
const restUtilizationMax = 0.1;
