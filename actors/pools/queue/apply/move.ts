import { assert, limits } from "#base";
import type { RowWriter } from "#runtime";
import { derivedGroup, isTelling } from "../memory/derived.ts";
import { partsOf } from "../memory/hot-rows.ts";
import { isRecent, recentSince } from "../memory/recent-line.ts";
import { isInline } from "../rows/body.ts";
import { type Change, isFiring, type Place } from "../rows/change.ts";
import { dedupKey } from "../rows/dedup-key.ts";
import { type Due, dueAt, dueKey, readyDue } from "../rows/due.ts";
import { type Group, groupToRow, nameOfGroup } from "../rows/group.ts";
import { deleteHistory, historyCount, putHistory } from "../rows/history.ts";
import {
  type Body,
  collectionOf,
  heldCollection,
  heldKey,
  type Item,
  type ItemRow,
  isKept,
  isOver,
  isWaiting,
  readyKey,
} from "../rows/item.ts";
import { bodyRowIn, bodyToRow, toRow } from "../rows/item-row.ts";
import { arm } from "../rows/stats.ts";
import { addLease, dropLease, heldWindow, type State } from "../state.ts";
import { forgetDedup } from "./retain.ts";

/** Takes an item from where it was to where it is, in memory and in rows. `row`: the item as the event has it, or its id. */
export function moveItem(state: State, change: Change, row: ItemRow | string, rows: RowWriter): void {
  const { from, item, body, result, gone } = change;
  if (item.history > 0 && !gone) putHistory(change, state.leases.get(item.id), rows);
  if (from) leave(state, item, from, rows);
  if (gone) remove(state, item, from, rows);
  else {
    if (body && !isInline(item))
      rows.put("body", [item.id], typeof row === "string" ? bodyToRow(body) : bodyRowIn(row));
    else if (from && !isInline(from) && isInline(item)) rows.delete("body", [item.id]);
    if (isFiring(from, item)) fire(state, item, rows);
    else enter(state, change, typeof row === "string" ? toRow(item, body) : row, rows);
  }
  if (from === null && item.dedupId) {
    const key = dedupKey(item.dedupId);
    state.dedups.set(key, item.id);
    rows.put("dedup", partsOf(key), item.id);
  }
  if (result !== undefined) rows.put("result", [item.id], result);
  if (from && !isOver(from.state)) state.bytes -= from.bytes;
  if (!gone && !isOver(item.state)) state.bytes += item.bytes;
  state.oldest.follow(from, item, gone === true);
  if (item.tag > state.furthestStart) state.furthestStart = item.tag;
}

function remove(state: State, item: Item, from: Place | null, rows: RowWriter): void {
  if (from) rows.delete(collectionOf(from), [item.id]);
  if (!isInline(item)) rows.delete("body", [item.id]);
  deleteHistory(item.id, historyCount(item), rows);
  if (item.dedupId) forgetDedup(state, item.dedupId, rows);
  state.bodies.delete(item.id);
}

/** Takes an item out of every index it was in. Its own row goes only if it moves to another collection. */
function leave(state: State, item: Item, from: Place, rows: RowWriter): void {
  state.counts[from.state]--;
  if (from.quarantined) state.quarantined--;
  if (isRecent(state, from)) {
    if (from.state === "scheduled") state.derived.dropWindow(item);
    if (!isTelling(item)) state.derived.dropKey(item);
    // One that stays is put in its place again.
    if (!isRecent(state, item)) state.recent.remove(item.id);
  } else if (from.list) {
    if (isKept(from)) state.kept--;
    state.ready.remove(item.id, from);
    rows.delete("ready", readyKey(from));
  }
  if (from.heldBy) {
    state.held--;
    rows.delete(heldCollection, heldKey(from));
    heldWindow(state, from.heldBy, from.classNo).remove(from as Item);
  }
  if (from.state === "leased") {
    state.lost.note(state.leases, item);
    dropLease(state, item.id);
    if (!item.lease) state.leaseRows.remove(item.id);
    return;
  }
  if (from.state === "dead" && !from.quarantined) rows.delete("failed", [from.finishedAt, item.id]);
  for (const due of duesOf(state, item.id, from)) {
    state.due.remove(due);
    rows.delete("due", dueKey(due));
  }
}

