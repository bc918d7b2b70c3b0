import { handleOf } from "#base";
import type { Address, Caller, RowWriter, StoredRow } from "#runtime";
import type { DirectoryEntry, DirectoryFilter } from "../shared/directory.ts";

/**
 * Directories of version 0.1 have a row in `secret` that public ids determine. It is not read: such a directory draws
 * a new secret, and pools keep the key of the group ids that they have stored.
 */
export const secretCollection = "secret-128";

export interface State {
  /** Seals cursors; drawn with the first entry, or when it is first needed. */
  secret: string;
  /** Entries by group; groups are few: statuses times environments times two. */
  readonly counts: Map<string, Group & { count: number }>;
}

/** Entries that no filter tells apart. */
export interface Group {
  readonly status: string;
  readonly environment: string;
  readonly paused: boolean;
}

export type Event =
  | {
      readonly type: "created";
      readonly entry: DirectoryEntry;
      readonly secret: string;
      readonly message: Creation;
    }
  | { readonly type: "secretDrawn"; readonly secret: string }
  | { readonly type: "changed"; readonly before: DirectoryEntry; readonly after: DirectoryEntry }
  | { readonly type: "deleted"; readonly entry: DirectoryEntry };

/** What makes the entity, and where it goes. */
export interface Creation {
  readonly to: Address;
  readonly body: unknown;
}

export function empty(): State {
  return { secret: "", counts: new Map() };
}

export function restore(state: State, { collection, key, value }: StoredRow): void {
  if (collection === secretCollection) state.secret = value as string;
  else if (collection === "counts") {
    const [status, environment, paused] = key as [string, string, number];
    const group = { status, environment, paused: paused === 1 };
    state.counts.set(groupKey(group), { ...group, count: value as number });
  }
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "created":
      if (state.secret === "") keepSecret(state, event.secret, rows);
      rows.put("handles", [handleOf(event.entry.id)], event.entry.id);
      add(state, event.entry, rows);
      rows.send(event.message.to, event.message.body);
      return;
    case "secretDrawn":
      keepSecret(state, event.secret, rows);
      return;
    case "changed":
      remove(state, event.before, rows);
      add(state, event.after, rows);
      return;
    case "deleted":
      remove(state, event.entry, rows);
      rows.delete("handles", [handleOf(event.entry.id)]);
      return;
  }
}

function keepSecret(state: State, secret: string, rows: RowWriter): void {
  state.secret = secret;
  rows.put(secretCollection, [], secret);
}

/** A filter as asked, and what the caller's own environment allows. */
export interface Filter extends DirectoryFilter {
  readonly header?: string;
  readonly mode?: Caller["environmentMode"];
}

/** How many entries the filter lets through: exact, from the counters. */
export function totalOf(state: State, filter: Filter): number {
  return groupsOf(state, filter).reduce((sum, { count }) => sum + count, 0);
}

export function groupsOf(state: State, filter: Filter) {
  return [...state.counts.values()].filter(
    (group) =>
      (filter.status === undefined || filter.status === group.status) &&
      (filter.environment === undefined || filter.environment === group.environment) &&
      (filter.paused === undefined || filter.paused === group.paused) &&
      (filter.header === undefined || filter.header === group.environment) &&
      (filter.mode === undefined || filter.mode === modeOf(group)),
  );
}

function modeOf({ environment }: Group): Caller["environmentMode"] {
  return environment === "production" ? "production_only" : "non_production_only";
}

export function indexPrefix({ status, environment, paused }: Group): [string, string, number] {
  return [status, environment, paused ? 1 : 0];
}

function add(state: State, entry: DirectoryEntry, rows: RowWriter): void {
  rows.put("entries", [entry.id], entry);
  rows.put("index", [...indexPrefix(entry), entry.id], entry);
  count(state, entry, 1, rows);
}

function remove(state: State, entry: DirectoryEntry, rows: RowWriter): void {
  rows.delete("entries", [entry.id]);
  rows.delete("index", [...indexPrefix(entry), entry.id]);
  count(state, entry, -1, rows);
}

function count(state: State, { status, environment, paused }: Group, change: 1 | -1, rows: RowWriter): void {
  const key = groupKey({ status, environment, paused });
  const group = state.counts.get(key) ?? { status, environment, paused, count: 0 };
  group.count += change;
  if (group.count === 0) {
    state.counts.delete(key);
    rows.delete("counts", indexPrefix(group));
  } else {
    state.counts.set(key, group);
    rows.put("counts", indexPrefix(group), group.count);
  }
}

function groupKey({ status, environment, paused }: Group): string {
  return JSON.stringify([status, environment, paused]);
}
