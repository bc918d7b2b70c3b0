import type { Address, RowWriter, StoredRow } from "#runtime";
import type { Counts } from "../kit/old-collection.ts";
import type { Channel } from "../notify/outbound/types.ts";
import { type Layout, layoutRows } from "./record.ts";

export interface State {
  readonly tenant: string;
  /** Seals cursors; empty until a list first needs it. */
  secret: string;
  readonly counts: Counts;
  /** The id of a channel's default. */
  readonly defaults: Map<Channel, string>;
}

export type Event =
  | { readonly type: "layout_put"; readonly before: Layout | null; readonly after: Layout }
  | { readonly type: "layout_removed"; readonly layout: Layout }
  | { readonly type: "default_set"; readonly channel: Channel; readonly id: string | null }
  /** All layouts that a workflow names, and those that it named before. */
  | {
      readonly type: "usage_put";
      readonly workflowKey: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
  | { readonly type: "secret_drawn"; readonly secret: string }
  | { readonly type: "purged" };

/** By layout and workflow. */
export const usageRows = "usage";
/** By workflow: the layouts it names. */
export const usersRows = "users";

export const resident = ["secret", "defaults", layoutRows.countsName];

export function empty({ tenant }: Address): State {
  return { tenant, secret: "", counts: new Map(), defaults: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (layoutRows.restore(state.counts, row)) return;
  if (row.collection === "secret") state.secret = row.value as string;
  else if (row.collection === "defaults") state.defaults.set(row.key[0] as Channel, row.value as string);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "layout_put": {
      const { before, after } = event;
      layoutRows.put(state.counts, before, after, rows);
      publish(after, before ? "updated" : "created", rows);
      return;
    }
    case "layout_removed":
      layoutRows.remove(state.counts, event.layout, rows);
      publish(event.layout, "deleted", rows);
      return;
    case "default_set":
      if (event.id === null) {
        state.defaults.delete(event.channel);
        rows.delete("defaults", [event.channel]);
      } else {
        state.defaults.set(event.channel, event.id);
        rows.put("defaults", [event.channel], event.id);
      }
      return;
    case "usage_put": {
      const { workflowKey, before, after } = event;
      for (const id of before) rows.delete(usageRows, [id, workflowKey]);
      for (const id of after) rows.put(usageRows, [id, workflowKey], true);
      if (after.length === 0) rows.delete(usersRows, [workflowKey]);
      else rows.put(usersRows, [workflowKey], after);
      return;
    }
    case "secret_drawn":
      state.secret = event.secret;
      rows.put("secret", [], event.secret);
      return;
    case "purged":
      layoutRows.clear(state.counts, rows);
      for (const collection of ["secret", "defaults", usageRows, usersRows])
        rows.deletePrefix(collection, []);
      state.secret = "";
      state.defaults.clear();
      return;
  }
}

function publish({ id, channel, version }: Layout, what: string, rows: RowWriter): void {
  rows.publish(`layout.${what}`, id, { channel, version });
}
