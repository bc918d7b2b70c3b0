import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { partsOf } from "../memory/hot-rows.ts";
import { isInline } from "../rows/body.ts";
import type { Change } from "../rows/change.ts";
import { dedupKey } from "../rows/dedup-key.ts";
import { arm } from "../rows/figures.ts";
import { isFinished, itemStates } from "../rows/item.ts";
import { stateIndex } from "../rows/item-row.ts";
import type { RetainRow, State } from "../state.ts";

/** Beside the state of a finished item: which rows there are of it. */
const hasBody = 16;
const hasResult = 32;

/** Finished items of one commit are forgotten together later: one row names them all. */
export function retain(
  state: State,
  order: number,
  retentionMs: number,
  changes: ReadonlyMap<string, Change>,
  rows: RowWriter,
): void {
  const items: (string | number)[] = [];
  for (const { from, item, result, gone } of changes.values()) {
    if (gone || item.finishedAt === 0 || !isFinished(item) || (from && isFinished(from))) continue;
    const code =
      stateIndex[item.state] + (isInline(item) ? 0 : hasBody) + (result === undefined ? 0 : hasResult);
    items.push(item.id, code, item.dedupId || 0);
  }
  if (items.length === 0) return;
  const step = limits.queueRetentionStepMs;
  const at = Math.ceil((rows.now + retentionMs) / step) * step;
  const together = state.retaining.get(at);
  if (together) for (const part of items) together.items.push(part);
  else state.retaining.set(at, { at, order, items });
  if (state.retainFirstAt === 0 || at < state.retainFirstAt) state.retainFirstAt = at;
  arm(state, at, rows);
}

/** At the end of a commit. */
export function writeRetained(state: State, rows: RowWriter): void {
  if (state.retaining.size === 0) return;
  for (const { at, order, items } of state.retaining.values())
    rows.put("retain", [at, order, items[0]!], items);
  state.retaining.clear();
}

export function forget(state: State, forgotten: readonly RetainRow[], nextAt: number, rows: RowWriter): void {
  for (const { at, order, items } of forgotten) {
    for (let i = 0; i < items.length; i += 3) {
      const id = items[i] as string;
      const code = items[i + 1] as number;
      const dedupId = items[i + 2] as string | 0;
      rows.delete("done", [id]);
      if (code & hasBody) rows.delete("body", [id]);
      if (code & hasResult) rows.delete("result", [id]);
      state.counts[itemStates[code & 15]!]--;
      if (dedupId) forgetDedup(state, dedupId, rows);
    }
    rows.delete("retain", [at, order, items[0]!]);
  }
  state.retainFirstAt = nextAt;
  if (nextAt > 0) arm(state, nextAt, rows);
}

export function forgetDedup(state: State, dedupId: string, rows: RowWriter): void {
  const key = dedupKey(dedupId);
  state.dedups.set(key, null);
  rows.delete("dedup", partsOf(key));
}
