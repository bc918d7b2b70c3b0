import { limits, takeFrom } from "#base";
import type { Address, Origin, StoredRow } from "#runtime";
import type { ActivationAnswer } from "../../kit/activation.ts";
import type { QueuePoolEvent, QueueView } from "../router.ts";
import type { QueueJob, QueueJobs, QueueJobsEvent } from "./jobs/job.ts";
import { BodyCache } from "./memory/body-cache.ts";
import { Classes, type ClassSpec } from "./memory/classes.ts";
import { Derived } from "./memory/derived.ts";
import { HotRows } from "./memory/hot-rows.ts";
import { LeaseEnds } from "./memory/lease-ends.ts";
import { LostLeases } from "./memory/lost-leases.ts";
import { Oldest } from "./memory/oldest.ts";
import { byLine, ReadyIndex } from "./memory/ready-index.ts";
import { RecentLine } from "./memory/recent-line.ts";
import type { Recheck, Rechecked } from "./memory/recheck-position.ts";
import { SortedWindow } from "./memory/sorted-window.ts";
import { Statistics } from "./memory/statistics.ts";
import { type SweepPosition, type Swept, sweepStart } from "./memory/sweep-position.ts";
import { Totals } from "./memory/totals.ts";
import { Watched } from "./memory/watched.ts";
import type { ChangedEvent } from "./rows/changed.ts";
import { byDue, type Due } from "./rows/due.ts";
import { type Group, groupFromRow } from "./rows/group.ts";
import { type Item, type ItemState, itemStates, jsonBytesOf } from "./rows/item.ts";
import { LeaseRows } from "./rows/lease-rows.ts";
import type { OriginSet } from "./rows/origin-set.ts";
import { ItemNews } from "./rows/published.ts";
import type { Forgotten, RetainRow } from "./rows/retained.ts";
import { restoreStats, type Stats } from "./rows/stats.ts";

/** What is in memory of a queue. Everything here can be rebuilt from rows; windows and caches may hold any part of them. */
export interface State extends QueueView, Stats {
  readonly tenant: string;
  readonly handle: string;
  poolId: string;
  /** How long the rows of the series are kept. */
  seriesHours: number;
  /** Key of the hash that redacts admission keys: the tenant's, given with the pool. */
  secret: string;
  paused: boolean;
  pause: Pause | null;
  liveItems: number;
  /** Finished in the open commit, by when they may be forgotten. */
  readonly retaining: Map<number, RetainRow>;
  /** What subscribers will be told of this commit. */
  readonly news: ItemNews;
  sweep: SweepPosition;
  /** Admission was configured anew, and not everybody it holds back was looked at since. */
  recheck: Recheck | null;
  readonly leases: Map<string, Item>;
  readonly leaseEnds: LeaseEnds;
  /** Of what workers have said of how far they are. */
  progressBytes: number;
  /** What the leases take of each recipient. */
  readonly leaseCost: Map<string, number>;
  readonly ready: ReadyIndex;
  readonly recent: RecentLine;
  /** By `heldLine`. */
  readonly heldLines: Map<string, SortedWindow<Item>>;
  readonly due: SortedWindow<Due>;
  readonly oldest: Oldest;
  readonly bodies: BodyCache;
  readonly groups: HotRows<Group>;
  readonly flows: HotRows<number>;
  readonly dedups: HotRows<string>;
  readonly jobs: QueueJobs;
  /** By item: who hears how it ends. Items of callers other than modules have none. */
  readonly origins: Map<string, readonly Origin[]>;
  readonly lost: LostLeases;
  readonly watched: Watched;
  readonly derived: Derived;
}

interface Pause {
  /** 0: until it is resumed. */
  readonly untilMs: number;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
}

export type Event =
  | ChangedEvent
  | { readonly type: "paused"; readonly pause: Pause }
  | { readonly type: "resumed" }
  | {
      readonly type: "cleared";
      readonly groupName: string;
      readonly by: string;
      readonly reason: string;
      readonly at: number;
    }
  /** Some of the entries; the answer says which. */
  | { readonly type: "redirected"; readonly toPoolId: string }
  | QueueJobsEvent
  | Forgotten
  | Swept
  | Rechecked
  /** Recent items up to this arrival get their rows in line. */
  | { readonly type: "lined"; readonly order: number }
  | { readonly type: "ticked"; readonly nextAt: number }
  | OriginSet
  | { readonly type: "told"; readonly environment: string }
  | { readonly type: "stats_sent"; readonly to: Address; readonly answer: ActivationAnswer }
  | QueuePoolEvent;

/** It hands nothing out; a pause that is over ends with the next tick. */
export function isPaused(state: State, now: number): boolean {
  return state.pause !== null && (state.pause.untilMs === 0 || state.pause.untilMs > now);
}

export const resident = ["meta", "class", "lease", "job", "origin"] as const;

