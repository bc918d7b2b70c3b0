import { limits, refuse } from "#base";
import type { Context, Decision, RangeRef, StoredRow } from "#runtime";
import { isPaused } from "./claim.ts";
import { Draft } from "./draft.ts";
import { finish } from "./finish.ts";
import { type Item, isWaiting } from "./item.ts";
import { fromRow } from "./item-row.ts";
import { stepForward } from "./line.ts";
import { reachPool } from "./pool.ts";
import type { Event, State } from "./state.ts";

export type ControlCommand =
  | { readonly type: "pause"; readonly untilMs: number; readonly reason: string }
  | { readonly type: "resume" }
  | { readonly type: "drain"; readonly most: number };

export function decideControl(state: State, command: ControlCommand, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  // The answer shows how old the oldest item is.
  if (command.type !== "drain") oldestWaiting(draft, 1);
  if (draft.missing.length > 0) return { need: draft.missing };
  switch (command.type) {
    case "pause": {
      if (command.untilMs > 0 && command.untilMs <= context.now)
        return refuse("INVALID_ARGUMENT", "until is in the past", {
          fields: [{ field: "until", reason: "is in the past" }],
        });
      const pause = {
        untilMs: command.untilMs,
        reason: command.reason,
        by: context.caller?.subject ?? "",
        at: context.now,
      };
      return { events: [{ type: "paused", pause }] };
    }
    case "resume":
      return { events: state.pause === null ? [] : [{ type: "resumed" }] };
    case "drain": {
      for (const item of oldestWaiting(draft, command.most)) finish(draft, item, "cancelled", "drained");
      stepForward(draft);
      if (draft.missing.length > 0) return { need: draft.missing };
      return draft.isEmpty ? { events: [] } : draft.decided(null);
    }
  }
}

/** Items that wait, oldest first. Ids are in order of creation, and only live items are in this collection. */
export function oldestWaiting(draft: Draft, most: number): Item[] {
  const { state, context } = draft;
  if (state.counts.scheduled + state.counts.ready + state.counts.retry_wait === 0) return [];
  const found: Item[] = [];
  let from = "";
  for (;;) {
    const ref: RangeRef = {
      collection: "item",
      prefix: [],
      ...(from && { from: [from] }),
      limit: Math.min(limits.queueScanMax, most + state.leases.size),
    };
    const rows: readonly StoredRow[] | undefined = context.range(ref);
    if (rows === undefined) {
      draft.missing.push(ref);
      return found;
    }
    for (const row of rows) {
      const id = row.key[0] as string;
      const item = state.leases.get(id) ?? state.recent.find(id) ?? fromRow(row.value);
      if (!isWaiting(item.state)) continue;
      found.push(item);
      if (found.length === most) return found;
    }
    if (rows.length < ref.limit) return found;
    from = `${rows.at(-1)!.key[0]}\0`;
  }
}

export function pauseState(state: State, now: number): { paused: boolean; until: number; reason: string } {
  if (!isPaused(state, now)) return { paused: false, until: 0, reason: "" };
  return { paused: true, until: state.pause!.untilMs, reason: state.pause!.reason };
}
