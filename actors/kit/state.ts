import { limits } from "#base";
import type { Address, Context, RowWriter, StoredRow } from "#runtime";
import type { Counts } from "./collection.ts";
import type { Owned } from "./record.ts";
import { type Resource, snakeCase } from "./resource.ts";

export interface RecordState {
  readonly tenant: string;
  readonly counts: Counts;
}

export type RecordEvent<Value extends Owned> =
  | {
      readonly type: "record_put";
      readonly before: Value | null;
      readonly after: Value;
      /** What is published; absent: created or updated, where the resource publishes. */
      readonly kind?: string;
    }
  | { readonly type: "record_removed"; readonly record: Value }
  | { readonly type: "purged" };

interface SecretDrawn {
  readonly type: "secret_drawn";
  readonly secret: string;
}

export function emptyRecords({ tenant }: Address): RecordState {
  return { tenant, counts: new Map() };
}

export function restoreRecords<Value extends Owned>(
  { collection }: Resource<Value>,
  state: RecordState,
  row: StoredRow,
): void {
  collection.restore(state.counts, row);
}

export function applyRecord<Value extends Owned>(
  resource: Resource<Value>,
  state: RecordState,
  event: RecordEvent<Value>,
  rows: RowWriter,
): void {
  const { collection, publishes, one } = resource;
  switch (event.type) {
    case "record_put": {
      const { before, after } = event;
      collection.put(state.counts, before, after, rows);
      const change = before ? "updated" : "created";
      const kind = event.kind ?? (publishes && `${snakeCase(one)}.${change}`);
      if (kind) rows.publish(kind, after.id, { record_version: after.recordVersion });
      return;
    }
    case "record_removed":
      collection.remove(state.counts, event.record, rows);
      if (publishes) rows.publish(`${snakeCase(one)}.deleted`, event.record.id, {});
      return;
    case "purged":
      collection.clear(state.counts, rows);
      return;
  }
}

/** The secret of a state, drawn where it has none yet, and the event that keeps what was drawn. */
export function secretOf(state: { readonly secret: string }, context: Context) {
  if (state.secret !== "") return { secret: state.secret, drawn: [] };
  const secret = context.secret(limits.secretBytes);
  const drawn: SecretDrawn = { type: "secret_drawn", secret };
  return { secret, drawn: [drawn] };
}
