import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { finish } from "../admission/finish.ts";
import { stepForward } from "../admission/line.ts";
import { oldestCreatedAt, oldestWaiting } from "../memory/oldest.ts";
import { type Event, isPaused, type State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";

export type ControlCommand =
  | { readonly type: "pause"; readonly untilMs: number; readonly reason: string }
  | { readonly type: "resume" }
  | { readonly type: "drain"; readonly most: number };

export function decideControl(state: State, command: ControlCommand, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  // The answer shows how old the oldest item is.
  if (command.type !== "drain") oldestCreatedAt(state, context);
  switch (command.type) {
    case "pause": {
      if (command.untilMs > 0 && command.untilMs <= context.now)
        return refuse("INVALID_ARGUMENT", "until is in the past", {
          fields: [{ field: "until", reason: "is in the past" }],
        });
      const { untilMs, reason } = command;
      if (state.pause?.untilMs === untilMs && state.pause.reason === reason) return { events: [] };
      const pause = { untilMs, reason, by: context.caller?.subject ?? "", at: context.now };
      return { events: [{ type: "paused", pause }] };
    }
    case "resume":
      return { events: state.pause === null ? [] : [{ type: "resumed" }] };
    case "drain": {
      for (const item of oldestWaiting(state, context, command.most))
        finish(unit, item, "cancelled", {}, "drained");
      stepForward(unit);
      return { ...unit.decided(), frees: true };
    }
  }
}

export function pauseState(state: State, now: number): { paused: boolean; until: number; reason: string } {
  if (!isPaused(state, now)) return { paused: false, until: 0, reason: "" };
  return { paused: true, until: state.pause!.untilMs, reason: state.pause!.reason };
}
