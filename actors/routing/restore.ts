import type { StoredRow } from "#runtime";
import type { PoolConfig } from "../shared/pool-config.ts";
import type { Health, RecipientTable, RoutingRule, Strategy } from "../shared/router.ts";
import { later } from "../shared/turns.ts";
import { type LiveRecipient, newRecipient, type State } from "./state.ts";

export interface ConfigRow {
  readonly version: number;
  readonly poolId: string;
  readonly environment: string;
  readonly enabled: boolean;
  readonly strategy: Strategy;
  readonly config: PoolConfig;
}

/** lastAssignedAt, order, turns, heartbeatAt, heartbeatTtlMs, offline, then health unless it is spotless. */
export type LiveRow = readonly [number, number, number, number, number, 0 | 1, ...HealthRow];
type HealthRow = readonly [] | readonly [Health["state"], number, number, number, number];

/** recipientId, cost, untilMs. */
export type HoldRow = readonly [string, number, number];

/** Collections that are read whole, in the order in which `restore` needs them. */
export const resident = ["config", "rules", "table", "live", "holds", "rule_errors"];

export function restore(state: State, { collection, key, value }: StoredRow): void {
  switch (collection) {
    case "config":
      setConfig(state, value as ConfigRow);
      return;
    case "rules":
      state.setRules(value as RoutingRule[]);
      return;
    case "table": {
      const table = value as RecipientTable;
      state.recipients.set(table.id, newRecipient(table));
      return;
    }
    case "live":
      setLive(state, state.recipients.get(key[0] as string), value as LiveRow);
      return;
    case "holds": {
      const [recipientId, cost, untilMs] = value as HoldRow;
      state.holds.set(key[0] as string, { recipientId, cost, untilMs });
      if (untilMs > 0) state.reservations++;
      const holder = state.recipients.get(recipientId);
      if (holder) holder.inFlight += cost;
      return;
    }
    case "rule_errors":
      state.ruleErrors.set(key[0] as string, value as number);
      return;
  }
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
  const { lastAssignedAt, order, turns, heartbeatAt, heartbeatTtlMs, offline, health } = recipient;
  const plain = [lastAssignedAt, order, turns, heartbeatAt, heartbeatTtlMs, offline ? 1 : 0] as const;
  if (health.state === "healthy" && health.failures === 0 && health.ejections === 0) return plain;
  return [...plain, health.state, health.failures, health.ejections, health.untilMs, health.probedAt];
}

function setLive(state: State, recipient: LiveRecipient | undefined, row: LiveRow): void {
  if (!recipient) return;
  const [lastAssignedAt, order, turns, heartbeatAt, heartbeatTtlMs, offline, health, ...figures] = row;
  Object.assign(recipient, {
    lastAssignedAt,
    order,
    turns,
    heartbeatAt,
    heartbeatTtlMs,
    offline: offline === 1,
  });
  if (health !== undefined) {
    const [failures, ejections, untilMs, probedAt] = figures as [number, number, number, number];
    recipient.health = { state: health, failures, ejections, untilMs, probedAt };
  }
  state.order = Math.max(state.order, order);
  state.clock = later(state.clock, recipient);
}
