import type { Address, RowWriter, StoredRow } from "#runtime";
import type { Counts } from "../kit/old-collection.ts";
import { audienceAddresses, type IntegrationsChanged, pacerAddress } from "../notify/outbound/types.ts";
import type { PacerCommand } from "./pacer/decide.ts";
import { copyOf, type Integration, integrationRows } from "./record.ts";

export interface State {
  readonly tenant: string;
  /** Seals cursors; empty until a list first needs it. */
  secret: string;
  readonly counts: Counts;
  /** Those that have a pacer. */
  readonly paced: Set<string>;
  /** Deleted ones, oldest first. */
  readonly deleted: Deleted[];
}

interface Deleted {
  readonly at: number;
  readonly id: string;
}

export type Event =
  | { readonly type: "integration_put"; readonly before: Integration | null; readonly after: Integration }
  | { readonly type: "integration_removed"; readonly record: Integration; readonly at: number }
  /** A deleted one that is kept no longer. */
  | (Deleted & { readonly type: "forgotten" })
  | { readonly type: "secret_drawn"; readonly secret: string }
  | { readonly type: "purged" };

export const deletedRows = "deleted";
export const resident = ["secret", "paced", "deleted_ids", integrationRows.countsName];

export function empty({ tenant }: Address): State {
  return { tenant, secret: "", counts: new Map(), paced: new Set(), deleted: [] };
}

export function restore(state: State, row: StoredRow): void {
  if (integrationRows.restore(state.counts, row)) return;
  const { collection, key, value } = row;
  if (collection === "secret") state.secret = value as string;
  else if (collection === "paced") state.paced.add(key[0] as string);
  // Rows come in the order of their keys, which are times.
  else if (collection === "deleted_ids") state.deleted.push({ at: key[0] as number, id: key[1] as string });
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "integration_put": {
      const { before, after } = event;
      integrationRows.put(state.counts, before, after, rows);
      tellAudiences(state, after.active ? { put: [copyOf(after)], removed: [] } : gone(after.id), rows);
      pace(state, before, after, rows);
      publish(after, before ? "updated" : "created", rows);
      return;
    }
    case "integration_removed": {
      const { record, at } = event;
      integrationRows.remove(state.counts, record, rows);
      rows.put(deletedRows, [record.id], { ...record, active: false, deletedAt: at });
      rows.put("deleted_ids", [at, record.id], true);
      state.deleted.push({ at, id: record.id });
      tellAudiences(state, gone(record.id), rows);
      pace(state, record, null, rows);
      publish(record, "deleted", rows);
      return;
    }
    case "forgotten":
      state.deleted.shift();
      rows.delete(deletedRows, [event.id]);
      rows.delete("deleted_ids", [event.at, event.id]);
      return;
    case "secret_drawn":
      state.secret = event.secret;
      rows.put("secret", [], event.secret);
      return;
    case "purged":
      for (const id of state.paced)
        rows.send(pacerAddress(state.tenant, id), { type: "pace_ended" } satisfies PacerCommand);
      integrationRows.clear(state.counts, rows);
      for (const name of ["secret", "paced", "deleted_ids", deletedRows]) rows.deletePrefix(name, []);
      Object.assign(state, { secret: "" });
      state.paced.clear();
      state.deleted.length = 0;
      return;
  }
}

function gone(id: string): Pick<IntegrationsChanged, "put" | "removed"> {
  return { put: [], removed: [id] };
}

function tellAudiences(
  { tenant }: State,
  change: Pick<IntegrationsChanged, "put" | "removed">,
  rows: RowWriter,
): void {
  const message: IntegrationsChanged = { type: "integrations_changed", ...change };
  for (const to of audienceAddresses(tenant)) rows.send(to, message);
}

/** The pacer learns of its rate in the same commit; without one it ends. */
function pace(state: State, before: Integration | null, after: Integration | null, rows: RowWriter): void {
  const id = (after ?? before)!.id;
  const rate = after?.active ? after.rate : undefined;
  if (rate) {
    const { perSecond, burst } = rate;
    const message: PacerCommand = { type: "paced", epoch: after!.paceEpoch, perSecond, burst };
    rows.send(pacerAddress(state.tenant, id), message);
    state.paced.add(id);
    rows.put("paced", [id], true);
  } else if (state.paced.delete(id)) {
    rows.send(pacerAddress(state.tenant, id), { type: "pace_ended" } satisfies PacerCommand);
    rows.delete("paced", [id]);
  }
}

function publish(
  { id, channel, providerKey, recordVersion }: Integration,
  what: string,
  rows: RowWriter,
): void {
  rows.publish(`integration.${what}`, id, {
    channel,
    provider_key: providerKey,
    record_version: recordVersion,
  });
}
