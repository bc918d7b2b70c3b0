import { limits, type Refusal, refuse } from "#base";
import type { Draft } from "../draft/draft.ts";
import { depthOf } from "../rows/figures.ts";
import { type Item, isOver } from "../rows/item.ts";
import type { SingletonVerdict } from "./singleton.ts";

/** What a request adds to a queue; less than nothing where it ends others. */
interface Room {
  readonly items: number;
  readonly bytes: number;
}

/** Only what the request adds is asked about: what adds nothing is taken by a full queue, too. */
export function hasNoRoom({ router, state, depth, bytes, depthMax }: Draft, more: Room): boolean {
  const { max_depth, max_bytes } = router.config;
  if (more.items > 0) {
    const waiting = depthOf(state) + depth + more.items;
    if (waiting > max_depth || waiting > depthMax) return true;
  }
  return more.bytes > 0 && state.bytes + bytes + more.bytes > max_bytes;
}

/** What the items of a key leave that a newer one ends. A lease takes no place in line. */
export function roomFreed(draft: Draft, groupId: string, verdict: SingletonVerdict): Room {
  const waiting = groupId ? draft.groups.key(groupId)?.waiting : "";
  const ended: (Item | null | undefined)[] = [
    verdict.type === "replace" ? verdict.existing : null,
    waiting ? draft.item(waiting) : null,
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
export function fullQueue({ router, depthMax }: Draft, bytes: number): Refusal {
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
