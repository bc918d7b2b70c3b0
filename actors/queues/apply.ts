import { limits, toRfc3339 } from "#base";
import type { RowWriter } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../shared/directory.ts";
import { type Change, fromChangeRow, type Place, placeOf } from "./change.ts";
import { groupToRow } from "./group.ts";
import { partsOf } from "./hot-rows.ts";
import {
  bodyToRow,
  collectionOf,
  type Item,
  type ItemRow,
  isOver,
  isWaiting,
  itemStates,
  parkedKey,
  readyKey,
} from "./item.ts";
import { publishChanges } from "./published.ts";
import { byLine } from "./ready-index.ts";
import { SortedWindow } from "./sorted-window.ts";
import {
  addLease,
  type ChangedEvent,
  countLive,
  type Due,
  dropLease,
  dueSorts,
  type Event,
  empty,
  figuresRow,
  parkedWindow,
  type RetainRow,
  type State,
} from "./state.ts";
import { countClaims, countCompletions } from "./statistics.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "opened":
      state.poolId = event.poolId;
      state.secret = event.secret;
      putSetup(state, rows);
      return;
    case "changed":
      applyChanges(state, event, rows);
      return;
    case "paused":
      state.pause = event.pause;
      state.paused = true;
      putSetup(state, rows);
      if (event.pause.untilMs > 0) arm(state, event.pause.untilMs, rows);
      rows.publish("queue.paused", state.poolId, {
        reason: event.pause.reason,
        ...(event.pause.untilMs > 0 && { until: toRfc3339(event.pause.untilMs) }),
      });
      tellDirectory(state, rows);
      putFigures(state, rows);
      return;
    case "resumed":
      state.pause = null;
      state.paused = false;
      rows.publish("queue.resumed", state.poolId, {});
      tellDirectory(state, rows);
      putSetup(state, rows);
      return;
    case "cleared":
      rows.put("cleared", partsOf(event.hold), [event.at, event.by, event.reason]);
      rows.publish("admission_group.cleared", state.poolId, { group: event.hold, reason: event.reason });
      return;
    case "redirected":
      rows.publish("queue_item.redirected", state.poolId, { to_pool_id: event.toPoolId });
      return;
    case "job_changed":
      state.jobs.set(event.job.id, event.job);
      rows.put("job", [event.job.id], event.job);
      if (event.forgotten) {
        state.jobs.delete(event.forgotten);
        rows.delete("job", [event.forgotten]);
      }
      if (event.job.state === "running") arm(state, event.job.nextAt, rows);
      putFigures(state, rows);
      return;
    case "forgotten":
      forget(state, event.rows, event.nextAt, rows);
      return;
    case "swept":
      for (const flow of event.flows) {
        state.flows.set(flow, null);
        rows.delete("flow", partsOf(flow));
      }
      for (const hold of event.groups) {
        state.groups.set(hold, null);
        rows.delete("group", partsOf(hold));
      }
      return;
    case "ticked":
      state.armedAt = 0;
      if (event.nextAt > 0) arm(state, event.nextAt, rows);
      putFigures(state, rows);
      return;
    case "pool_deleted":
      deleteAll(state, rows);
      return;
  }
}

function applyChanges(state: State, event: ChangedEvent, rows: RowWriter): void {
  for (const spec of event.classes) {
    state.classes.put(spec);
    state.ready.reset(`c${spec.no}`);
    rows.put("class", [spec.no], spec);
  }
  const changes = event.changes.map(fromChangeRow);
  openParkedWindows(state, event, changes);
  countClasses(state, changes, rows);
  for (const [index, change] of changes.entries()) applyChange(state, change, event.changes[index]![2], rows);
  for (const [hold, group] of event.groups) {
    state.groups.set(hold, group);
    if (group === null) rows.delete("group", partsOf(hold));
    else rows.put("group", partsOf(hold), groupToRow(group));
  }
  for (const due of event.wakes.removed) {
    state.due.remove(due);
    rows.delete("due", dueKey(due));
  }
  for (const due of event.wakes.added) addDue(state, due, rows);
  for (const [flow, finish] of event.flows) {
    state.flows.set(flow, finish);
    rows.put("flow", partsOf(flow), finish);
  }
  if (event.virtualTime)
    for (const [band, time] of event.virtualTime.entries()) state.virtualTime[band] = time;
  state.order = event.order;
  retain(state, event, changes, rows);
  countSteps(state, changes, rows.now);
  countLive(state);
  publishChanges(state, changes, rows);
  putFigures(state, rows);
}

