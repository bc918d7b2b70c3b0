import type { RowWriter } from "#runtime";
import { putStats } from "../rows/stats.ts";
import type { State } from "../state.ts";
import { writeRetained } from "./retain.ts";

/** What one commit writes once, however many commands it carries. */
export function seal(state: State, rows: RowWriter): void {
  // The pool was deleted, and every row with it.
  if (state.poolId === "") return;
  state.leaseRows.write(rows);
  state.recent.fired.write(rows);
  writeRetained(state, rows);
  state.news.write(state.poolId, rows);
  putStats(state, rows);
}
