import { limits } from "#base";
import type { Address, Context, RowWriter } from "#runtime";
import type { Owned, Stored } from "./record.ts";
import { type Changed, type RecordState, type Resource, snakeCase } from "./resource.ts";

export type RecordEvent<Value> = RecordChanged<Value> | { readonly type: "purged" };

export interface RecordChanged<Value> extends Changed<Value> {
  readonly type: "record_changed";
  /** What is published; absent: created, updated or deleted, where the resource publishes. */
  readonly kind?: string;
}

interface SecretDrawn {
  readonly type: "secret_drawn";
  readonly secret: string;
}

export function emptyRecords({ tenant }: Address): RecordState {
  return { tenant, records: new Map() };
}

export function applyRecord<Value extends Stored, State extends RecordState<unknown>, Own>(
  resource: Resource<Value, State, Own>,
  state: State,
  event: RecordEvent<Value>,
  rows: RowWriter,
): void {
  const { store, one } = resource;
  if (event.type === "purged") {
    store.clear(state.records, rows);
    return;
  }
  const { before, after } = event;
  if (after === null) store.remove(state.records, before!, rows);
  else store.put(state.records, before, after, rows);
  const what = after === null ? "deleted" : before === null ? "created" : "updated";
  const record = (after ?? before)!;
  const payload = resource.publishes?.(record);
  const { environment } = record as Partial<Owned>;
  if (event.kind !== undefined) rows.publish(event.kind, record.id, payload ?? {}, environment);
  else if (payload) rows.publish(`${snakeCase(one)}.${what}`, record.id, payload, environment);
  resource.after?.(event, state, rows);
}

/** The secret of a state, drawn where it has none yet, and the event that keeps what was drawn. */
export function secretOf(state: { readonly secret: string }, context: Context) {
  if (state.secret !== "") return { secret: state.secret, drawn: [] };
  const secret = context.secret(limits.secretBytes);
  const drawn: SecretDrawn = { type: "secret_drawn", secret };
  return { secret, drawn: [drawn] };
}
