import { limits } from "#base";
import type { Context, StoredRow } from "#runtime";
import type { Bounds, Found, PageRequest } from "../../../kit/list.ts";
import { type Candidate, matching } from "../jobs/filter.ts";
import {
  collectionOf,
  deadRows,
  type Item,
  type ItemRow,
  type ItemRows,
  type ItemState,
  itemStates,
  quarantinedRows,
} from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { State } from "../state.ts";

export type ItemList =
  | {
      readonly type: "list_items";
      readonly page: PageRequest;
      readonly states: readonly ItemState[];
      readonly key: string;
      readonly filter: string;
    }
  | {
      readonly type: "list_dead_letters";
      readonly page: PageRequest;
      readonly quarantined: boolean;
      readonly filter: string;
    };

/** Up to `wanted` items after an id that pass the filter: a merge of the collections they are in. */
export function itemsAfter(
  state: State,
  command: ItemList,
  context: Context,
  { after: [last = ""] = [], limit: wanted }: Bounds,
): Found<Item> {
  const after = String(last);
  const total = totalOf(state, command);
  const counted = total === undefined ? {} : { total };
  const shown = (candidates: readonly Candidate[], end: string): Found<Item> => ({
    ...sift(state, context, command.filter, { candidates, wanted, end }),
    ...counted,
  });
  if (onlyLeased(command)) return shown(leasedAfter(state, command, after), "");
  const look = lookOf(wanted, isFiltered(command));
  const range = { prefix: [], ...(after && { from: [`${after}\0`] }), limit: look };
  const collections = collectionsOf(command);
  context.prefetch(collections.map((collection) => ({ ...range, collection })));
  const rows: StoredRow<ItemRow, readonly [string]>[] = [];
  let end = "";
  for (const collection of collections) {
    const part = context.scan(collection, range);
    rows.push(...part);
    // Beyond the last row of a full part this collection may have more: the merge stops there.
    const last = part.length === look ? part.at(-1)!.key[0] : "";
    if (last && (end === "" || last < end)) end = last;
  }
  rows.sort((a, b) => (a.key[0]! < b.key[0]! ? -1 : 1));
  const most = command.filter === "" ? wanted : limits.queueListLook;
  const candidates: Candidate[] = [];
  for (const { key, value: row } of rows) {
    const [id] = key;
    if (candidates.length === most || (end && id > end)) break;
    const item = state.leases.get(id) ?? state.recent.find(id) ?? fromRow(row);
    if (passes(command, item)) candidates.push({ item, row });
  }
  return shown(candidates, candidates.length === most ? candidates.at(-1)!.item.id : end);
}

interface Looked {
  readonly candidates: readonly Candidate[];
  readonly wanted: number;
  /** The last that was looked for; empty: there are no more. */
  readonly end: string;
}

/** The first `wanted` that the filter lets through, and where the look for them ended. */
function sift(
  state: State,
  context: Context,
  filter: string,
  { candidates, wanted, end }: Looked,
): Found<Item> {
  const found = matching(state, context, filter, candidates, wanted) ?? [];
  const values = candidates.filter((_, index) => found[index]).map(({ item }) => item);
  const last = found.length < candidates.length ? candidates[found.length - 1]?.item.id : end;
  return { values, ...(last && { end: [last] }) };
}

/** Leases are all in memory; among a million waiting items they would be hard to find. */
function leasedAfter(state: State, command: ItemList, after: string): Candidate[] {
  return [...state.leases.values()]
    .filter((item) => item.id > after && passes(command, item))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((item) => ({ item }));
}

function onlyLeased(command: ItemList): boolean {
  return command.type === "list_items" && command.states.length > 0 && command.states.every(isLeased);
}

function isLeased(state: ItemState): boolean {
  return state === "leased";
}

function isFiltered(command: ItemList): boolean {
  if (command.filter !== "") return true;
  return command.type === "list_items" && (command.states.length > 0 || command.key !== "");
}

function collectionsOf(command: ItemList): readonly ItemRows[] {
  if (command.type === "list_dead_letters") return [command.quarantined ? quarantinedRows : deadRows];
  const states = command.states.length > 0 ? command.states : itemStates;
  const collections = states.map((state) => collectionOf({ state, quarantined: false }));
  return [...new Set(states.includes("dead") ? [...collections, quarantinedRows] : collections)];
}

function passes(command: ItemList, item: Item): boolean {
  if (command.type === "list_dead_letters") return true;
  if (command.states.length > 0 && !command.states.includes(item.state)) return false;
  return command.key === "" || item.key === command.key;
}

function totalOf(state: State, command: ItemList): number | undefined {
  if (command.filter !== "") return undefined;
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
