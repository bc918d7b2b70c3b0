import type { RowWriter } from "#runtime";
import type { Classes } from "../memory/classes.ts";
import type { Statistics } from "../memory/statistics.ts";
import type { Totals } from "../memory/totals.ts";
import { type ItemState, itemStates } from "./item.ts";
import type { LeaseRows } from "./lease-rows.ts";

/** What no other row tells of a queue: counters and times. */
export interface Stats {
  /** Arrivals so far: the last part of the order in line. */
  order: number;
  /** Virtual time by band: the start of the item served last. */
  readonly virtualTime: number[];
  /** The furthest virtual start that anybody was given, in any band. */
  furthestStart: number;
  readonly counts: Record<ItemState, number>;
  quarantined: number;
  /** Ready items that an admission group holds back. */
  held: number;
  /** Items in the lines of single recipients: there may be some for a while after the pool has given up its sticky key. */
  kept: number;
  /** Payload bytes of items that wait or are leased. */
  bytes: number;
  liveItems: number;
  /** When the queue's one timer is due; 0: not set. */
  armedAt: number;
  /** When the first finished item may be forgotten; 0: none waits for it. */
  retainFirstAt: number;
  readonly statistics: Statistics;
  readonly totals: Totals;
  readonly leaseRows: LeaseRows;
  readonly classes: Classes;
  /** Every item that stands in line with this order or a lower one has a row in `line`, even if it is recent. */
  lined: number;
  readonly recent: {
    readonly size: number;
    readonly since: string;
    forget(size: number, since: string): void;
  };
}

/** In one row, which every commit writes. */
export function putStats(state: Stats, rows: RowWriter): void {
  rows.put("meta", ["stats"], statsRow(state));
}

export function restoreStats(state: Stats, r: readonly never[]): void {
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
  state.totals.restore(r[18]!);
  countLive(state);
}

/** One timer for everything the queue waits for: the earliest. */
export function arm(state: Stats, at: number, rows: RowWriter): void {
  if (state.armedAt !== 0 && state.armedAt <= at) return;
  state.armedAt = at;
  rows.setTimer("tick", at);
}

function statsRow(state: Stats): unknown[] {
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
    state.totals.row(),
  ];
}

/** Items that wait, in line or for a time. */
export function depthOf({ counts }: Pick<Stats, "counts">): number {
  return counts.scheduled + counts.ready + counts.retry_wait;
}

export function countLive(state: Stats): void {
  const { scheduled, ready, leased, retry_wait, dead } = state.counts;
  state.liveItems = scheduled + ready + leased + retry_wait + dead;
}
