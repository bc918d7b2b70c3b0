import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { ActivationAnswer } from "../../kit/activation.ts";
import { Collection, type Counts } from "../../kit/collection.ts";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import { applying } from "../../kit/table.ts";
import { noticeAddress } from "../../notify/address.ts";
import type { NoticeOwned, NoticeReleased } from "../../notify/notice.ts";
import { type Definition, definitionKind, statusOf, type Version } from "./record.ts";

/** Versions by number; the id of one sorts as its number does. */
export interface VersionEntry extends Version {
  readonly id: string;
}

const definitionRows = rowsOf<Definition, readonly []>("definition");
export const versions = new Collection<VersionEntry>({ name: "versions", filters: [] });

/** In order as texts. */
export function versionId(version: number): string {
  return String(version).padStart(6, "0");
}

export interface State {
  readonly tenant: string;
  definition: Definition | undefined;
  readonly counts: Counts;
}

export type Event =
  | {
      readonly type: "put";
      readonly definition: Definition;
      readonly published?: VersionEntry;
      /** What notifications are told of it. */
      readonly notice?: NoticeOwned | NoticeReleased;
    }
  /** A promotion is told. */
  | { readonly type: "answered"; readonly to: Address; readonly answer: ActivationAnswer }
  | { readonly type: "purged"; readonly id: string };

export const resident = [definitionRows, versions.countsName];

export function empty({ tenant }: Address): State {
  return { tenant, definition: undefined, counts: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (versions.restore(state.counts, row)) return;
  if (isRowOf(row, definitionRows)) state.definition = row.value;
}

/** A draft and its problems; versions are read when they are asked for. */
export function bytesOf({ definition }: State): number {
  return definition ? 4_000 : 0;
}

export const apply = applying<State, Event>({
  put(state, { definition, published, notice }, rows) {
    put(state, definition, published, rows);
    if (notice) rows.send(noticeAddress(state.tenant, definition.key), notice);
  },
  answered: (_state, { to, answer }, rows) => rows.send(to, answer),
  purged(state, { id }, rows) {
    versions.clear(state.counts, rows);
    rows.delete(definitionRows, []);
    state.definition = undefined;
    const deleted: DirectoryMessage = { type: "deleted", id };
    rows.send(directoryOf(state.tenant, definitionKind), deleted);
  },
});

function put(
  state: State,
  definition: Definition,
  published: VersionEntry | undefined,
  rows: RowWriter,
): void {
  const before = state.definition;
  state.definition = definition;
  rows.put(definitionRows, [], definition);
  if (published) versions.put(state.counts, null, published, rows);
  const { id, key, active, recordVersion } = definition;
  const status = statusOf(definition);
  const changed = before === undefined || statusOf(before) !== status;
  if (changed && before) {
    const entry: DirectoryMessage = { type: "changed", id, status };
    rows.send(directoryOf(state.tenant, definitionKind), entry);
  }
  if (changed || published || before?.active !== active)
    rows.publish(`workflow_definition.${status}`, id, {
      key,
      ...(active > 0 && { active_version: active }),
      record_version: recordVersion,
    });
}
