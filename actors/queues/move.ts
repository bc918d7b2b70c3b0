import { assert, limits } from "#base";
import type { RowWriter } from "#runtime";
import { isInline } from "./body.ts";
import type { Change, Place } from "./change.ts";
import { dedupKey } from "./dedup-key.ts";
import { arm } from "./figures.ts";
import { partsOf } from "./hot-rows.ts";
import { collectionOf, type Item, isKept, isOver, isWaiting, parkedKey, readyKey } from "./item.ts";
import { bodyToRow, type ItemRow, toRow } from "./item-row.ts";
import { isRecent } from "./recent-line.ts";
import { forgetDedup } from "./retain.ts";
import { addLease, type Due, dropLease, dueSorts, parkedWindow, type State } from "./state.ts";

/** Takes an item from where it was to where it is, in memory and in rows. `row`: the item as the event has it. */
export function moveItem(state: State, change: Change, row: ItemRow, rows: RowWriter): void {
  const { from, item, body, result, gone } = change;
  if (from) leave(state, item, from, rows);
  if (gone) remove(state, item, from, rows);
  else {
    if (body && !isInline(item)) rows.put("body", [item.id], bodyToRow(body));
    else if (from && !isInline(from) && isInline(item)) rows.delete("body", [item.id]);
    enter(state, change, row, rows);
  }
  if (from === null && item.dedupId) {
    const key = dedupKey(item.dedupId);
    state.dedups.set(key, item.id);
    rows.put("dedup", partsOf(key), item.id);
  }
  if (result !== undefined) rows.put("result", [item.id], result);
  if (from && !isOver(from.state)) state.bytes -= from.bytes;
  if (!gone && !isOver(item.state)) state.bytes += item.bytes;
}

function remove(state: State, item: Item, from: Place | null, rows: RowWriter): void {
  if (from) rows.delete(collectionOf(from), [item.id]);
  if (!isInline(item)) rows.delete("body", [item.id]);
  if (item.dedupId) forgetDedup(state, item.dedupId, rows);
  state.bodies.delete(item.id);
}

/** Takes an item out of every index it was in. Its own row goes only if it moves to another collection. */
function leave(state: State, item: Item, from: Place, rows: RowWriter): void {
  state.counts[from.state]--;
  if (from.quarantined) state.quarantined--;
  if (from.list) {
    if (isRecent(state, from)) state.recent.remove(item.id, from);
    else {
      state.ready.remove(item.id, from);
      rows.delete("ready", readyKey(from));
    }
  }
  if (from.hold) {
    state.held--;
    rows.delete("parked", parkedKey(from));
    parkedWindow(state, from.hold, from.classNo).remove(from as Item);
  }
  if (from.state === "leased") {
    state.lost.note(state.leases, item);
    dropLease(state, item.id);
    if (!item.lease) state.leaseRows.remove(item.id);
    return;
  }
  if (from.state === "dead" && !from.quarantined) rows.delete("failed", [from.finishedAt, item.id]);
  for (const due of duesOf(item.id, from)) {
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
  if (item.list) {
    const near = standInLine(state, item, body ? undefined : row, rows);
    if (near && body) state.bodies.set(item.id, body, item.bytes);
  } else if (isOver(item.state)) state.bodies.delete(item.id);
  if (item.hold) {
    state.held++;
    parkedWindow(state, item.hold, item.classNo).insert(item);
    rows.put("parked", parkedKey(item), body ? toRow(item) : row);
  }
  if (item.state === "dead" && !item.quarantined) rows.put("failed", [item.finishedAt, item.id], 0);
  for (const due of duesOf(item.id, item)) addDue(state, due, rows);
}

/** True: its payload is wanted soon. */
function standInLine(state: State, item: Item, row: ItemRow | undefined, rows: RowWriter): boolean {
  if (isRecent(state, item)) {
    state.recent.insert(item);
    arm(state, item.createdAt + limits.queueLineAfterMs, rows);
    return true;
  }
  rows.put("ready", readyKey(item), row ?? toRow(item));
  return state.ready.insert(item);
}

/** Recent items up to this arrival have waited long enough for a row. */
export function putInLine(state: State, order: number, rows: RowWriter): void {
  const items: Item[] = [];
  for (const item of state.recent.items()) {
    if (item.order > order) break;
    items.push(item);
  }
  state.lined = order;
  for (const item of items) {
    state.recent.remove(item.id, item);
    standInLine(state, item, undefined, rows);
  }
}

export function addDue(state: State, due: Due, rows: RowWriter): void {
  state.due.insert(due);
  rows.put("due", dueKey(due), 0);
  arm(state, due.at, rows);
}

export function dueKey(due: Due): [number, number, string] {
  return [due.at, dueSorts.indexOf(due.sort), due.id];
}

const noDues: readonly Due[] = [];

function duesOf(id: string, place: Place): readonly Due[] {
  // A plain item in line waits for nothing but its turn.
  if (place.state === "ready" && place.expiresAt === 0 && !isKept(place)) return noDues;
  if (!isWaiting(place.state)) return noDues;
  const dues: Due[] = [];
  if (place.state !== "ready") dues.push({ at: place.notBefore, sort: "ready", id });
  if (place.expiresAt > 0) dues.push({ at: place.expiresAt, sort: "expire", id });
  if (isKept(place)) dues.push({ at: place.readyAt + limits.stickyKeptMs, sort: "unstick", id });
  return dues;
}
