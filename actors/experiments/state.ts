import { limits } from "#base";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { applying } from "../kit/table.ts";
import {
  type Breach,
  type ExperimentRecord,
  groupAddress,
  isOver,
  type LookRecord,
  unitsAddress,
} from "./record.ts";
import { changedMessage, type ShardMessage } from "./snapshot.ts";

export interface State {
  record?: ExperimentRecord;
  look?: LookRecord;
}

export type Event =
  | { readonly type: "created"; readonly record: ExperimentRecord }
  | { readonly type: "changed"; readonly record: ExperimentRecord; readonly reason?: string }
  | {
      readonly type: "looked";
      readonly look: LookRecord;
      /** Found by this look, and not by the one before. */
      readonly breached: readonly Breach[];
      readonly mismatch: boolean;
    }
  /** One that is gone already says so again: its directory asks until it hears it. */
  | { readonly type: "deleted"; readonly id: string; readonly tenant: string };

export const recordRows = rowsOf<ExperimentRecord, readonly []>("record");
export const lookRows = rowsOf<LookRecord, readonly []>("look");

export const lookEffect = "experiment_look";

export function empty(): State {
  return {};
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, recordRows)) state.record = row.value;
  else if (isRowOf(row, lookRows)) state.look = row.value;
}

export const apply = applying<State, Event>({
  created(state, { record }, rows) {
    state.record = record;
    rows.put(recordRows, [], record);
    publish(record, "draft", {}, rows);
  },
  changed: change,
  looked: look,
  deleted(state, { tenant, id }, rows) {
    tellDirectory(tenant, { type: "deleted", id }, rows);
    if (state.record?.id === id) remove(state, state.record, rows);
  },
});

function change(
  state: State,
  { record, reason }: Extract<Event, { type: "changed" }>,
  rows: RowWriter,
): void {
  const before = state.record!;
  state.record = record;
  rows.put(recordRows, [], record);
  if (record.status !== "draft") tellShards(record, changedMessage(record), rows);
  if (record.phases.length > before.phases.length && before.phases.length > 0)
    publish(record, "phase_opened", { phase: record.phases.length }, rows);
  if (record.status === before.status) return;
  tellDirectory(record.tenant, { type: "changed", id: record.id, status: record.status }, rows);
  const { winner, stopReason = reason } = record;
  publish(
    record,
    record.status,
    {
      ...(winner !== undefined && { winner: record.variants[winner]!.key }),
      ...(stopReason !== undefined && { reason: stopReason }),
    },
    rows,
  );
  if (isOver(record)) releaseGroup(record, rows);
  if (record.status === "running") askForLook(record, rows);
  else rows.endEffect("look");
}

function look(state: State, event: Extract<Event, { type: "looked" }>, rows: RowWriter): void {
  const record = state.record!;
  state.look = event.look;
  rows.put(lookRows, [], event.look);
  for (const { metric, variant } of event.breached) publish(record, "breached", { metric, variant }, rows);
  if (event.mismatch) publish(record, "srm", {}, rows);
  if (record.status === "running") askForLook(record, rows);
}

function remove(state: State, record: ExperimentRecord, rows: RowWriter): void {
  rows.delete(recordRows, []);
  rows.delete(lookRows, []);
  rows.endEffect("look");
  if (record.status === "draft") releaseGroup(record, rows);
  else tellShards(record, { type: "deleted" }, rows);
  publish(record, "deleted", {}, rows);
  delete state.record;
  delete state.look;
}

function askForLook({ id }: ExperimentRecord, rows: RowWriter): void {
  rows.effect("look", { kind: lookEffect, dueMs: rows.now + limits.experimentLookMs, body: { id } });
}

function tellDirectory(tenant: string, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, "experiment"), message);
}

function tellShards({ tenant, id }: ExperimentRecord, message: ShardMessage, rows: RowWriter): void {
  for (let shard = 0; shard < limits.experimentShards; shard++)
    rows.send(unitsAddress(tenant, id, shard), message);
}

/** Also of a draft: a start that did not get to its end may have taken a range. */
function releaseGroup({ tenant, id, group }: ExperimentRecord, rows: RowWriter): void {
  if (group) rows.send(groupAddress(tenant, group.id), { type: "release", experimentId: id });
}

function publish(
  { id, key, environment }: ExperimentRecord,
  what: string,
  more: object,
  rows: RowWriter,
): void {
  rows.publish(`experiment.${what}`, id, { key, environment, ...more });
}
