import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { tables } from "../rows.ts";
import { count, countKeys, countRunning, type Event, type Standing, type State, tiers } from "../state.ts";
import { type Delivery, isEnded } from "./record.ts";
import { fromRow } from "./row.ts";
import { effectId, sendKindOf, sendLaneOf } from "./send-body.ts";

/** A delivery and all that follows from where it stands: what runs, waits and is counted, its attempt, and what is published. */
export function putDelivery(
  state: State,
  { before, after: row, send }: Extract<Event, { type: "delivery_put" }>,
  rows: RowWriter,
): void {
  const after = fromRow(row);
  rows.put(tables.deliveries, [after.id], row);
  if (!before) {
    rows.put(tables.bySubscriber, [after.subscriberId, after.id], true);
    rows.put(tables.byTransaction, [after.transactionId, after.id], true);
  }
  if (before) leave(state, before, after, rows);
  enter(state, after, rows);
  if (send) {
    const { body, dueMs } = send;
    rows.effect(effectId(after), { kind: sendKindOf(body), dueMs, lane: sendLaneOf(body, after), body });
  }
  const ended = isEnded(after);
  if (ended || after.retryAt !== 0) state.pending.delete(after.id);
  else if (after.topicKey === "") state.pending.add(after.id);
  if (after.topicKey !== "") tally(state, before, after);
  if (ended && before?.status !== after.status) publishDelivery(after, after.status, rows);
}

export function publishDelivery(delivery: Delivery, what: string, rows: RowWriter, more: object = {}): void {
  const { failure } = delivery;
  rows.publish(`delivery.${what}`, delivery.id, {
    transaction_id: delivery.transactionId,
    subscriber_id: delivery.subscriberId,
    workflow_key: delivery.workflowKey,
    channel: delivery.channel,
    reason_code: delivery.reasonCode,
    ...(failure && { code: failure.code }),
    ...more,
  });
}

/** Where a delivery that has not ended stands. */
type Place = "running" | "waiting" | "retry" | "paced" | "nowhere";

function placeOf(delivery: Standing): Place {
  if (isEnded(delivery)) return "nowhere";
  if (delivery.status === "running") return "running";
  if (delivery.retryAt !== 0) return "retry";
  return delivery.integrationId === "" ? "waiting" : "paced";
}

function leave(state: State, delivery: Standing, after: Delivery, rows: RowWriter): void {
  const { id, tier, channel, integrationId } = delivery;
  switch (placeOf(delivery)) {
    case "running":
      countRunning(state, delivery, -1);
      state.running.delete(id);
      return;
    case "waiting":
      count(state, countKeys.waiting(tier, channel), -1);
      rows.delete(tables.waiting, [tiers.indexOf(tier), channel, id]);
      return;
    case "paced":
      count(state, countKeys.paced(integrationId, tier), -1);
      // One that runs has used a grant: its pacer counts it no more.
      if (after.status !== "running") want(state, delivery, -1);
      rows.delete(tables.paced, [integrationId, tiers.indexOf(tier), id]);
      return;
    case "retry":
      rows.clearTimer(`retry:${id}`);
      return;
    case "nowhere":
      return;
  }
}

function enter(state: State, delivery: Delivery, rows: RowWriter): void {
  const { id, tier, channel, integrationId } = delivery;
  switch (placeOf(delivery)) {
    case "running":
      countRunning(state, delivery, 1);
      if (state.running.size < limits.audienceRunningMax) state.running.set(id, delivery);
      return;
    case "waiting":
      count(state, countKeys.waiting(tier, channel), 1);
      rows.put(tables.waiting, [tiers.indexOf(tier), channel, id], { waitsFor: delivery.waitsFor });
      return;
    case "paced":
      count(state, countKeys.paced(integrationId, tier), 1);
      want(state, delivery, 1);
      rows.put(tables.paced, [integrationId, tiers.indexOf(tier), id], true);
      return;
    case "retry":
      rows.setTimer(`retry:${id}`, delivery.retryAt);
      return;
    case "nowhere":
      return;
  }
}

function want(state: State, { tier, integrationId }: Standing, by: 1 | -1): void {
  const wants = state.wants.get(integrationId) ?? { direct: 0, broadcast: 0 };
  wants[tier] += by;
  state.wants.set(integrationId, wants);
}

function tally(state: State, before: Standing | null, after: Delivery): void {
  const open = state.open.get(after.transactionId);
  if (!open) return;
  const { tally } = open;
  if (!before) tally.deliveries++;
  else if (isEnded(before)) tally[before.status]--;
  if (isEnded(after)) tally[after.status]++;
  open.busy = Math.max(0, open.busy + busyOf(after) - (before ? busyOf(before) : 0));
  state.changedOpen.add(after.transactionId);
}

function busyOf(delivery: Standing): number {
  const place = placeOf(delivery);
  return place === "running" || place === "waiting" ? 1 : 0;
}
