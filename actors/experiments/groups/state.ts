import { isRowOf, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import { type Message, type Owned, stampsOf } from "../../kit/record.ts";
import { applying } from "../../kit/table.ts";
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
  /** One that is gone already says so again: its directory asks until it hears it. */
  | { readonly type: "deleted"; readonly id: string; readonly tenant: string };

export const groupRows = rowsOf<GroupRecord, readonly []>("group");

export function empty(): State {
  return {};
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, groupRows)) state.group = row.value;
}

export const apply = applying<State, Event>({
  put(state, { group }, rows) {
    state.group = group;
    rows.put(groupRows, [], group);
  },
  deleted(state, { id, tenant }, rows) {
    const message: DirectoryMessage = { type: "deleted", id };
    rows.send(directoryOf(tenant, "experiment_group"), message);
    if (state.group?.id !== id) return;
    rows.delete(groupRows, []);
    delete state.group;
  },
});

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
