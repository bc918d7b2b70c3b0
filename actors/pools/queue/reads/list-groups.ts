import type { Context, RangeRef, StoredRow } from "#runtime";
import type { Bounds, Found, PageRequest } from "../../../kit/list.ts";
import type { RouterView } from "../../router.ts";
import { derivedGroup } from "../memory/derived.ts";
import { type ClearedRow, type Group, type GroupKind, groupFromRow, groupKinds } from "../rows/group.ts";
import type { State } from "../state.ts";
import { GroupViews } from "./group-view.ts";
import { lookOf } from "./list-items.ts";
import { groupMessage } from "./message.ts";

export interface GroupList {
  readonly type: "list_groups";
  readonly page: PageRequest;
  readonly environment: string;
  readonly kind: GroupKind | "";
  readonly status: string;
}

export type Named = readonly [groupName: string, message: Record<string, unknown>];

/** Groups with a row, those that were cleared, and those that only items tell of, by kind and id. */
export function groupsAfter(
  state: State,
  command: GroupList,
  context: Context,
  { after: [last = ""] = [], limit: wanted }: Bounds,
): Found<Named> {
  const after = String(last);
  const router = context.twin<RouterView>("router");
  if (command.environment !== "" && command.environment !== router.environment) return { values: [] };
  const look = lookOf(wanted, command.status !== "");
  const groups = new Map<string, Group | null>();
  const cleared = new Map<string, ClearedRow>();
  let end = "";
  for (const kind of kindsAfter(command.kind, after)) {
    for (const collection of ["group", "cleared"]) {
      const rows = rowsAfter(context, collection, kind, after, look);
      for (const row of rows) {
        const groupName = `${kind}:${row.key[1]}`;
        if (collection === "group") groups.set(groupName, groupFromRow(row.value));
        else cleared.set(groupName, row.value as ClearedRow);
      }
      // Beyond the last row of a full part there may be more: the merge stops there.
      const last = rows.length === look ? `${kind}:${rows.at(-1)!.key[1]}` : "";
      if (last && (end === "" || last < end)) end = last;
    }
    if (end) break;
  }
  for (const groupName of state.derived.groupNames()) {
    const group = command.kind === "" || groupName.startsWith(`${command.kind}:`);
    if (group) groups.set(groupName, derivedGroup(state, groupName, groups.get(groupName) ?? null));
  }
  const names = new Set([...groups.keys(), ...cleared.keys()]);
  const views = new GroupViews(state, context);
  const values: Named[] = [];
  for (const groupName of [...names].sort()) {
    if (groupName <= after) continue;
    if (values.length === wanted || (end && groupName > end)) break;
    const view = views.of(groupName, groups.get(groupName) ?? null, cleared.get(groupName) ?? null);
    if (command.status === "" || view.status === command.status)
      values.push([groupName, groupMessage(router, view)]);
  }
  return { values, ...(end && { end: [end] }) };
}

/** In the order of their names, which is the order of the list. */
function kindsAfter(only: GroupKind | "", after: string): GroupKind[] {
  const kinds = only === "" ? [...groupKinds].sort() : [only];
  return kinds.filter((kind) => `${kind};` > after);
}

function rowsAfter(
  context: Context,
  collection: string,
  kind: GroupKind,
  after: string,
  limit: number,
): readonly StoredRow[] {
  const ref: RangeRef = {
    collection,
    prefix: [kind],
    ...(after.startsWith(`${kind}:`) && { from: [kind, `${after.slice(kind.length + 1)}\0`] }),
    limit,
  };
  const rows = context.range(ref);
  return rows ?? [];
}
