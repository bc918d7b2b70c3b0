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
export function hasNoRoom({ router, state, depth, bytes }: Draft, more: Room): boolean {
  const { max_depth, max_bytes } = router.config;
  if (more.items > 0 && depthOf(state) + depth + more.items > max_depth) return true;
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
