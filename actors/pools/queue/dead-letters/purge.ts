import type { Decision } from "#runtime";
import { failedRows, type Item, quarantinedRows, touchedItem } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { Event } from "../state.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

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
export function purge(unit: UnitOfWork, command: Purge): Decision<Event> {
  const { items, ...purged } = planPurge(unit, command);
  for (const item of items) unit.change(item, touchedItem(item, unit.now), "purged", { gone: true });
  return { ...unit.decidedWith(purged), frees: true };
}

function planPurge(unit: UnitOfWork, command: Purge): Purged & { readonly items: readonly Item[] } {
  const failed = failedBefore(unit, command);
  if (failed.length === command.most || !command.includeQuarantined || unit.state.quarantined === 0)
    return {
      items: failed,
      purged: failed.length,
      more: failed.length === command.most,
      after: command.after,
    };
  const rows = quarantinedAfter(unit, command);
  const items = rows.filter(({ finishedAt }) => command.before === 0 || finishedAt < command.before);
  return {
    items: [...failed, ...items],
    purged: failed.length + items.length,
    more: rows.length === command.most,
    after: rows.at(-1)?.id ?? command.after,
  };
}

function failedBefore(unit: UnitOfWork, { before, most }: Purge): Item[] {
  const rows = unit.context.scan(failedRows, {
    prefix: [],
    ...(before > 0 && { to: [before] }),
    limit: most,
  });
  return rows.flatMap(({ key: [, id] }) => unit.item(id) ?? []);
}

function quarantinedAfter(unit: UnitOfWork, { after, most }: Purge): Item[] {
  const rows = unit.context.scan(quarantinedRows, {
    prefix: [],
    ...(after && { from: [`${after}\0`] }),
    limit: most,
  });
  return rows.map((row) => fromRow(row.value));
}
