import type { RowWriter } from "#runtime";
import type { State } from "../state.ts";
import { itemStates } from "./item.ts";

/** What no other row tells of a queue: counters and times, in one row that every commit writes. */
export function putFigures(state: State, rows: RowWriter): void {
  rows.put("meta", ["figures"], figuresRow(state));
}

export function restoreFigures(state: State, r: readonly never[]): void {
  const lists = r as readonly (readonly number[])[];
  state.order = r[0]!;
  for (const [band, time] of lists[1]!.entries()) state.virtualTime[band] = time;
  for (const [index, count] of lists[2]!.entries()) state.counts[itemStates[index]!] = count;
  state.quarantined = r[3]!;
  state.held = r[4]!;
  state.bytes = r[5]!;
  state.armedAt = r[6]!;
  state.retainFirstAt = r[7]!;
  state.statistics.restore(r[8]!, r[9]!, r[10]!);
  state.classes.restoreCounts(r[11]!);
  state.leaseRows.last = r[12]!;
  state.lined = r[13]!;
  state.recent.forget(r[14]!, r[15]!);
  state.furthestStart = r[16]!;
  state.kept = r[17]!;
  countLive(state);
}

/** One timer for everything the queue waits for: the earliest. */
export function arm(state: State, at: number, rows: RowWriter): void {
  if (state.armedAt !== 0 && state.armedAt <= at) return;
  state.armedAt = at;
  rows.setTimer("tick", at);
}

function figuresRow(state: State): unknown[] {
  return [
    state.order,
    state.virtualTime,
    Object.values(state.counts),
    state.quarantined,
    state.held,
    state.bytes,
    state.armedAt,
    state.retainFirstAt,
    state.statistics.day,
    state.statistics.completedToday,
    state.statistics.waits,
    state.classes.countsRow(),
    state.leaseRows.last,
    state.lined,
    state.recent.size,
    state.recent.since,
    state.furthestStart,
    state.kept,
  ];
}

/** Items that wait, in line or for a time. */
export function depthOf({ counts }: Pick<State, "counts">): number {
  return counts.scheduled + counts.ready + counts.retry_wait;
}

export function countLive(state: State): void {
  const { scheduled, ready, leased, retry_wait, dead } = state.counts;
  state.liveItems = scheduled + ready + leased + retry_wait + dead;
}
