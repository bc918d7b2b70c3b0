import { toRfc3339 } from "#base";
import type { RowWriter } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../../kit/directory.ts";
import { applyJobs, jobTimes } from "../../../kit/jobs.ts";
import { applySwept } from "../admission/sweep.ts";
import { partsOf } from "../memory/hot-rows.ts";
import { recheckStart } from "../memory/recheck-position.ts";
import { historyRows } from "../rows/history.ts";
import { heldCollection } from "../rows/item.ts";
import { noteMinute, seriesRows } from "../rows/series.ts";
import { arm, putStats } from "../rows/stats.ts";
import { type Event, empty, type State, setupRow } from "../state.ts";
import { applyChanges } from "./apply-changes.ts";
import { putInLine } from "./move.ts";
import { setOrigin, tellDeleted } from "./origins.ts";
import { forget, writeRetained } from "./retain.ts";
import { noteTell, tell, tellGone } from "./tell.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  if (event.type === "told") {
    tell(state, event.environment, rows);
    return;
  }
  noteMinute(state, rows);
  noteTell(state, event.type, rows);
  // Subscribers hear what happened in its order.
  if (event.type !== "changed") state.news.write(state.poolId, rows);
  switch (event.type) {
    case "opened":
      state.poolId = event.poolId;
      state.secret = event.secret;
      putSetup(state, rows);
      return;
    case "reconfigured":
      lookAgain(state, recheckStart, rows);
      return;
    case "changed":
      applyChanges(state, event, rows);
      return;
    case "paused":
      state.pause = event.pause;
      state.paused = true;
      putSetup(state, rows);
      if (event.pause.untilMs > 0) arm(state, event.pause.untilMs, rows);
      rows.publish("queue.paused", state.poolId, {
        reason: event.pause.reason,
        ...(event.pause.untilMs > 0 && { until: toRfc3339(event.pause.untilMs) }),
      });
      tellDirectory(state, rows);
      return;
    case "resumed":
      state.pause = null;
      state.paused = false;
      rows.publish("queue.resumed", state.poolId, {});
      tellDirectory(state, rows);
      putSetup(state, rows);
      return;
    case "cleared":
      rows.put("cleared", partsOf(event.groupName), [event.at, event.by, event.reason]);
      rows.publish("admission_group.cleared", state.poolId, { group: event.groupName, reason: event.reason });
      return;
    case "redirected":
      rows.publish("queue_item.redirected", state.poolId, { to_pool_id: event.toPoolId });
      return;
    case "jobs_changed":
      applyJobs(state.jobs, event, rows);
      for (const at of jobTimes(event.jobs)) arm(state, at, rows);
      return;
    case "forgotten":
      forget(state, event, rows);
      return;
    case "swept":
      applySwept(state, event, rows);
      return;
    case "rechecked":
      lookAgain(state, event.next, rows);
      return;
    case "lined":
      // What else this tick changed may have put more of them in line.
      if (event.order > state.lined) putInLine(state, event.order, rows);
      return;
    case "ticked":
      state.armedAt = 0;
      if (event.nextAt > 0) arm(state, event.nextAt, rows);
      return;
    case "origin_set":
      setOrigin(state, event, rows);
      return;
    case "stats_sent":
      rows.send(event.to, event.answer);
      return;
    case "pool_deleted":
      tellDeleted(state, rows);
      tellGone(state, rows);
      deleteAll(state, rows);
      return;
  }
}

function lookAgain(state: State, next: State["recheck"], rows: RowWriter): void {
  state.recheck = next;
  putSetup(state, rows);
  if (next === null) return;
  arm(state, rows.now, rows);
}

/** Lists of queues filter by it. */
function tellDirectory(state: State, rows: RowWriter): void {
  const message: DirectoryMessage = { type: "changed", id: state.poolId, paused: state.paused };
  rows.send(directoryOf(state.tenant, "pool"), message);
}

function putSetup(state: State, rows: RowWriter): void {
  rows.put("meta", ["setup"], setupRow(state));
}

const collections = [
  "meta",
  "class",
  "lease",
  "job",
  "item",
  "done",
  "dead",
  "quarantined",
  "failed",
  "body",
  "result",
  historyRows,
  seriesRows,
  "ready",
  heldCollection,
  "due",
  "fired",
  "group",
  "flow",
  "dedup",
  "retain",
  "cleared",
  "origin",
];

function deleteAll(state: State, rows: RowWriter): void {
  for (const collection of collections) rows.deletePrefix(collection, []);
  rows.clearTimer("tick");
  const { tenant, handle: key, seriesHours } = state;
  Object.assign(state, empty({ kind: "queue", tenant, key }), { seriesHours });
}

/** What one commit writes once, however many commands it carries. */
export function beforeCommit(state: State, rows: RowWriter): void {
  // The pool was deleted, and every row with it.
  if (state.poolId === "") return;
  state.leaseRows.write(rows);
  state.recent.fired.write(rows);
  writeRetained(state, rows);
  state.news.write(state.poolId, rows);
  putStats(state, rows);
}
