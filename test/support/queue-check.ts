import { limits } from "#base";
import type { StoredRow } from "#runtime";
import { isRecent, scheduledAmong } from "../../actors/pools/queue/memory/recent-line.ts";
import { bodyOf, isInline } from "../../actors/pools/queue/rows/body.ts";
import { dedupKey } from "../../actors/pools/queue/rows/dedup-key.ts";
import { firedItems } from "../../actors/pools/queue/rows/fired-rows.ts";
import {
  type Group,
  groupFromRow,
  groupIdOf,
  kindOf,
  nameOfGroup,
} from "../../actors/pools/queue/rows/group.ts";
import { historyCount } from "../../actors/pools/queue/rows/history.ts";
import {
  type Body,
  collectionOf,
  heldKey,
  type Item,
  isFinished,
  isKept,
  isOver,
  isWaiting,
  itemStates,
  readyKey,
} from "../../actors/pools/queue/rows/item.ts";
import { bodyFromRow, fromRow } from "../../actors/pools/queue/rows/item-row.ts";
import { isRemembered } from "../../actors/pools/queue/rows/retain-code.ts";
import type { State } from "../../actors/pools/queue/state.ts";
import { stuckProblems } from "./queue-stuck.ts";

/** A queue as it is stored, and its part in memory. */
export interface StoredQueue {
  readonly state: State;
  stored(collection: string): readonly StoredRow[];
}

/** Recomputes from the item rows alone what every index, counter and slot must be, and lists the differences. */
export function queueProblems(queue: StoredQueue): string[] {
  const problems: string[] = [];
  const items = liveItems(queue);
  const expect = (name: string, found: readonly string[], wanted: readonly string[]) => {
    const [a, b] = [[...found].sort().join(" "), [...wanted].sort().join(" ")];
    if (a !== b) problems.push(`${name}: found ${a || "none"}, wanted ${b || "none"}`);
  };
  const ready = items.filter((item) => item.state === "ready");
  const lined = ready.filter((item) => item.list && !isRecent(queue.state, item));
  expect(
    "ready",
    keys(queue, "ready"),
    lined.map((item) => text(readyKey(item))),
  );
  expect(
    "parked",
    keys(queue, "parked"),
    ready.filter((item) => item.heldBy).map((item) => text(heldKey(item))),
  );
  for (const item of ready)
    if ((item.list === "") === (item.heldBy === "")) problems.push(`${item.id} is in no line or in two`);
  const due = keys(queue, "due").filter((key) => !/throttle:|singleton:/.test(key));
  const failed = items.filter((item) => item.state === "dead" && !item.quarantined);
  expect(
    "failed",
    keys(queue, "failed"),
    failed.map((item) => text([item.finishedAt, item.id])),
  );
  const { state } = queue;
  expect(
    "due",
    due,
    items.flatMap((item) => duesOf(state, item)),
  );
  problems.push(...groupProblems(queue, items));
  if (state.recent.known)
    expect(
      "recent",
      [...state.recent.items()].map(({ id }) => id),
      items.filter((item) => isRecent(state, item)).map(({ id }) => id),
    );
  problems.push(...recallProblems(queue, items));
  for (const name of itemStates) {
    const count = items.filter((item) => item.state === name).length;
    if (state.counts[name] !== count)
      problems.push(`${name} counted ${state.counts[name]}, there are ${count}`);
  }
  const { ages } = state.totals;
  const oldest = ready.reduce((least, { readyAt }) => Math.min(least, readyAt), Number.POSITIVE_INFINITY);
  if (ages.size !== ready.length) problems.push(`${ages.size} ages of ${ready.length} ready items`);
  if (ages.oldestAt > oldest) problems.push(`an item is ready since ${oldest}, before ${ages.oldestAt}`);
  const slots = new Map<string, number>();
  for (const item of items)
    if (item.lease)
      for (const { id, cost } of item.groups.concurrency) slots.set(id, (slots.get(id) ?? 0) + cost);
  expect("slots", [...slotsInUse(state)].map(String), [...slots].map(String));
  const classes = new Map<number, number>();
  for (const item of items)
    if (item.classNo !== 0 && !isFinished(item))
      classes.set(item.classNo, (classes.get(item.classNo) ?? 0) + 1);
  expect("classes", pairs(state.classes.countsRow()), [...classes].map(String));
  expect("class rows", keys(queue, "class"), [...classes.keys()].map(String));
  const bytes = items
    .filter((item) => isWaiting(item.state) || item.lease)
    .reduce((sum, item) => sum + item.bytes, 0);
  if (bytes !== state.bytes) problems.push(`${state.bytes} bytes counted, there are ${bytes}`);
  const held = ready.filter((item) => item.heldBy).length;
  if (held !== state.held) problems.push(`${state.held} held counted, there are ${held}`);
  const kept = items.filter(isKept).length;
  if (kept !== state.kept) problems.push(`${state.kept} kept counted, there are ${kept}`);
  expect(
    "payloads",
    storedBodies(queue).map(([id]) => id),
    items.map(({ id }) => id),
  );
  const waiting = items
    .filter((item) => isWaiting(item.state))
    .map(({ id }) => id)
    .sort();
  const { ids, beyond } = state.oldest;
  expect("oldest", ids, waiting.slice(0, ids.length));
  const next = waiting[ids.length];
  if (next !== undefined && next < beyond)
    problems.push(`${next} waits, and is missing from the oldest ids, which are known up to ${beyond}`);
  expect(
    "history",
    keys(queue, "history"),
    items.flatMap((item) => Array.from({ length: historyCount(item) }, (_, slot) => text([item.id, slot]))),
  );
  problems.push(...stuckProblems(queue, items));
  problems.push(...dedupProblems(queue, items));
  const retainFirstAt = queue.stored("retain")[0]?.key[0] ?? 0;
  if (state.retainFirstAt !== retainFirstAt)
    problems.push(`forgets at ${state.retainFirstAt}, the first time in the rows is ${retainFirstAt}`);
  return problems;
}

