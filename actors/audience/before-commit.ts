import { limits } from "#base";
import type { Rows, RowWriter } from "#runtime";
import type { FanOutProgress } from "../notify/manifest.ts";
import { type PacerWant, pacerAddress } from "../notify/outbound/types.ts";
import { deadLetters } from "./deliveries/record.ts";
import { tables } from "./rows.ts";
import { runningKey, type State } from "./state.ts";
import { subscribers } from "./subscribers/record.ts";

/** Writes counters once a commit, and sends topics and pacers what has changed for them. */
export function beforeCommit(state: State, rows: RowWriter): void {
  for (const key of state.changedWaiting) putCount(tables.waitingCounts, key, state.waiting.get(key), rows);
  state.changedWaiting.clear();
  for (const key of state.changedPaced) putCount(tables.pacedCounts, key, state.paced.get(key), rows);
  state.changedPaced.clear();
  for (const integrationId of state.changedRunning) putRunning(state, integrationId, rows);
  state.changedRunning.clear();
  for (const [integrationId, { direct, broadcast }] of state.wants) {
    const copy = state.integrations.get(integrationId);
    if (!copy?.rate || (direct === 0 && broadcast === 0)) continue;
    const message: PacerWant = { type: "pacer_want", epoch: copy.paceEpoch, direct, broadcast };
    rows.send(pacerAddress(state.tenant, integrationId), message);
  }
  state.wants.clear();
  for (const transactionId of state.changedOpen) report(state, transactionId, rows);
  state.changedOpen.clear();
}

function putCount(collection: Rows<number>, key: string, value: number | undefined, rows: RowWriter): void {
  if (value === undefined) rows.delete(collection, [key]);
  else rows.put(collection, [key], value);
}

function putRunning({ runningCounts }: State, integrationId: string, rows: RowWriter): void {
  const direct = runningCounts.get(runningKey(integrationId, "direct")) ?? 0;
  const broadcast = runningCounts.get(runningKey(integrationId, "broadcast")) ?? 0;
  if (direct + broadcast === 0) rows.delete(tables.runningCounts, [integrationId]);
  else rows.put(tables.runningCounts, [integrationId], [direct, broadcast]);
}

function report(state: State, transactionId: string, rows: RowWriter): void {
  const open = state.open.get(transactionId);
  if (!open) return;
  const { sent, failed, skipped, deliveries } = open.tally;
  const ended = sent + failed + skipped;
  // Parts are answered when most of their deliveries have ended: the next ones then find a slot, and need not wait for one in a row.
  const parts = open.busy <= limits.broadcastBusyLow ? open.parts : open.reportedParts;
  const changed = parts !== open.reportedParts || ended !== open.reportedEnded;
  const due =
    parts !== open.reportedParts ||
    ended === deliveries ||
    Math.abs(ended - open.reportedEnded) >= limits.broadcastReportedEvery;
  if (changed && due) {
    const progress: FanOutProgress = {
      type: "fan_out_progress",
      transactionId,
      audience: state.key,
      parts,
      // A copy: the report stays as it is while the count goes on.
      tally: { ...open.tally },
    };
    rows.send({ kind: "topic", tenant: state.tenant, key: open.topic }, progress);
    open.reportedParts = parts;
    open.reportedEnded = ended;
  }
  rows.put(tables.open, [transactionId], open);
}

/** Timers and effects that are left find nothing, and end. */
export function purge(state: State, rows: RowWriter): void {
  for (const collection of Object.values(tables)) rows.deletePrefix(collection, []);
  subscribers.clear(state.subscriberCounts, rows);
  deadLetters.clear(state.deadCounts, rows);
  for (const timer of ["claims", "retention"]) rows.clearTimer(timer);
  for (const kept of Object.values(state)) if (kept instanceof Map || kept instanceof Set) kept.clear();
  state.secret = "";
  state.retentionSet = false;
}
