import type { Decision, RangeRef } from "#runtime";
import type { Draft } from "../draft/draft.ts";
import { type Item, touchedItem } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { Event } from "../state.ts";

/** One step: the caller goes on until it is told that there is no next. */
export interface Purge {
  readonly type: "purge";
  /** Only what failed before; 0: everything. */
  readonly before: number;
  readonly includeQuarantined: boolean;
  /** The last quarantined item an earlier step looked at; they are in no order of time. */
  readonly after: string;
  readonly most: number;
}

export interface Purged {
  readonly purged: number;
  readonly more: boolean;
  readonly after: string;
}

/** Oldest failures first, then the quarantined ones, a bounded number at a time. */
export function purge(draft: Draft, command: Purge): Decision<Event> {
  const { items, ...purged } = planPurge(draft, command);
  if (draft.missing.length > 0) return { need: draft.missing };
  for (const item of items) draft.change(item, touchedItem(item, draft.now), "purged", { gone: true });
  return { ...draft.decidedWith(purged), frees: true };
}

function planPurge(draft: Draft, command: Purge): Purged & { readonly items: readonly Item[] } {
  const failed = failedBefore(draft, command);
  if (failed.length === command.most || !command.includeQuarantined || draft.state.quarantined === 0)
    return {
      items: failed,
      purged: failed.length,
      more: failed.length === command.most,
      after: command.after,
    };
  const rows = quarantinedAfter(draft, command);
  const items = rows.filter(({ finishedAt }) => command.before === 0 || finishedAt < command.before);
  return {
    items: [...failed, ...items],
    purged: failed.length + items.length,
    more: rows.length === command.most,
    after: rows.at(-1)?.id ?? command.after,
  };
}

function failedBefore(draft: Draft, { before, most }: Purge): Item[] {
  const ref: RangeRef = {
    collection: "failed",
    prefix: [],
    ...(before > 0 && { to: [before] }),
    limit: most,
  };
  const rows = draft.context.range(ref);
  if (rows === undefined) draft.missing.push(ref);
  return (rows ?? []).flatMap(({ key }) => draft.item(key[1] as string) ?? []);
}

function quarantinedAfter(draft: Draft, { after, most }: Purge): Item[] {
  const ref: RangeRef = {
    collection: "quarantined",
    prefix: [],
    ...(after && { from: [`${after}\0`] }),
    limit: most,
  };
  const rows = draft.context.range(ref);
  if (rows === undefined) draft.missing.push(ref);
  return (rows ?? []).map((row) => fromRow(row.value));
}
