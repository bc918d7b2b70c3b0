import { type RowWriter, rowsOf } from "#runtime";
import { depthOf, type Stats } from "./stats.ts";

export const seriesMinuteMs = 60_000;

/** At the beginning of a minute: the totals and the depth, as they had been since the commit before. */
export type SeriesRow = readonly [totals: readonly number[], depth: number];

/** By the hour, whose number is used again when it is kept no longer, and the minute. */
export const seriesRows = rowsOf<SeriesRow, readonly [slot: number, minute: number]>("series");

export function slotOf(hour: number, hours: number): number {
  return hour % (hours + 1);
}

/**
 * Before the first change of a minute. A minute without a change has no row: all of it is as the next row says, or as it is now.
 */
export function noteMinute(state: Stats & { readonly seriesHours: number }, rows: RowWriter): void {
  const { totals, seriesHours } = state;
  const minute = Math.floor(rows.now / seriesMinuteMs);
  if (minute <= totals.minute || seriesHours === 0) return;
  const hour = Math.floor(minute / 60);
  const slot = slotOf(hour, seriesHours);
  if (hour !== Math.floor(totals.minute / 60)) rows.deletePrefix(seriesRows, [slot]);
  rows.put(seriesRows, [slot, minute], [Object.values(totals.values), depthOf(state)]);
  totals.minute = minute;
}
