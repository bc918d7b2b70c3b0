import { limits } from "#base";
import type { Context, RangeRef, StoredRow } from "#runtime";
import type { Bounds, Found, PageRequest } from "../../../kit/list.ts";
import { type Item, type ItemState, itemStates } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { Missing } from "../rows/missing.ts";
import type { State } from "../state.ts";

export type ItemList =
  | {
      readonly type: "list_items";
      readonly page: PageRequest;
      readonly states: readonly ItemState[];
      readonly key: string;
    }
  | { readonly type: "list_dead_letters"; readonly page: PageRequest; readonly quarantined: boolean };

/** Up to `wanted` items after an id that pass the filter: a merge of the collections they are in. */
export function itemsAfter(
  state: State,
  command: ItemList,
  context: Context,
  missing: Missing,
  { after: [last = ""] = [], limit: wanted }: Bounds,
): Found<Item> {
  const after = String(last);
  const total = totalOf(state, command);
  const counted = total === undefined ? {} : { total };
  if (onlyLeased(command)) return { values: leasedAfter(state, command, after, wanted), ...counted };
  const look = lookOf(wanted, isFiltered(command));
  const rows: StoredRow[] = [];
  let end = "";
  for (const collection of collectionsOf(command)) {
    const ref: RangeRef = { collection, prefix: [], ...(after && { from: [`${after}\0`] }), limit: look };
    const part = context.range(ref);
    if (part === undefined) {
      missing.push(ref);
      continue;
    }
    rows.push(...part);
    // Beyond the last row of a full part this collection may have more: the merge stops there.
    const last = part.length === look ? (part.at(-1)!.key[0] as string) : "";
    if (last && (end === "" || last < end)) end = last;
  }
  if (missing.length > 0) return { values: [] };
  rows.sort((a, b) => (a.key[0]! < b.key[0]! ? -1 : 1));
  const values: Item[] = [];
  for (const row of rows) {
    const id = row.key[0] as string;
    if (values.length === wanted || (end && id > end)) break;
    const item = state.leases.get(id) ?? state.recent.find(id) ?? fromRow(row.value);
    if (passes(command, item)) values.push(item);
  }
  return { values, ...counted, ...(end && { end: [end] }) };
}

/** Leases are all in memory; among a million waiting items they would be hard to find. */
function leasedAfter(state: State, command: ItemList, after: string, wanted: number): Item[] {
  return [...state.leases.values()]
    .filter((item) => item.id > after && passes(command, item))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, wanted);
}

function onlyLeased(command: ItemList): boolean {
  return command.type === "list_items" && command.states.length > 0 && command.states.every(isLeased);
}

function isLeased(state: ItemState): boolean {
  return state === "leased";
}

function isFiltered(command: ItemList): boolean {
  return command.type === "list_items" && (command.states.length > 0 || command.key !== "");
}

function collectionsOf(command: ItemList): string[] {
  if (command.type === "list_dead_letters") return [command.quarantined ? "quarantined" : "dead"];
  const states = command.states.length > 0 ? command.states : itemStates;
  const collections = new Set<string>();
  for (const state of states) {
    if (state === "dead") collections.add("dead").add("quarantined");
    else if (state === "scheduled" || state === "ready" || state === "leased" || state === "retry_wait")
      collections.add("item");
    else collections.add("done");
  }
  return [...collections];
}

function passes(command: ItemList, item: Item): boolean {
  if (command.type === "list_dead_letters") return true;
  if (command.states.length > 0 && !command.states.includes(item.state)) return false;
  return command.key === "" || item.key === command.key;
}

function totalOf(state: State, command: ItemList): number | undefined {
  if (command.type === "list_dead_letters")
    return command.quarantined ? state.quarantined : state.counts.dead - state.quarantined;
  if (command.key !== "") return undefined;
  const states = command.states.length > 0 ? new Set(command.states) : itemStates;
  let total = 0;
  for (const name of states) total += state.counts[name];
  return total;
}

/** Rows one look asks of a collection: as many as are wanted, or enough for a filter to find some. */
export function lookOf(wanted: number, filtered: boolean): number {
  return filtered ? Math.max(wanted, limits.queueListLook) : wanted;
}
