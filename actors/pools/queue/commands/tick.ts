import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { jobTimes } from "../../../kit/jobs.ts";
import { closeDebounce } from "../admission/debounce.ts";
import { finish } from "../admission/finish.ts";
import { standInLine, stepForward, wakeThrottled } from "../admission/line.ts";
import { recheck } from "../admission/recheck.ts";
import { recall } from "../admission/remembered.ts";
import { passOnKey } from "../admission/singleton.ts";
import { sweep, sweepDue } from "../admission/sweep.ts";
import type { QueueJob, QueueJobsEvent } from "../jobs/job.ts";
import { stepQueueJobs } from "../jobs/step.ts";
import { isRecent, lineUp, mayBeRecent } from "../memory/recent-line.ts";
import { type Due, type DueSort, dueKey, dueOfKey, dueRows } from "../rows/due.ts";
import { classList, copyItem, type Item, isKept, isWaiting } from "../rows/item.ts";
import { type RetainRow, retainRows } from "../rows/retained.ts";
import { type Event, isPaused, type State } from "../state.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { expireLease } from "./settle.ts";

/** The queue's one timer: everything that is due, a bounded number of things at a time, then the next time it is needed. */
export function tick(state: State, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const rechecked = recheck(unit);
  loadDues(unit);
  const nextAt = runDues(unit);
  const expired = expireLeases(unit);
  const jobs = stepQueueJobs(unit);
  const retained = retainedRows(unit);
  const swept = sweep(unit);
  const lined = lineUp(state, context.now);
  stepForward(unit);
  const resumes = state.pause !== null && !isPaused(state, context.now);
  // For what is known now: whatever this tick adds, or leaves to be forgotten later, sets the timer by itself.
  const times = [
    nextAt,
    state.leaseEnds.at(expired)?.at,
    resumes ? 0 : state.pause?.untilMs,
    retained ? 0 : state.retainFirstAt,
    lined.nextAt,
    sweepDue(swept?.next ?? state.sweep),
    ...jobTimes(laterJobs(unit, jobs)),
  ];
  const ticked: Event = { type: "ticked", nextAt: earliest(times) };
  // What is swept goes first: this very tick may use a key again. What is forgotten says which finished items are left, and
  // this very tick may finish more.
  const first: Event[] = [...(swept ? [swept] : []), ticked, ...(retained ? [retained] : [])];
  const events: Event[] = [
    ...(resumes ? [{ type: "resumed" as const }] : []),
    ...(jobs ? [jobs] : []),
    ...(rechecked ? [rechecked] : []),
    ...(lined.order > 0 ? [{ type: "lined" as const, order: lined.order }] : []),
  ];
  const decided = unit.decided();
  // A disk that finished items have filled has room again when their time is over.
  return { ...decided, events: [...first, ...decided.events, ...events], ...(retained && { frees: true }) };
}

function runDue(unit: UnitOfWork, due: Due): void {
  if (due.sort === "throttle") {
    unit.removeWake(due);
    wakeThrottled(unit, due.id);
    return;
  }
  if (due.sort === "key") {
    unit.removeWake(due);
    passOnKey(unit, due.id);
    return;
  }
  const item = unit.item(due.id);
  if (item) runItemDue(unit, due.sort, item);
}

function runItemDue(unit: UnitOfWork, sort: Exclude<DueSort, "throttle" | "key">, item: Item): void {
  if (!isWaiting(item.state)) return;
  switch (sort) {
    case "ready":
      if (item.state === "ready" || item.notBefore > unit.now) return;
      closeDebounce(unit, item);
      unit.change(item, becomeReady(unit, item), "ready");
      return;
    case "expire":
      if (item.expiresAt <= unit.now) finish(unit, item, "expired");
      return;
    case "unstick":
      if (isKept(item)) {
        const freed = copyItem(item);
        freed.list = classList(item.classNo);
        unit.change(item, freed, "held");
      }
      return;
  }
}

/** A recent item stays one: most are claimed at once. */
function becomeReady(unit: UnitOfWork, item: Item): Item {
  const { state } = unit;
  const ready = standInLine(unit, item);
  ready.recent = isRecent(state, item) && ready.list !== "" && !isKept(ready) && mayBeRecent(state, 0);
  return ready;
}

/** How many of the leases that are over were ended. */
function expireLeases(unit: UnitOfWork): number {
  const { leaseEnds, leases } = unit.state;
  let count = 0;
  for (; count < limits.queueTickItemsMax; count++) {
    const end = leaseEnds.at(count);
    if (!end || end.at > unit.now) break;
    expireLease(unit, leases.get(end.id)!);
  }
  return count;
}

/** One more than are run now, where there is one: it says when the next tick is needed. */
function loadDues(unit: UnitOfWork): void {
  const { due } = unit.state;
  if (due.complete || due.length > limits.queueTickItemsMax) return;
  const { reach } = due;
  const rows = unit.context.scan(dueRows, {
    prefix: [],
    ...(reach && { from: dueKey({ ...reach, id: `${reach.id}\0` }) }),
    limit: limits.queueWindowRefill,
  });
  due.refill(rows, ({ key }) => dueOfKey(key), rows.length < limits.queueWindowRefill);
}

/** Everything that is due now, of what has a row and of recent items, in order and a bounded number. When the next is; 0: none. */
function runDues(unit: UnitOfWork): number {
  const { due, recent } = unit.state;
  let [stored, soon] = [0, 0];
  while (stored + soon < limits.queueTickItemsMax) {
    const [row, item] = [due.at(stored), recent.scheduled.at(soon)];
    if (row && (!item || row.at <= item.notBefore)) {
      if (row.at > unit.now) break;
      stored++;
      runDue(unit, row);
    } else {
      if (!item || item.notBefore > unit.now) break;
      soon++;
      runItemDue(unit, "ready", unit.changed(item.id) ?? item);
    }
  }
  return earliest([recent.scheduled.at(soon)?.notBefore, due.at(stored)?.at]);
}

/** Finished items whose time is over; the next time is that of the first row that stays. */
function retainedRows(unit: UnitOfWork): Extract<Event, { type: "forgotten" }> | undefined {
  const { retainFirstAt } = unit.state;
  if (retainFirstAt === 0 || retainFirstAt > unit.now) return undefined;
  const rows = unit.context.scan(retainRows, { limit: limits.queueForgetRowsMax + 1 });
  const stored = rows.map(({ key: [at, order], value }): RetainRow => ({ at, order, items: value }));
  const over: RetainRow[] = [];
  let items = 0;
  for (const row of stored.slice(0, limits.queueForgetRowsMax)) {
    if (row.at > unit.now || items >= limits.queueTickItemsMax) break;
    over.push(row);
    items += row.items.length / 3;
  }
  const recalled = recall(unit, over);
  return {
    type: "forgotten",
    rows: over,
    ...((recalled.over.length > 0 || recalled.kept.length > 0) && {
      recalled,
      retentionMs: unit.router.config.retention_seconds * 1_000,
    }),
    nextAt: stored[over.length]?.at ?? 0,
  };
}

/** Those that this tick does not change. */
function laterJobs({ state }: UnitOfWork, changed: QueueJobsEvent | undefined): QueueJob[] {
  const gone = new Set([...(changed?.jobs.map(({ id }) => id) ?? []), ...(changed?.forgotten ?? [])]);
  return [...state.jobs.values()].filter(({ id }) => !gone.has(id));
}

/** 0 where there is none, as each of them is. */
function earliest(times: readonly (number | undefined)[]): number {
  const known = times.filter((time): time is number => time !== undefined && time > 0);
  return known.length === 0 ? 0 : Math.min(...known);
}
