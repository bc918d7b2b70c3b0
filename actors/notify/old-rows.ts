import { limits } from "#base";
import type { Context, Rows, RowWriter } from "#runtime";

type Times = readonly [at: number, id: string];

/** The oldest rows by time that are kept no longer, some at a time; `left`: there are others. */
export function oldKeys(rows: Rows<unknown, Times>, keptMs: number, context: Context) {
  const limit = limits.deliveriesForgottenAtOnce;
  const keys = context.scan(rows, { limit: limit + 1 }).map(({ key }) => key);
  const before = context.now - keptMs;
  const old = keys.slice(0, limit).filter(([at]) => at < before);
  return { old, left: keys.length > old.length };
}

/** When to look for old rows again, after so many were found. */
export function lookAgainAt(found: number, { now }: Context): number {
  return found >= limits.deliveriesForgottenAtOnce ? now : now + limits.deliveriesLookedAtMs;
}

/** Looks for old rows within the hour. A timer of one name would be moved on by every call, and never be due. */
export function forgetTimer(rows: RowWriter): void {
  const hour = Math.floor(rows.now / limits.deliveriesLookedAtMs) + 1;
  rows.setTimer(`retention:${hour}`, hour * limits.deliveriesLookedAtMs);
}
