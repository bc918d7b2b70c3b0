import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { clockOf, later, picksAfter, rejoined } from "../rotation.ts";
import type { RecipientTable, Strategy } from "../router.ts";
import { LiveRecipient } from "./recipient.ts";
import { liveRow } from "./restore.ts";
import { canaryRows, holdRows, liveRows, recipientRows } from "./rows.ts";
import type { Hold, State } from "./state.ts";

/** Something was given to the recipient: it is the newest one, and was picked once more. */
export function assign(state: State, recipientId: string, rows: RowWriter, times = 1): void {
  const recipient = state.recipients.get(recipientId);
  if (!recipient) return;
  let moved = false;
  for (let i = 0; i < times; i++) moved = advance(state, recipient, rows.now) || moved;
  if (!moved) return;
  if (recipient.picks > limits.picksMax) restartPicks(state, rows);
  writeLive(recipient, rows);
}

/** The part of `assign` that a fork of the state needs. False: nothing of the recipient is different now. */
export function advance(state: State, recipient: LiveRecipient, now: number): boolean {
  const probes = recipient.health.state === "half_open";
  // Where no recipient is chosen by when it was last used, that time is only shown: kept to the second it costs no row per assignment.
  if (!probes && !keepsOrder(state) && now - recipient.lastAssignedAt < limits.assignedStepMs) return false;
  recipient.lastAssignedAt = now;
  recipient.order = ++state.order;
  if (probes) recipient.health = { ...recipient.health, probedAt: now };
  if (!countsPicks(state)) return true;
  recipient.picks = picksAfter(recipient, state.clock);
  state.clock = later(state.clock, recipient);
  return true;
}

/** Both variants of a canary choose among the same recipients. */
function keepsOrder({ strategy, canary }: State): boolean {
  return goesByOrder(strategy) || (canary !== undefined && goesByOrder(canary.view.strategy));
}

function countsPicks({ strategy, canary }: State): boolean {
  return strategy === "round_robin" || canary?.view.strategy === "round_robin";
}

function goesByOrder(strategy: Strategy): boolean {
  switch (strategy) {
    case "round_robin":
    case "longest_idle":
    case "skills":
      return true;
    case "weighted_random":
    case "least_loaded":
    case "two_choice":
    case "priority":
    case "sticky_hash":
      return false;
  }
}

export function hold(state: State, id: string, { recipientId, cost, untilMs }: Hold, rows: RowWriter): void {
  const recipient = state.recipients.get(recipientId);
  if (recipient) recipient.inFlight += cost;
  state.holds.set(id, { recipientId, cost, untilMs });
  rows.put(holdRows, [id], [recipientId, cost, untilMs]);
  if (untilMs === 0) return;
  state.reservations++;
  rows.setTimer(`hold:${id}`, untilMs);
}

/** One hold for all leases of a recipient, which changes as they come and go: its row is written at the end of a commit. */
export function holdLeases(state: State, recipientId: string, cost: number): void {
  const id = `leases:${recipientId}`;
  const before = state.holds.get(id)?.cost ?? 0;
  if (before === cost) return;
  const recipient = state.recipients.get(recipientId);
  if (recipient) recipient.inFlight += cost - before;
  if (cost === 0) state.holds.delete(id);
  else state.holds.set(id, { recipientId, cost, untilMs: 0 });
  state.leasesMoved.add(id);
}

export function beforeCommit(state: State, rows: RowWriter): void {
  for (const id of state.leasesMoved) {
    const held = state.holds.get(id);
    if (held) rows.put(holdRows, [id], [held.recipientId, held.cost, 0]);
    else rows.delete(holdRows, [id]);
  }
  state.leasesMoved.clear();
  if (!state.countsMoved) return;
  const { candidateId, canary, stable } = state.canary!.counts;
  // The counters are edited by the next commit: what is written stays.
  rows.put(canaryRows, ["counts"], { candidateId, canary: [...canary], stable: [...stable] });
  state.countsMoved = false;
}

export function unhold(state: State, id: string, rows: RowWriter): void {
  const held = state.holds.get(id);
  if (!held) return;
  state.holds.delete(id);
  rows.delete(holdRows, [id]);
  const recipient = state.recipients.get(held.recipientId);
  if (recipient) recipient.inFlight -= held.cost;
  if (held.untilMs === 0) return;
  state.reservations--;
  rows.clearTimer(`hold:${id}`);
}

export function putRecipient(state: State, table: RecipientTable, rows: RowWriter): void {
  rows.put(recipientRows, [table.id], table);
  const known = state.recipients.get(table.id);
  state.changed();
  if (!known) {
    state.recipients.set(table.id, new LiveRecipient(table));
    return;
  }
  const reweighted = known.weight !== table.weight;
  known.adopt(table);
  if (!reweighted) return;
  // Picks are counted in units of the weight: with another weight the count starts where the rotation is.
  known.picks = rejoined({ picks: 0, weight: table.weight }, state.clock);
  state.clock = clockOf(state.recipients.values());
  writeLive(known, rows);
}

export function dropRecipient(state: State, id: string, rows: RowWriter): void {
  state.recipients.delete(id);
  state.changed();
  rows.delete(recipientRows, [id]);
  rows.delete(liveRows, [id]);
  rows.clearTimer(`probe:${id}`);
  rows.clearTimer(`heartbeat:${id}`);
  // Derived from who is there, so that a restart finds the same.
  state.clock = clockOf(state.recipients.values());
  state.order = 0;
  for (const { order } of state.recipients.values()) state.order = Math.max(state.order, order);
}

export function writeLive(recipient: LiveRecipient, rows: RowWriter): void {
  rows.put(liveRows, [recipient.id], liveRow(recipient));
}

/** Long before counts leave exact integers. */
function restartPicks(state: State, rows: RowWriter): void {
  for (const recipient of state.recipients.values()) {
    if (recipient.picks === 0) continue;
    recipient.picks = 0;
    writeLive(recipient, rows);
  }
  state.clock = clockOf([]);
}
