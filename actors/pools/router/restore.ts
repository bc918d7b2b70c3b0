import type { StoredRow } from "#runtime";
import type { CanaryCounts } from "../../kit/canary.ts";
import { later } from "../rotation.ts";
import type { CanaryTable, Health, RecipientTable, RouterTableEvent, RoutingRule } from "../router.ts";
import { LiveRecipient } from "./recipient.ts";
import type { State } from "./state.ts";

/** What the pool last said of itself. */
export type ConfigRow = Omit<Extract<RouterTableEvent, { type: "configured" }>, "type">;

/** lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline, then health unless it is spotless. */
export type LiveRow = readonly [number, number, number, number, number, 0 | 1, ...HealthRow];
type HealthRow = readonly [] | readonly [Health["state"], number, number, number, number];

/** recipientId, cost, untilMs. */
export type HoldRow = readonly [string, number, number];

/** Collections that are read whole. Their rows come in any order. */
export const resident = ["config", "rules", "table", "live", "holds", "rule_errors", "canary"];
/** All of them: the rest is read row by row. */
export const collections = [...resident, "routings", "tables", "outcomes"];

export function restore(state: State, { collection, key, value }: StoredRow): void {
  switch (collection) {
    case "config":
      setConfig(state, value as ConfigRow);
      return;
    case "rules":
      state.setRules(value as RoutingRule[]);
      return;
    case "table": {
      const recipient = recipientOf(state, key[0] as string);
      recipient.adopt(value as RecipientTable);
      state.recipients.set(recipient.id, recipient);
      state.early.delete(recipient.id);
      state.clock = later(state.clock, recipient);
      return;
    }
    case "live":
      setLive(state, recipientOf(state, key[0] as string), value as LiveRow);
      return;
    case "holds": {
      const [recipientId, cost, untilMs] = value as HoldRow;
      state.holds.set(key[0] as string, { recipientId, cost, untilMs });
      if (untilMs > 0) state.reservations++;
      recipientOf(state, recipientId).inFlight += cost;
      return;
    }
    case "canary":
      restoreCanary(state, key[0] as string, value);
      return;
    case "rule_errors":
      state.ruleErrors.set(key[0] as string, value as number);
      return;
  }
}

/** Two rows, in any order: what the pool handed over, and what was counted since. */
function restoreCanary(state: State, part: string, value: unknown): void {
  if (part === "table") {
    state.setCanary(value as CanaryTable, state.earlyCounts);
    state.earlyCounts = undefined;
  } else if (state.canary) state.setCanary(state.canary.table, value as CanaryCounts);
  else state.earlyCounts = value as CanaryCounts;
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
  const [lastAssignedAt, order, picks, heartbeatAt, heartbeatTtlMs, offline, health, ...figures] = row;
  recipient.lastAssignedAt = lastAssignedAt;
  recipient.order = order;
  recipient.picks = picks;
  recipient.heartbeatAt = heartbeatAt;
  recipient.heartbeatTtlMs = heartbeatTtlMs;
  recipient.offline = offline === 1;
  if (health !== undefined) {
    const [failures, ejections, untilMs, probedAt] = figures as [number, number, number, number];
    recipient.health = { state: health, failures, ejections, untilMs, probedAt };
  }
  state.order = Math.max(state.order, order);
  state.clock = later(state.clock, recipient);
}