function enter(state: State, { from, item, body }: Change, row: ItemRow, rows: RowWriter): void {
  const collection = collectionOf(item);
  if (from && collectionOf(from) !== collection) rows.delete(collectionOf(from), [item.id]);
  state.counts[item.state]++;
  if (item.quarantined) state.quarantined++;
  if (item.lease) {
    addLease(state, item);
    if (from?.state === "leased") state.leaseRows.replace(item.id, row);
    else state.leaseRows.add(item.id, row);
    arm(state, item.lease.expiresAt, rows);
    return;
  }
  const inline = isInline(item);
  assert(!inline || body, "a payload stored with its item is written with it");
  rows.put(collection, [item.id], body && !inline ? toRow(item) : row);
  if (isRecent(state, item)) {
    // Its own row says by now that its delay is over.
    if (from && item.state === "ready") state.recent.fired.remove(item.id);
    putRecent(state, item, inline ? body : undefined, rows);
  } else if (item.list) {
    if (isKept(item)) state.kept++;
    const near = putReady(state, item, body && !inline ? undefined : row, rows);
    if (near && body) state.bodies.set(item.id, body, item.bytes);
  } else if (isOver(item.state)) state.bodies.delete(item.id);
  if (item.heldBy) {
    state.held++;
    heldWindow(state, item.heldBy, item.classNo).insert(item);
    rows.put(heldCollection, heldKey(item), body ? toRow(item) : row);
  }
  if (item.state === "dead" && !item.quarantined) rows.put("failed", [item.finishedAt, item.id], 0);
  for (const due of duesOf(state, item.id, item)) addDue(state, due, rows);
}

/** Its delay is over: into line without a row, its own row stays as it is. */
function fire(state: State, item: Item, rows: RowWriter): void {
  state.counts.ready++;
  state.recent.put(item);
  arm(state, recentSince(item) + limits.queueLineAfterMs, rows);
  state.recent.fired.add(item);
  for (const due of duesOf(state, item.id, item)) addDue(state, due, rows);
}

/** `body`: stored with the item. */
function putRecent(state: State, item: Item, body: Body | undefined, rows: RowWriter): void {
  const waits = item.state === "scheduled";
  state.recent.put(item, waits ? body : undefined);
  if (body && !waits) state.bodies.set(item.id, body, item.bytes);
  state.derived.addRecent(item);
  // Where not all groups are in memory: this one has no row.
  if (item.tells && !state.groups.isEmpty)
    state.groups.set(nameOfGroup("singleton", item.groups.singleton), null);
  arm(state, waits ? item.notBefore : recentSince(item) + limits.queueLineAfterMs, rows);
}

/** True: its payload is wanted soon. */
function putReady(state: State, item: Item, row: ItemRow | undefined, rows: RowWriter): boolean {
  rows.put("ready", readyKey(item), row ?? toRow(item));
  return state.ready.insert(item);
}

/** Recent items up to this arrival have waited long enough for rows. */
export function putInLine(state: State, order: number, rows: RowWriter): void {
  const items: Item[] = [];
  for (const item of state.recent.items()) {
    if (item.order > order) break;
    items.push(item);
  }
  for (const item of items) giveRows(state, item, rows);
  state.lined = order;
}

function giveRows(state: State, item: Item, rows: RowWriter): void {
  for (const groupName of [
    item.tells && nameOfGroup("singleton", item.groups.singleton),
    windowGroup(item),
  ]) {
    const group = groupName && derivedGroup(state, groupName, null);
    if (group) putGroup(state, groupName, group, rows);
  }
  const fired = state.recent.fired.has(item.id);
  const body = state.recent.body(item.id);
  state.derived.dropRecent(item);
  state.recent.remove(item.id);
  if (item.state === "scheduled") addDue(state, readyDue(item.id, item), rows);
  else {
    if (fired) rows.put("item", [item.id], toRow(item, body));
    const near = putReady(state, item, undefined, rows);
    if (near && fired && body) state.bodies.set(item.id, body, item.bytes);
  }
}

function windowGroup({ state, groups }: Item): string {
  return state === "scheduled" && groups.debounce ? nameOfGroup("debounce", groups.debounce) : "";
}

export function putGroup(state: State, groupName: string, group: Group | null, rows: RowWriter): void {
  state.groups.set(groupName, group);
  if (group === null) rows.delete("group", partsOf(groupName));
  else rows.put("group", partsOf(groupName), groupToRow(group));
}

export function addDue(state: State, due: Due, rows: RowWriter): void {
  state.due.insert(due);
  rows.put("due", dueKey(due), 0);
  arm(state, due.at, rows);
}

const noDues: readonly Due[] = [];

function duesOf(state: State, id: string, place: Place): readonly Due[] {
  if (!isWaiting(place.state)) return noDues;
  const hasOwnDue = place.state !== "ready" && !isRecent(state, place);
  // A plain item in line waits for nothing but its turn.
  if (!hasOwnDue && place.expiresAt === 0 && !isKept(place)) return noDues;
  const dues: Due[] = [];
  if (hasOwnDue) dues.push(readyDue(id, place));
  if (place.expiresAt > 0) dues.push(dueAt(place.expiresAt, "expire", id));
  if (isKept(place)) dues.push(dueAt(place.readyAt + limits.stickyKeptMs, "unstick", id));
  return dues;
}
