import type { Origin, RowWriter } from "#runtime";
import type { OriginFinished } from "../../../kit/workflow-run.ts";
import type { Change } from "../rows/change.ts";
import { isOver } from "../rows/item.ts";
import type { OriginSet } from "../rows/origin-set.ts";
import type { State } from "../state.ts";

export function setOrigin(state: State, { id, origin, over }: OriginSet, rows: RowWriter): void {
  if (over !== undefined) {
    tell(state, [origin], { ok: over === "completed", state: over }, rows);
    return;
  }
  const known = state.origins.get(id) ?? [];
  if (known.some((one) => one.key === origin.key && one.ref === origin.ref)) return;
  const origins = [...known, origin];
  state.origins.set(id, origins);
  rows.put("origin", [id], origins);
}

/** The first end of an item is told, and only that: a dead letter that is retried has ended for its origin. */
export function tellEnds(state: State, changes: ReadonlyMap<string, Change>, rows: RowWriter): void {
  for (const { item, result, gone } of changes.values()) {
    const origins = state.origins.get(item.id);
    if (!origins || !(gone || isOver(item.state))) continue;
    const ok = item.state === "completed";
    const error = ok ? undefined : item.error?.message;
    const ended = { ok, state: item.state, ...(result !== undefined && { result }), ...(error && { error }) };
    tell(state, origins, ended, rows);
    state.origins.delete(item.id);
    rows.delete("origin", [item.id]);
  }
}

/** The pool goes with all its items. */
export function tellDeleted(state: State, rows: RowWriter): void {
  for (const origins of state.origins.values())
    tell(state, origins, { ok: false, state: "cancelled", error: "the pool was deleted" }, rows);
}

function tell(
  { tenant }: State,
  origins: readonly Origin[],
  finished: OriginFinished["finished"],
  rows: RowWriter,
): void {
  for (const { kind, key, ref } of origins) {
    const message: OriginFinished = { type: "finished", ref, finished };
    rows.send({ kind, tenant, key }, message);
  }
}