export function empty(address: Address): State {
  const bodies = new BodyCache();
  return {
    tenant: address.tenant,
    handle: address.key,
    poolId: "",
    seriesHours: limits.queueSeriesHoursDefault,
    secret: "",
    paused: false,
    pause: null,
    order: 0,
    virtualTime: [0, 0, 0, 0, 0, 0],
    furthestStart: 0,
    counts: Object.fromEntries(itemStates.map((state) => [state, 0])) as Record<ItemState, number>,
    quarantined: 0,
    held: 0,
    kept: 0,
    bytes: 0,
    liveItems: 0,
    armedAt: 0,
    retainFirstAt: 0,
    retaining: new Map(),
    news: new ItemNews(),
    sweep: sweepStart,
    recheck: null,
    statistics: new Statistics(),
    totals: new Totals(),
    leases: new Map(),
    leaseRows: new LeaseRows(),
    leaseEnds: new LeaseEnds(),
    progressBytes: 0,
    leaseCost: new Map(),
    classes: new Classes(),
    ready: new ReadyIndex(bodies),
    recent: new RecentLine(),
    lined: 0,
    heldLines: new Map(),
    due: new SortedWindow(byDue, limits.queueWindowMax, true),
    oldest: new Oldest(),
    bodies,
    groups: new HotRows("group", limits.queueGroupsHotMax, groupFromRow),
    flows: new HotRows("flow", limits.queueFlowsHotMax),
    dedups: new HotRows("dedup", limits.queueDedupsHotMax),
    jobs: new Map(),
    origins: new Map(),
    lost: new LostLeases(),
    watched: new Watched(),
    derived: new Derived(),
  };
}

/** Items in memory are leases, recent ones and the heads of lines; keys are those of the hot rows. */
export function bytesOf(state: State): number {
  const { leases, recent, due, bodies, groups, flows, dedups, progressBytes } = state;
  const heads = Math.min(state.liveItems, limits.queueWindowMax);
  const items = leases.size + recent.size + due.length + heads;
  return items * 1_000 + bodies.bytes + progressBytes + (groups.size + flows.size + dedups.size) * 300;
}

export function restore(state: State, row: StoredRow): void {
  switch (row.collection) {
    case "meta":
      if (row.key[0] === "setup") restoreSetup(state, row.value as SetupRow);
      else restoreStats(state, row.value as never[]);
      return;
    case "class":
      state.classes.put(row.value as ClassSpec);
      return;
    case "lease":
      for (const item of state.leaseRows.restore(row.key[0] as number, row.value)) addLease(state, item);
      return;
    case "job":
      state.jobs.set(row.key[0] as string, row.value as QueueJob);
      return;
    case "origin":
      state.origins.set(row.key[0] as string, row.value as readonly Origin[]);
      return;
  }
}

export function addLease(state: State, item: Item): void {
  state.leases.set(item.id, item);
  state.leaseEnds.add(item.id, item.lease!.expiresAt);
  count(state.leaseCost, item.lease!.recipient, item.cost);
  countProgress(state, item, 1);
  state.derived.addLease(item);
}

export function dropLease(state: State, id: string): void {
  const item = takeFrom(state.leases, id)!;
  state.leaseEnds.remove(id);
  count(state.leaseCost, item.lease!.recipient, -item.cost);
  countProgress(state, item, -1);
  state.derived.dropLease(item);
}

function countProgress(state: State, { lease }: Item, sign: 1 | -1): void {
  if (lease!.progress !== null) state.progressBytes += sign * jsonBytesOf(lease!.progress);
}

function count(totals: Map<string, number>, key: string, by: number): void {
  const total = (totals.get(key) ?? 0) + by;
  if (total > 0) totals.set(key, total);
  else totals.delete(key);
}

/** By which `heldLines` knows the line of a group's held items of one class. */
export function heldLine(groupName: string, classNo: number): string {
  return `${classNo}|${groupName}`;
}

/** The held items of one group and class, as far as they are in memory. */
export function heldWindow(state: State, groupName: string, classNo: number): SortedWindow<Item> {
  const key = heldLine(groupName, classNo);
  let window = state.heldLines.get(key);
  if (window === undefined) {
    if (state.heldLines.size >= limits.queueGroupsHotMax)
      state.heldLines.delete(state.heldLines.keys().next().value!);
    // After the first eviction or restart an unknown window may have rows.
    window = new SortedWindow(byLine, limits.queueHeldWindowMax, false);
    state.heldLines.set(key, window);
  }
  return window;
}

type SetupRow = readonly [poolId: string, secret: string, pause: Pause | null, recheck: Recheck | null];

export function setupRow({ poolId, secret, pause, recheck }: State): SetupRow {
  return [poolId, secret, pause, recheck];
}

function restoreSetup(state: State, [poolId, secret, pause, recheck]: SetupRow): void {
  state.poolId = poolId;
  state.secret = secret;
  state.pause = pause;
  state.paused = pause !== null;
  state.recheck = recheck;
  state.ready.forget();
  state.due.complete = false;
  state.oldest.forget();
  state.groups.forget();
  state.flows.forget();
  state.dedups.forget();
}
