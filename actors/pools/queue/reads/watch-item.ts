import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { RouterView } from "../../router.ts";
import { type Item, isOver } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { findItem } from "../unit/find.ts";
import { reachPool } from "../unit/pool.ts";
import { Rooms } from "./room.ts";
import { fullMessage } from "./view.ts";

export interface WatchItem {
  readonly type: "watch";
  readonly id: string;
  readonly until: "finished" | "started";
  readonly waitMs: number;
  /** Set when it is first parked: how long it waits is counted from then. */
  readonly untilMs?: number;
}

/** Waits in the queue until the item is that far; the answer tells how it is then, or when the wait is over. */
export function watchItem(state: State, command: WatchItem, context: Context): Decision<Event> {
  const router = context.twin<RouterView>("router");
  const refused = reachPool(router, context);
  if (refused) return refused;
  const item = findItem(state, context, command.id);
  if (item === null) return refuse("NOT_FOUND", `there is no item ${command.id}`);
  if (item === undefined) return { events: [] };
  const reached = isReached(item, command.until);
  if (!reached && !context.expired && command.waitMs > 0) {
    state.watched.open();
    const untilMs = command.untilMs ?? context.now + command.waitMs;
    return { park: { untilMs, watches: true, command: { ...command, untilMs } } };
  }
  const rooms = new Rooms(state, router, context.now);
  return { events: [], answer: { item: fullMessage(state, context, item, { far: true, rooms }), reached } };
}

/** One that was given back was started, too. */
function isReached({ state, deliveries }: Item, until: WatchItem["until"]): boolean {
  return isOver(state) || (until === "started" && deliveries > 0);
}
