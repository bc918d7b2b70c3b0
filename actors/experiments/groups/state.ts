import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import { type Message, type Owned, stampsOf } from "../../kit/record.ts";
import { million } from "../hash.ts";

/** Ranges are in millionths, in the order of their beginnings. */
export interface GroupRecord extends Owned {
  readonly name: string;
  readonly ranges: readonly Range[];
}

export interface Range {
  readonly experimentId: string;
  readonly start: number;
  readonly share: number;
}

export interface State {
  group?: GroupRecord;
}

export type Event =
  | { readonly type: "put"; readonly group: GroupRecord }
  | { readonly type: "deleted" }
  | { readonly type: "purged"; readonly id: string; readonly tenant: string };

export const groupRows = rowsOf<GroupRecord, readonly []>("group");

export function empty(): State {
  return {};
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, groupRows)) state.group = row.value;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "put":
      state.group = event.group;
      rows.put(groupRows, [], event.group);
      return;
    case "deleted": {
      const { tenant, id } = state.group!;
      tellDeleted(tenant, id, rows);
      rows.delete(groupRows, []);
      delete state.group;
      return;
    }
    case "purged":
      tellDeleted(event.tenant, event.id, rows);
      return;
  }
}

function tellDeleted(tenant: string, id: string, rows: RowWriter): void {
  const message: DirectoryMessage = { type: "deleted", id };
  rows.send(directoryOf(tenant, "experiment_group"), message);
}

/** As the contract's `ExperimentGroup`. */
export function groupMessage(group: GroupRecord): Message {
  const taken = group.ranges.reduce((sum, { share }) => sum + share, 0);
  return {
    id: group.id,
    name: group.name,
    tenant_id: group.tenant,
    environment: group.environment,
    ranges: group.ranges.map(({ experimentId, start, share }) => ({
      experiment_id: experimentId,
      start: start / million,
      share: share / million,
    })),
    free: (million - taken) / million,
    ...stampsOf(group),
  };
}
