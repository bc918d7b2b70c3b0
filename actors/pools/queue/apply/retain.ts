import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { partsOf } from "../memory/hot-rows.ts";
import type { Change } from "../rows/change.ts";
import { dedupKey } from "../rows/dedup-key.ts";
import { deleteHistory } from "../rows/history.ts";
import { isFinished } from "../rows/item.ts";
import { isRemembered, remembered, retainCode, retainedState } from "../rows/retain-code.ts";
import type { Forgotten, Remembered } from "../rows/retained.ts";
import { arm } from "../rows/stats.ts";
import type { State } from "../state.ts";

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
    items.push(item.id, retainCode(item, result !== undefined), item.dedupId || 0);
  }
  if (items.length > 0) retainUntil(state, rows.now + retentionMs, order, items, rows);
}

/** Requests that were answered with another item: their dedup ids are looked at again when that may be forgotten. */
export function remember(
  state: State,
  retentionMs: number,
  requests: readonly Remembered[],
  rows: RowWriter,
): void {
  for (const { key, id } of requests) {
    state.dedups.set(key, id);
    rows.put("dedup", partsOf(key), id);
  }
  lookAgain(state, retentionMs, requests, rows);
}

function lookAgain(
  state: State,
  retentionMs: number,
  requests: readonly Remembered[],
  rows: RowWriter,
): void {
  const at = rows.now + Math.max(retentionMs, limits.queueRememberedLookMs);
  // Each has an order of its own, so a row that begins with one belongs to that item alone.
  for (const { key, id, order } of requests) retainUntil(state, at, order, [key, remembered, id], rows);
}

function retainUntil(
  state: State,
  time: number,
  order: number,
  items: readonly (string | number)[],
  rows: RowWriter,
): void {
  const step = limits.queueRetentionStepMs;
  const at = Math.ceil(time / step) * step;
  const together = state.retaining.get(at);
  if (together) for (const part of items) together.items.push(part);
  else state.retaining.set(at, { at, order, items: [...items] });
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

export function forget(
  state: State,
  { rows: forgotten, recalled, retentionMs, nextAt }: Forgotten,
  rows: RowWriter,
): void {
  for (const { at, order, items } of forgotten) {
    for (let i = 0; i < items.length; i += 3) {
      const code = items[i + 1] as number;
      if (!isRemembered(code)) forgetItem(state, items[i] as string, code, items[i + 2] as string | 0, rows);
    }
    rows.delete("retain", [at, order, items[0]!]);
  }
  state.retainFirstAt = nextAt;
  if (nextAt > 0) arm(state, nextAt, rows);
  if (!recalled) return;
  for (const key of recalled.over) forgetKey(state, key, rows);
  lookAgain(state, retentionMs!, recalled.kept, rows);
}

function forgetItem(state: State, id: string, code: number, dedupId: string | 0, rows: RowWriter): void {
  const was = retainedState(code);
  rows.delete("done", [id]);
  if (was.body) rows.delete("body", [id]);
  if (was.result) rows.delete("result", [id]);
  deleteHistory(id, was.history, rows);
  state.counts[was.state]--;
  if (dedupId) forgetDedup(state, dedupId, rows);
}

export function forgetDedup(state: State, dedupId: string, rows: RowWriter): void {
  forgetKey(state, dedupKey(dedupId), rows);
}

function forgetKey(state: State, key: string, rows: RowWriter): void {
  state.dedups.set(key, null);
  rows.delete("dedup", partsOf(key));
}
