import { limits, type Refusal, refuse } from "#base";
import { type Item, isOver } from "../rows/item.ts";
import { depthOf } from "../rows/stats.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import type { SingletonVerdict } from "./singleton.ts";

/** What a request adds to a queue; less than nothing where it ends others. */
interface Room {
  readonly items: number;
  readonly bytes: number;
}

/** Only what the request adds is asked about: what adds nothing is taken by a full queue, too. */
export function hasNoRoom({ router, state, depth, bytes, depthMax }: UnitOfWork, more: Room): boolean {
  const { max_depth, max_bytes } = router.config;
  if (more.items > 0) {
    const waiting = depthOf(state) + depth + more.items;
    if (waiting > max_depth || waiting > depthMax) return true;
  }
  return more.bytes > 0 && state.bytes + bytes + more.bytes > max_bytes;
}

/** What the items of a key leave that a newer one ends. A lease takes no place in line. */
export function roomFreed(unit: UnitOfWork, groupId: string, verdict: SingletonVerdict): Room {
  const waiting = groupId ? unit.groups.key(groupId)?.waiting : "";
  const ended: (Item | null | undefined)[] = [
    verdict.type === "replace" ? verdict.existing : null,
    waiting ? unit.item(waiting) : null,
  ];
  let [items, bytes] = [0, 0];
  for (const item of ended) {
    if (!item || isOver(item.state)) continue;
    if (!item.lease) items++;
    bytes += item.bytes;
  }
  return { items, bytes };
}

/** Why an item of this size has no place now; one that is larger than the whole queue has none later either. */
export function fullQueue({ router, depthMax }: UnitOfWork, bytes: number): Refusal {
  const { max_depth, max_bytes } = router.config;
  if (bytes > max_bytes)
    return refuse(
      "PAYLOAD_TOO_LARGE",
      `payload and attributes have ${bytes} bytes; all items of this queue together may have ${max_bytes}`,
    );
  return refuse(
    "RATE_LIMITED",
    depthMax < max_depth
      ? `the queue is full: it holds the tenant's queue_depth (${depthMax}) items or max_bytes (${max_bytes}) of payloads`
      : `the queue is full: it holds max_depth (${max_depth}) items or max_bytes (${max_bytes}) of payloads`,
    { reason: "QUEUE_FULL", retryAfterMs: limits.retryAfterMs },
  );
}