function applyChange(state: State, change: Change, row: ItemRow, rows: RowWriter): void {
  const { from, item, body, result, gone } = change;
  if (from) leave(state, item.id, from, rows);
  if (gone) {
    if (from) rows.delete(collectionOf(from), [item.id]);
    rows.delete("body", [item.id]);
    rows.delete("result", [item.id]);
    if (item.dedupId) forgetDedup(state, item.dedupId, rows);
  } else enter(state, item, row, rows, from);
  if (body) {
    rows.put("body", [item.id], bodyToRow(body));
    if (state.ready.find(item.id)) state.bodies.set(item.id, body, item.bytes);
  }
  if (from === null && item.dedupId) {
    state.dedups.set(`d:${item.dedupId}`, item.id);
    rows.put("dedup", ["d", item.dedupId], item.id);
  }
  if (result !== undefined) rows.put("result", [item.id], result);
  if (from && !isOver(from.state)) state.bytes -= from.bytes;
  if (!gone && !isOver(item.state)) state.bytes += item.bytes;
}

/**
 * Classes by their items. Who joins is counted before who leaves, so a class that goes on is not dropped in between. A dead
 * letter keeps its class: a retry brings it back with everything it asked for.
 */
function countClasses(state: State, changes: readonly Change[], rows: RowWriter): void {
  for (const by of [1, -1])
    for (const { from, item, gone } of changes) {
      const was = from !== null && !isFinished(from) ? 1 : 0;
      const is = !gone && !isFinished(item) ? 1 : 0;
      if (is - was !== by || !state.classes.count(item.classNo, by)) continue;
      rows.delete("class", [item.classNo]);
      state.ready.drop(`c${item.classNo}`);
    }
}

/** Takes an item out of every index it was in. Its own row goes only if it moves to another collection. */
function leave(state: State, id: string, from: Place, rows: RowWriter): void {
  state.counts[from.state]--;
  if (from.quarantined) state.quarantined--;
  if (from.list) {
    state.ready.remove({ ...from, id });
    rows.delete("ready", readyKey(from));
  }
  if (from.hold) {
    state.held--;
    rows.delete("parked", parkedKey(from));
    parkedWindow(state, from.hold, from.classNo).remove(from as unknown as Item);
  }
  if (from.leaseEndsAt > 0) {
    dropLease(state, id);
    rows.delete("lease", [id]);
  }
  if (from.state === "dead" && !from.quarantined) rows.delete("failed", [from.finishedAt, id]);
  for (const due of duesOf(id, from)) {
    state.due.remove(due);
    rows.delete("due", dueKey(due));
  }
}

function enter(state: State, item: Item, row: ItemRow, rows: RowWriter, from: Place | null): void {
  const collection = collectionOf(item);
  if (from && collectionOf(from) !== collection) rows.delete(collectionOf(from), [item.id]);
  state.counts[item.state]++;
  if (item.quarantined) state.quarantined++;
  if (item.lease) {
    addLease(state, item);
    rows.put("lease", [item.id], row);
    arm(state, item.lease.expiresAt, rows);
    return;
  }
  rows.put(collection, [item.id], row);
  if (item.list) {
    state.ready.insert(item);
    rows.put("ready", readyKey(item), row);
  }
  if (item.hold) {
    state.held++;
    parkedWindow(state, item.hold, item.classNo).insert(item);
    rows.put("parked", parkedKey(item), row);
  }
  if (item.state === "dead" && !item.quarantined) rows.put("failed", [item.finishedAt, item.id], 0);
  for (const due of duesOf(item.id, placeOf(item))) addDue(state, due, rows);
}

function addDue(state: State, due: Due, rows: RowWriter): void {
  state.due.insert(due);
  rows.put("due", dueKey(due), 0);
  arm(state, due.at, rows);
}

function duesOf(id: string, place: Place): Due[] {
  if (!isWaiting(place.state)) return [];
  const dues: Due[] = [];
  if (place.state !== "ready") dues.push({ at: place.notBefore, sort: "ready", id });
  if (place.expiresAt > 0) dues.push({ at: place.expiresAt, sort: "expire", id });
  if (isKept(place)) dues.push({ at: place.readyAt + limits.stickyKeptMs, sort: "unstick", id });
  return dues;
}

/** In the line of one recipient, for a while. */
export function isKept(place: Pick<Item, "list">): boolean {
  return place.list !== "" && !place.list.startsWith("c");
}

function dueKey(due: Due): [number, number, string] {
  return [due.at, dueSorts.indexOf(due.sort), due.id];
}

