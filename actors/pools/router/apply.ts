import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { addCounts } from "../../kit/canary.ts";
import { assign, dropRecipient, hold, holdLeases, putRecipient, unhold, writeLive } from "./assign.ts";
import type { Event, OutcomeRecord } from "./event.ts";
import { enforceShare, observe, reinstate } from "./health.ts";
import { bucketKey, recordTable } from "./record.ts";
import { setConfig } from "./restore.ts";
import {
  type ConfigRow,
  canaryRows,
  collections,
  configRows,
  outcomeRows,
  routingRows,
  ruleErrorRows,
  ruleRows,
  tableRows,
} from "./rows.ts";
import type { State } from "./state.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "routed":
      assign(state, event.recipientId, rows);
      if (event.hold) hold(state, event.id, { recipientId: event.recipientId, ...event.hold }, rows);
      if (event.code !== undefined) count(state, event.code, 1);
      recordTable(state, event.id, rows);
      rows.put(routingRows, bucketKey(event.id), event.record);
      return;
    case "held":
      assign(state, event.recipientId, rows);
      hold(state, event.holdId, { ...event, untilMs: event.untilMs ?? 0 }, rows);
      return;
    case "unheld":
      unhold(state, event.holdId, rows);
      return;
    case "leases_changed": {
      const { recipientId, cost, assigned } = event;
      holdLeases(state, recipientId, cost);
      if (assigned > 0) assign(state, recipientId, rows, assigned);
      return;
    }
    case "observed":
      observe(state, event.recipientId, event.ok, rows);
      return;
    case "counted":
      for (const [code, times] of event.counts) count(state, code, times);
      return;
    case "outcome_recorded":
      if (event.code !== undefined) count(state, event.code, 1);
      recordOutcome(state, event.outcome, rows);
      return;
    case "rules_failed":
      for (const [index, id] of event.ruleIds.entries()) {
        const errors = (state.ruleErrors.get(id) ?? 0) + (event.times?.[index] ?? 1);
        state.ruleErrors.set(id, errors);
        rows.put(ruleErrorRows, [id], errors);
      }
      return;
    case "redirected":
      rows.publish("routing.redirected", state.poolId, { pool_id: event.poolId, rule_id: event.ruleId });
      return;
    case "heartbeat":
      noteHeartbeat(state, event.recipientId, event.ttlMs, rows);
      return;
    case "went_offline": {
      const recipient = state.recipients.get(event.recipientId);
      if (!recipient) return;
      recipient.offline = true;
      state.changed();
      writeLive(recipient, rows);
      rows.publish("recipient.offline", recipient.id, { pool_id: state.poolId });
      return;
    }
    case "half_opened": {
      const recipient = state.recipients.get(event.recipientId);
      if (!recipient) return;
      recipient.health = { ...recipient.health, state: "half_open", untilMs: 0, probedAt: 0 };
      state.changed();
      writeLive(recipient, rows);
      rows.publish("recipient.half_opened", recipient.id, { pool_id: state.poolId });
      return;
    }
    case "bucket_expired":
      for (const collection of [routingRows, tableRows]) rows.deletePrefix(collection, [event.bucket]);
      state.timed.delete(`bucket:${event.bucket}`);
      return;
    case "day_expired":
      rows.deletePrefix(outcomeRows, [event.day]);
      state.timed.delete(`day:${event.day}`);
      return;
    case "configured": {
      const { type: _, ...row } = event;
      rows.put(configRows, [], row);
      setConfig(state, row);
      enforceShare(state, rows);
      return;
    }
    case "recipient_put":
      setVersion(state, event.version, rows);
      putRecipient(state, event.recipient, rows);
      return;
    case "recipient_removed":
      setVersion(state, event.version, rows);
      dropRecipient(state, event.recipientId, rows);
      enforceShare(state, rows);
      return;
    case "reinstated": {
      const recipient = state.recipients.get(event.recipientId);
      if (recipient) reinstate(state, recipient, rows);
      return;
    }
    case "rules_put":
      setVersion(state, event.version, rows);
      state.setRules(event.rules);
      rows.put(ruleRows, [], event.rules);
      dropErrorsOfGoneRules(state, rows);
      return;
    case "canary_put":
      setVersion(state, event.version, rows);
      state.setCanary(event.canary);
      rows.put(canaryRows, ["table"], event.canary);
      return;
    case "canary_removed":
      setVersion(state, event.version, rows);
      state.canary = undefined;
      state.countsMoved = false;
      rows.deletePrefix(canaryRows, []);
      return;
    case "removed":
      remove(state, rows);
      return;
  }
}

/** A queue may still tell of a canary that the same commit ends. */
function count(state: State, code: number, times: number): void {
  if (state.canary === undefined) return;
  addCounts(state.canary.counts, code, times);
  state.countsMoved = true;
}

function recordOutcome(state: State, outcome: OutcomeRecord, rows: RowWriter): void {
  const day = Math.floor(outcome.at / limits.outcomeDayMs);
  rows.put(outcomeRows, [day, outcome.id], outcome);
  if (!state.timed.has(`day:${day}`)) {
    state.timed.add(`day:${day}`);
    rows.setTimer(`day:${day}`, (day + 2) * limits.outcomeDayMs);
  }
  if (outcome.routingId !== undefined) unhold(state, outcome.routingId, rows);
  if (outcome.recipientId !== undefined && outcome.result !== "cancelled")
    observe(state, outcome.recipientId, outcome.result === "success", rows);
}

function noteHeartbeat(state: State, id: string, ttlMs: number, rows: RowWriter): void {
  const recipient = state.recipients.get(id);
  if (!recipient) return;
  if (recipient.offline) {
    recipient.offline = false;
    state.changed();
    rows.publish("recipient.online", id, { pool_id: state.poolId });
  }
  recipient.heartbeatAt = rows.now;
  recipient.heartbeatTtlMs = ttlMs;
  rows.setTimer(`heartbeat:${id}`, rows.now + ttlMs);
  writeLive(recipient, rows);
}

function setVersion(state: State, version: number, rows: RowWriter): void {
  state.version = version;
  const { poolId, environment, strategy, config } = state;
  const row: ConfigRow = {
    version,
    poolId,
    environment,
    enabled: state.status === "active",
    strategy,
    config,
  };
  rows.put(configRows, [], row);
}

function dropErrorsOfGoneRules(state: State, rows: RowWriter): void {
  const ids = new Set(state.rules.map(({ id }) => id));
  for (const id of state.ruleErrors.keys())
    if (!ids.has(id)) {
      state.ruleErrors.delete(id);
      rows.delete(ruleErrorRows, [id]);
    }
}

function remove(state: State, rows: RowWriter): void {
  for (const id of state.recipients.keys()) {
    rows.clearTimer(`probe:${id}`);
    rows.clearTimer(`heartbeat:${id}`);
  }
  for (const [id, { untilMs }] of state.holds) if (untilMs > 0) rows.clearTimer(`hold:${id}`);
  for (const collection of collections) rows.deletePrefix(collection, []);
  state.reset();
}
