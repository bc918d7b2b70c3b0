import { isRefusal, limits, type Refusal } from "#base";
import type { Context, RangeRef, StoredRow } from "#runtime";
import { cutToBytes, type PageRequest, pageBounds, sealCursor } from "../shared/cursor.ts";
import type { RouterView } from "../shared/router.ts";
import { type Group, type GroupKind, groupFromRow, groupKinds, holdOf } from "./group.ts";
import { viewOf } from "./groups.ts";
import { type Item, type ItemState, itemStates } from "./item.ts";
import { fromRow } from "./item-row.ts";
import { groupMessage } from "./message.ts";
import { reachPool } from "./pool.ts";
import type { State } from "./state.ts";
import { fullMessage, type Missing } from "./view.ts";

export type ListCommand =
  | {
      readonly type: "list_items";
      readonly page: PageRequest;
      readonly states: readonly ItemState[];
      readonly key: string;
    }
  | { readonly type: "list_dead_letters"; readonly page: PageRequest; readonly quarantined: boolean }
  | {
      readonly type: "list_groups";
      readonly page: PageRequest;
      readonly kind: GroupKind | "";
      readonly status: string;
    };

type Message = Record<string, unknown>;

/** One page, by id. `total` is exact where a counter knows it. */
export function list(
  state: State,
  command: ListCommand,
  context: Context,
  missing: Missing,
): Message | Refusal {
  const router = context.twin<RouterView>("router");
  const refused = reachPool(router, context);
  if (refused) return refused;
  // Nothing is listed before the secret exists, so no cursor is opened without it.
  const { page, ...filter } = command;
  const scope = [router.tenant, router.poolId, filter];
  const bounds = pageBounds(page, state.secret, scope);
  if (isRefusal(bounds)) return bounds;
  const after = (bounds.after?.[0] as string | undefined) ?? "";
  const wanted = bounds.size + bounds.offset + 1;
  const seal = (id: string) => sealCursor(state.secret, scope, [id]);
  if (command.type === "list_groups") {
    const groups = groupsAfter(state, command, context, missing, after, wanted).slice(bounds.offset);
    const shown = groups.slice(0, bounds.size);
    const more = groups.length > shown.length;
    return {
      admission_groups: shown.map(([, message]) => message),
      next_page_token: more ? seal(shown.at(-1)![0]) : "",
    };
  }
  const items = itemsAfter(state, command, context, missing, after, wanted).slice(bounds.offset);
  const full = items.slice(0, bounds.size).map((item) => fullMessage(state, context, item, missing));
  if (missing.length > 0) return {};
  const shown = cutToBytes(full);
  const more = items.length > shown.length;
  const total = totalOf(state, command);
  return {
    [command.type === "list_items" ? "items" : "dead_letters"]: shown,
    next_page_token: more ? seal((shown.at(-1) as { id: string }).id) : "",
    ...(total !== undefined && { total }),
  };
}

type ItemList = Exclude<ListCommand, { type: "list_groups" }>;

/** Up to `wanted` items after an id that pass the filter: a merge of the collections they are in. */
function itemsAfter(
  state: State,
  command: ItemList,
  context: Context,
  missing: Missing,
  after: string,
  wanted: number,
): Item[] {
  const found: Item[] = [];
  let from = after;
  while (found.length < wanted) {
    const batch = Math.min(limits.pageOffsetMax + limits.pageSizeMax + 1, Math.max(wanted, 200));
    const rows: StoredRow[] = [];
    let end = "";
    for (const collection of collectionsOf(command)) {
      const ref: RangeRef = {
        collection,
        prefix: [],
        ...(from && { from: [`${from}\0`] }),
        limit: batch,
      };
      const part = context.range(ref);
      if (part === undefined) {
        missing.push(ref);
        continue;
      }
      rows.push(...part);
      // Beyond the last row of a full part this collection may have more: the merge stops there.
      const last = part.length === batch ? (part.at(-1)!.key[0] as string) : "";
      if (last && (end === "" || last < end)) end = last;
    }
    if (missing.length > 0) return [];
    rows.sort((a, b) => (a.key[0]! < b.key[0]! ? -1 : 1));
    for (const row of rows) {
      if (end && (row.key[0] as string) > end) break;
      const item = state.leases.get(row.key[0] as string) ?? fromRow(row.value);
      if (passes(command, item) && found.length < wanted) found.push(item);
    }
    if (!end) break;
    from = end;
  }
  return found;
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
  const states = command.states.length > 0 ? command.states : itemStates;
  return states.reduce((sum, name) => sum + state.counts[name], 0);
}

/** Groups with a row, and concurrency groups that only leases know, by kind and id. */
function groupsAfter(
  state: State,
  command: Extract<ListCommand, { type: "list_groups" }>,
  context: Context,
  missing: Missing,
  after: string,
  wanted: number,
): [string, Message][] {
  const router = context.twin<RouterView>("router");
  const known = new Map<string, Group | null>();
  const cleared = new Map<string, readonly [number, string, string]>();
  for (const kind of command.kind === "" ? groupKinds : [command.kind]) {
    const ref: RangeRef = {
      collection: "group",
      prefix: [kind],
      ...(after.startsWith(`${kind}:`) && { from: [kind, `${after.slice(kind.length + 1)}\0`] }),
      limit: wanted + 1,
    };
    const rows = context.range(ref);
    if (rows === undefined) missing.push(ref);
    for (const row of rows ?? []) known.set(`${row.key[0]}:${row.key[1]}`, groupFromRow(row.value));
    const clearedRef: RangeRef = { ...ref, collection: "cleared" };
    const clearedRows = context.range(clearedRef);
    if (clearedRows === undefined) missing.push(clearedRef);
    for (const row of clearedRows ?? []) {
      const hold = `${row.key[0]}:${row.key[1]}`;
      cleared.set(hold, row.value as readonly [number, string, string]);
      if (!known.has(hold)) known.set(hold, null);
    }
    if (kind === "concurrency")
      for (const id of state.inUse.keys())
        if (!known.has(holdOf("concurrency", id))) known.set(holdOf("concurrency", id), null);
  }
  return [...known]
    .filter(([hold]) => hold > after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([hold, group]): [string, Message] => [
      hold,
      groupMessage(router, viewOf(state, context, hold, group, cleared.get(hold) ?? null)),
    ])
    .filter(([, message]) => command.status === "" || message.status === command.status)
    .slice(0, wanted);
}
