import { limits, shortened } from "#base";
import { type RowWriter, rowsOf } from "#runtime";
import type { Change } from "./change.ts";
import { type Ended, type Item, isOver, type Progress } from "./item.ts";

/** How a lease ended that was not completed, or a retry out of the dead letters. */
export interface HistoryEntry {
  /** Counts all entries of the item. */
  readonly number: number;
  readonly delivery: number;
  /** Empty of a retry out of the dead letters, as are the members below. */
  readonly recipient: string;
  readonly leasedAt: number;
  readonly endedAt: number;
  readonly outcome: HistoryOutcome;
  readonly error: string;
  readonly errorType: string;
  readonly progress: Progress | null;
}

type HistoryOutcome = (typeof outcomes)[Exclude<Ended["by"], "complete">] | "redriven";

const outcomes = {
  fail: "failed",
  expired: "expired",
  release: "released",
  reject: "rejected",
  cancelled: "cancelled",
} as const;

/** The newest entries of each item: a new one takes the slot of the oldest, so that nothing has to be read for it. */
export const historyRows = rowsOf<HistoryEntry, readonly [id: string, slot: number]>("history");

/** Rows there are of an item's history. */
export function historyCount({ history }: Pick<Item, "history">): number {
  return Math.min(history, limits.queueHistoryMax);
}

/** Notes what a step adds to the history of its item. `had`: the item with the lease that the step may end. */
export function putHistory({ from, item }: Change, had: Item | undefined, rows: RowWriter): void {
  const entry = had ? endOf(had, item) : redriveOf(from, item);
  if (entry === undefined) return;
  const number = item.history - 1;
  rows.put(historyRows, [item.id, number % limits.queueHistoryMax], {
    ...entry,
    number,
    endedAt: rows.now,
  });
}

export function deleteHistory(id: string, count: number, rows: RowWriter): void {
  for (let slot = 0; slot < count; slot++) rows.delete(historyRows, [id, slot]);
}

type Entry = Omit<HistoryEntry, "number" | "endedAt">;

function endOf(
  { lease, deliveries: delivery }: Item,
  { ended, error, lease: next }: Item,
): Entry | undefined {
  if (ended?.token !== lease!.token || ended.by === "complete" || next?.token === ended.token)
    return undefined;
  const { recipient, leasedAt, progress } = lease!;
  const own = ended.by === "release" || ended.by === "cancelled" ? null : error;
  return {
    delivery,
    recipient,
    leasedAt,
    outcome: outcomes[ended.by],
    error: shortened(own?.message ?? "", limits.queueHistoryErrorMax),
    errorType: own?.type ?? "",
    progress,
  };
}

function redriveOf(from: Change["from"], item: Item): Entry | undefined {
  if (from?.state !== "dead" || isOver(item.state)) return undefined;
  return {
    delivery: 0,
    recipient: "",
    leasedAt: 0,
    outcome: "redriven",
    error: "",
    errorType: "",
    progress: null,
  };
}
