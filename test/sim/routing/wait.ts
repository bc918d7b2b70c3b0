import type { Item } from "../../../actors/pools/queue/rows/item.ts";
import type { QueueAudit, RouterAudit } from "./actors.ts";
import type { PoolSettings } from "./settings.ts";

/** The wait reasons of items, compared with the rows of the whole queue. */
export function waitProblems(settings: PoolSettings, audit: QueueAudit, router: RouterAudit): string[] {
  return audit.waits.flatMap(([id, reason]) => {
    const item = audit.items.find((one) => one.id === id)!;
    if (holds(settings, audit, router, item, reason)) return [];
    return [`${id} (${item.state}, ${item.heldBy || item.list}) says it waits for ${reason}`];
  });
}

function holds(
  settings: PoolSettings,
  { items, paused }: QueueAudit,
  { recipients }: RouterAudit,
  item: Item,
  reason: string,
): boolean {
  if (item.state === "scheduled") return reason === (item.groups.debounce ? "debounce" : "scheduled");
  if (item.state === "retry_wait") return reason === "retry";
  if (paused) return reason === "paused";
  const sharesSlots = (other: Item) => other.groups.concurrency[0]?.id === item.groups.concurrency[0]?.id;
  switch (reason) {
    case "throttle":
      return settings.throttle !== undefined;
    case "concurrency": {
      // Slots that are taken, or that items ahead in line will take.
      const others = items.filter((other) => other.id !== item.id && sharesSlots(other));
      const ahead = others.filter((other) => other.lease !== null || other.list !== "");
      return settings.limit > 0 && ahead.length >= settings.limit;
    }
    case "singleton": {
      const active = items.some((other) => other.key === item.key && other.lease !== null);
      return settings.singleton === "keep_latest" && item.heldBy.startsWith("singleton:") && active;
    }
    case "sticky":
      return settings.sticky && recipients.some(({ id }) => id === item.list);
    case "no_capacity":
      return item.heldBy === "" && (item.classNo > 0 || !recipients.some(({ free }) => free));
    case "no_match":
      return item.heldBy === "" && (item.classNo > 0 || recipients.length === 0);
    case "queued":
      return item.heldBy === "" && item.list.startsWith("c");
    default:
      return false;
  }
}