/** The first held items of a group and class: their line is all in memory, there are no rows before them. */
function openParkedWindows(state: State, event: ChangedEvent, changes: readonly Change[]): void {
  const moved = new Map<string, number>();
  for (const { from, item } of changes) {
    if (from?.hold)
      moved.set(`${from.classNo}|${from.hold}`, (moved.get(`${from.classNo}|${from.hold}`) ?? 0) - 1);
    if (item.hold)
      moved.set(`${item.classNo}|${item.hold}`, (moved.get(`${item.classNo}|${item.hold}`) ?? 0) + 1);
  }
  if (moved.size === 0) return;
  for (const [hold, group] of event.groups) {
    const parked = group && "parked" in group ? group.parked : {};
    for (const [key, by] of moved) {
      const [classNo, name] = [key.slice(0, key.indexOf("|")), key.slice(key.indexOf("|") + 1)];
      if (name !== hold) continue;
      const now = parked[classNo] ?? 0;
      if (now - by === 0) state.parked.set(key, new SortedWindow(byLine, limits.queueParkedWindowMax, true));
    }
  }
}

/** Finished items of one commit are forgotten together later: one row names them all. */
function retain(state: State, event: ChangedEvent, changes: readonly Change[], rows: RowWriter): void {
  const finished = changes.filter(
    ({ from, item, gone }) => !gone && item.finishedAt > 0 && isFinished(item) && !(from && isFinished(from)),
  );
  if (finished.length === 0) return;
  const at =
    Math.ceil((rows.now + event.retentionMs) / limits.queueRetentionStepMs) * limits.queueRetentionStepMs;
  rows.put(
    "retain",
    [at, event.order, finished[0]!.item.id],
    finished.map(({ item }) => [item.id, itemStates.indexOf(item.state), item.dedupId]),
  );
  if (state.retainFirstAt === 0 || at < state.retainFirstAt) state.retainFirstAt = at;
  arm(state, at, rows);
}

function isFinished(item: Pick<Item, "state">): boolean {
  return isOver(item.state) && item.state !== "dead";
}

function forget(state: State, forgotten: readonly RetainRow[], nextAt: number, rows: RowWriter): void {
  for (const { at, order, items } of forgotten) {
    for (const [id, stateIndex, dedupId] of items) {
      rows.delete("done", [id]);
      rows.delete("body", [id]);
      rows.delete("result", [id]);
      state.counts[itemStates[stateIndex]!]--;
      if (dedupId) forgetDedup(state, dedupId, rows);
    }
    rows.delete("retain", [at, order, items[0]![0]]);
  }
  state.retainFirstAt = nextAt;
  if (nextAt > 0) arm(state, nextAt, rows);
  putFigures(state, rows);
}

function forgetDedup(state: State, dedupId: string, rows: RowWriter): void {
  state.dedups.set(`d:${dedupId}`, null);
  rows.delete("dedup", ["d", dedupId]);
}

function countSteps(state: State, changes: readonly Change[], now: number): void {
  let claims = 0;
  let waitedMs = 0;
  let completions = 0;
  for (const { cause, item } of changes) {
    if (cause === "leased") {
      claims++;
      waitedMs += Math.max(0, now - item.readyAt);
    } else if (cause === "completed") completions++;
  }
  if (claims > 0) state.statistics = countClaims(state.statistics, now, claims, waitedMs);
  if (completions > 0) state.statistics = countCompletions(state.statistics, now, completions);
}

/** One timer for everything the queue waits for: the earliest. */
function arm(state: State, at: number, rows: RowWriter): void {
  if (state.armedAt !== 0 && state.armedAt <= at) return;
  state.armedAt = at;
  rows.setTimer("tick", at);
}

/** Lists of queues filter by it. */
function tellDirectory(state: State, rows: RowWriter): void {
  const message: DirectoryMessage = { type: "changed", id: state.poolId, paused: state.paused };
  rows.send(directoryOf(state.tenant, "pool"), message);
}

function putSetup(state: State, rows: RowWriter): void {
  rows.put("meta", ["setup"], [state.poolId, state.secret, state.pause]);
}

function putFigures(state: State, rows: RowWriter): void {
  rows.put("meta", ["figures"], figuresRow(state));
}

const collections = [
  "meta",
  "class",
  "lease",
  "job",
  "item",
  "done",
  "dead",
  "quarantined",
  "failed",
  "body",
  "result",
  "ready",
  "parked",
  "due",
  "group",
  "flow",
  "dedup",
  "retain",
  "cleared",
];

function deleteAll(state: State, rows: RowWriter): void {
  for (const collection of collections) rows.deletePrefix(collection, []);
  rows.clearTimer("tick");
  Object.assign(state, empty({ kind: "queue", tenant: state.tenant, key: state.handle }));
}
