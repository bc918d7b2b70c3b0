import { isRowOf, type StoredRow } from "#runtime";
import type { CanaryCounts } from "../../kit/canary.ts";
import { later } from "../rotation.ts";
import type { CanaryTable } from "../router.ts";
import { LiveRecipient } from "./recipient.ts";
import {
  type ConfigRow,
  canaryRows,
  configRows,
  holdRows,
  type LiveRow,
  liveRows,
  recipientRows,
  ruleErrorRows,
  ruleRows,
} from "./rows.ts";
import type { State } from "./state.ts";

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, configRows)) setConfig(state, row.value);
  else if (isRowOf(row, ruleRows)) state.setRules(row.value);
  else if (isRowOf(row, recipientRows)) {
    const recipient = recipientOf(state, row.key[0]);
    recipient.adopt(row.value);
    state.recipients.set(recipient.id, recipient);
    state.early.delete(recipient.id);
    state.clock = later(state.clock, recipient);
  } else if (isRowOf(row, liveRows)) setLive(state, recipientOf(state, row.key[0]), row.value);
  else if (isRowOf(row, holdRows)) {
    const [recipientId, cost, untilMs] = row.value;
    state.holds.set(row.key[0], { recipientId, cost, untilMs });
    if (untilMs > 0) state.reservations++;
    recipientOf(state, recipientId).inFlight += cost;
  } else if (isRowOf(row, canaryRows)) restoreCanary(state, row.value);
  else if (isRowOf(row, ruleErrorRows)) state.ruleErrors.set(row.key[0], row.value);
}

/** Two rows, in any order: what the pool handed over, and what was counted since. */
function restoreCanary(state: State, row: CanaryTable | CanaryCounts): void {
  if (!("stable" in row)) {
    state.setCanary(row, state.earlyCounts);
    state.earlyCounts = undefined;
  } else if (state.canary) state.setCanary(state.canary.table, row);
  else state.earlyCounts = row;
}

export function setConfig(state: State, row: ConfigRow): void {
  state.version = row.version;
  state.poolId = row.poolId;
  state.environment = row.environment;
  state.status = row.enabled ? "active" : "disabled";
  state.strategy = row.strategy;
  state.config = row.config;
}

export function liveRow(recipient: LiveRecipient): LiveRow {
  const { lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline, health } = recipient;
  const plain = [lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline ? 1 : 0] as const;
  if (health.state === "healthy" && health.failures === 0 && health.ejections === 0) return plain;
  return [...plain, health.state, health.failures, health.ejections, health.untilMs, health.probedAt];
}

/** Rows that come before their recipient's own, or of one that is gone, wait aside. */
function recipientOf(state: State, id: string): LiveRecipient {
  const known = state.recipients.get(id) ?? state.early.get(id);
  if (known) return known;
  const fresh = new LiveRecipient({
    id,
    status: "active",
    weight: 0,
    capacity: 0,
    tier: 0,
    labels: {},
    skills: {},
  });
  state.early.set(id, fresh);
  return fresh;
}

function setLive(state: State, recipient: LiveRecipient, row: LiveRow): void {
  const [lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline, health, ...measured] = row;
  recipient.lastAssignedAt = lastAssignedAt;
  recipient.order = order;
  recipient.picks = picks;
  recipient.heartbeatAt = heartbeatAt;
  recipient.heartbeatTtlMs = heartbeatTtlMs;
  recipient.offline = offline === 1;
  if (health !== undefined) {
    const [failures, ejections, untilMs, probedAt] = measured as [number, number, number, number];
    recipient.health = { state: health, failures, ejections, untilMs, probedAt };
  }
  state.order = Math.max(state.order, order);
  state.clock = later(state.clock, recipient);
}