/** A dedup id is deleted with its item or, for a merged or skipped request, by a row that says when to check. */
function dedupProblems(queue: StoredQueue, items: readonly Item[]): string[] {
  const known = new Set(
    items.filter(({ dedupId }) => dedupId).map((item) => `${dedupKey(item.dedupId)} ${item.id}`),
  );
  for (const { value } of queue.stored("retain")) {
    const parts = value as (string | number)[];
    for (let i = 0; i < parts.length; i += 3)
      if (isRemembered(parts[i + 1] as number)) known.add(`${parts[i]} ${parts[i + 2]}`);
  }
  return queue
    .stored("dedup")
    .map(({ key, value }) => `${key[0]}:${key[1]} ${value}`)
    .filter((pair) => !known.has(pair))
    .map((pair) => `${pair} is remembered for ever`);
}

/** After a restart recent items are found by their own rows, and not too many rows are read for that. */
function recallProblems(queue: StoredQueue, items: readonly Item[]): string[] {
  const recent = items.filter((item) => isRecent(queue.state, item));
  if (recent.length === 0) return [];
  const stats = queue.stored("meta").find(({ key }) => key[0] === "stats")?.value as readonly unknown[];
  const [count, since] = [stats[14], stats[15] as string];
  const problems: string[] = [];
  if (count !== recent.length) problems.push(`${count} recent items counted, there are ${recent.length}`);
  for (const { id } of recent) if (id.slice(0, 10) < since) problems.push(`${id} is not found from ${since}`);
  const read = queue.stored("item").filter(({ key }) => `${key[0]}` >= since).length;
  if (read > limits.queueRecentReach + limits.enqueueBatchMax) problems.push(`a restart reads ${read} items`);
  return problems;
}

