import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { isBusy, meterOf, type QueueGone, type QueueTold } from "../../../kit/meter.ts";
import type { Event, State } from "../state.ts";

/** A new queue is told of at once; whatever changes later waits for more, so that the hot path only compares two numbers. */
export function noteTell({ totals }: State, type: Event["type"], rows: RowWriter): void {
  if (type !== "opened" && type !== "changed") return;
  const at = type === "opened" ? rows.now : rows.now + limits.queueTellMs;
  if (totals.tellAt !== 0 && totals.tellAt <= at) return;
  totals.tellAt = at;
  rows.setTimer("tell", at);
}

export function tell(state: State, environment: string, rows: RowWriter): void {
  const { totals, counts, tenant, handle } = state;
  const { scheduled, ready, leased, retry_wait } = counts;
  const told: QueueTold = {
    type: "told",
    environment,
    at: rows.now,
    totals: { ...totals.values },
    waits: [...totals.waits],
    live: { scheduled, ready, leased, retry_wait },
    oldestReadyAt: totals.ages.oldestAt,
  };
  rows.send(meterOf(tenant, handle), told);
  totals.tellAt = isBusy(told) ? rows.now + limits.queueTellAgainMs : 0;
  if (totals.tellAt > 0) rows.setTimer("tell", totals.tellAt);
  else rows.clearTimer("tell");
}

export function tellGone({ tenant, handle }: State, rows: RowWriter): void {
  const gone: QueueGone = { type: "gone" };
  rows.send(meterOf(tenant, handle), gone);
  rows.clearTimer("tell");
}
