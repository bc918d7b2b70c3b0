import type { RowWriter } from "#runtime";
import type { Change } from "./change.ts";
import type { Item } from "./item.ts";
import type { State } from "./state.ts";

/**
 * What subscribers see: one event per kind of change and commit, with every item it happened to. `docs/events.md` lists
 * the kinds; the names and members are part of the contract.
 */
export function publishChanges(state: State, changes: readonly Change[], rows: RowWriter): void {
  const byCause = new Map<string, unknown[]>();
  for (const { cause, item } of changes) {
    // Standing in line somewhere else is no change of the item.
    if (cause === "held") continue;
    const known = byCause.get(cause);
    if (known) known.push(summaryOf(item));
    else byCause.set(cause, [summaryOf(item)]);
  }
  for (const [cause, items] of byCause) rows.publish(`queue_item.${cause}`, state.poolId, { items });
}

function summaryOf(item: Item): Record<string, unknown> {
  return {
    id: item.id,
    state: item.state,
    attempts: item.attempts,
    deliveries: item.deliveries,
    record_version: item.version,
    ...(item.lease && { recipient_id: item.lease.recipient }),
    ...(item.error && item.state !== "leased" && item.state !== "completed" && { error: item.error.message }),
  };
}
