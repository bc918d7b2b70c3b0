import { type Address, isRowOf, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../../kit/table.ts";
import { type EndReason, type SessionMessage, sessionAddress } from "../record.ts";

/** When each open session of the principal began, by id. */
export interface State {
  readonly started: Map<string, number>;
}

export type Event =
  | SessionMessage
  | { readonly type: "ending"; readonly ids: readonly string[]; readonly why: EndReason };

const startedRows = rowsOf<number>("started");
export const resident = [startedRows];

export function empty(_address: Address): State {
  return { started: new Map() };
}

export function restore({ started }: State, row: StoredRow): void {
  if (isRowOf(row, startedRows)) started.set(row.key[0], row.value);
}

export const apply = applying<State, Event>({
  started({ started }, { id, at, principalKind, subject }, rows) {
    started.set(id, at);
    rows.put(startedRows, [id], at);
    rows.publish("console_session.started", id, { principal_kind: principalKind, subject });
  },
  ended({ started }, { id, why, principalKind, subject }, rows) {
    started.delete(id);
    rows.delete(startedRows, [id]);
    rows.publish("console_session.ended", id, { principal_kind: principalKind, subject, reason: why });
  },
  ending(_state, { ids, why }, rows) {
    for (const id of ids) rows.send(sessionAddress(id), { type: "end", why });
  },
});