/** Every item in its newest form: a leased one is described by its lease's row. */
export function liveItems(queue: StoredQueue): Item[] {
  const leases = new Map<string, Item>();
  for (const { value } of queue.stored("lease"))
    for (const row of value as readonly unknown[]) leases.set(fromRow(row).id, fromRow(row));
  const stored = ownCollections.flatMap((collection) =>
    rowsOf(queue, collection).map((item) => {
      const newest = leases.get(item.id) ?? item;
      if (collectionOf(newest) !== collection)
        throw new Error(`${item.id} is ${newest.state} in ${collection}`);
      return newest;
    }),
  );
  const scheduled = scheduledAmong(stored.filter((item) => item.recent));
  const fired = new Map<string, Item>();
  for (const { key, value } of queue.stored("fired")) {
    const told = firedItems(value as Parameters<typeof firedItems>[0], scheduled);
    if (told.length === 0) throw new Error(`row ${key[0]} of items whose delay is over names no item`);
    for (const item of told) fired.set(item.id, item);
  }
  return stored.map((item) => fired.get(item.id) ?? item);
}

/**
 * A singleton key or a debounce window is known from its item or from a row, from at least one of them and never
 * wrongly.
 */
function groupProblems(queue: StoredQueue, items: readonly Item[]): string[] {
  const { state } = queue;
  const problems: string[] = [];
  const rows = new Map(
    queue
      .stored("group")
      .map(({ key, value }): [string, Group] => [`${key[0]}:${key[1]}`, groupFromRow(value)]),
  );
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const item of items) {
    const row = rows.get(nameOfGroup("singleton", item.groups.singleton));
    const tells = item.tells && (item.lease !== null || isRecent(state, item));
    if (tells && row?.kind === "singleton" && row.active !== item.id)
      problems.push(`${item.id} tells of a key that ${row.active} has`);
    if (item.state !== "scheduled" || !item.groups.debounce) continue;
    const open = rows.get(nameOfGroup("debounce", item.groups.debounce));
    const told = isRecent(state, item);
    if (told === (open?.kind === "debounce" && open.item === item.id))
      problems.push(`${item.id} is an open window by ${told ? "itself and a row" : "nothing"}`);
  }
  for (const [groupName, group] of rows) {
    const id = group.kind === "singleton" ? group.active : group.kind === "debounce" ? group.item : "";
    const item = byId.get(id);
    if (id && (!item || isOver(item.state))) problems.push(`${groupName} belongs to ${id}, which is over`);
  }
  return problems;
}

/** The payloads of all items: each is stored once, with its item or in a separate row. */
export function storedBodies(queue: StoredQueue): [id: string, body: Body][] {
  const own = queue
    .stored("body")
    .map(({ key, value }): [string, Body] => [key[0] as string, bodyFromRow(value)]);
  const inline = ownCollections.flatMap((collection) =>
    queue.stored(collection).flatMap(({ value }): [string, Body][] => {
      const item = fromRow(value);
      return isInline(item) ? [[item.id, bodyOf(item, value)!]] : [];
    }),
  );
  return [...own, ...inline];
}

/** Where items have their own rows. */
export const ownCollections = ["item", "done", "dead", "quarantined"];

function duesOf(state: State, item: Item): string[] {
  if (!isWaiting(item.state)) return [];
  return [
    ...(item.state === "ready" || isRecent(state, item)
      ? []
      : [text([item.notBefore, 0, item.order, item.id])]),
    ...(item.expiresAt > 0 ? [text([item.expiresAt, 1, 0, item.id])] : []),
    ...(item.list && !item.list.startsWith("c") ? [text([item.readyAt + 5_000, 3, 0, item.id])] : []),
  ];
}

function rowsOf(queue: StoredQueue, collection: string): Item[] {
  return queue.stored(collection).map((row) => fromRow(row.value));
}

function keys(queue: StoredQueue, collection: string): string[] {
  return queue.stored(collection).map((row) => text(row.key));
}

function pairs(row: readonly number[]): string[] {
  return row.flatMap((value, index) => (index % 2 === 0 ? [`${value},${row[index + 1]}`] : []));
}

function text(key: readonly (string | number)[]): string {
  return key.join("/");
}

/** Concurrency slots by group, as the queue counts them. */
export function slotsInUse({ derived }: State): Map<string, number> {
  const slots = new Map<string, number>();
  for (const groupName of derived.groupNames())
    if (kindOf(groupName) === "concurrency")
      slots.set(groupIdOf(groupName), derived.of(groupIdOf(groupName)).slots);
  return slots;
}
