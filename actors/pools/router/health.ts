import { limits, toRfc3339 } from "#base";
import type { RowWriter } from "#runtime";
import { writeLive } from "./assign.ts";
import { healthy, type LiveRecipient } from "./recipient.ts";
import type { State } from "./state.ts";

/** Passive health: failures in a row set a recipient aside, a probe lets it back, and each ejection lasts longer. */
export function observe(state: State, recipientId: string, ok: boolean, rows: RowWriter): void {
  const recipient = state.recipients.get(recipientId);
  if (!recipient) return;
  if (ok) succeed(state, recipient, rows);
  else fail(state, recipient, rows);
}

/** Who a smaller pool or share can no longer do without comes back, the one nearest its end first. */
export function enforceShare(state: State, rows: RowWriter): void {
  const out = [...state.recipients.values()]
    .filter(({ health }) => health.state !== "healthy")
    .sort((a, b) => a.health.untilMs - b.health.untilMs);
  for (const recipient of out.slice(0, Math.max(0, out.length - allowedOut(state)))) {
    recipient.health = { ...recipient.health, state: "healthy", untilMs: 0, probedAt: 0 };
    rows.clearTimer(`probe:${recipient.id}`);
    recovered(state, recipient, rows);
  }
}

/** An operator says it is well again; earlier failures do not count any more. */
export function reinstate(state: State, recipient: LiveRecipient, rows: RowWriter): void {
  const { health } = recipient;
  if (health === healthy) return;
  recipient.health = healthy;
  if (health.state === "healthy") writeLive(recipient, rows);
  else {
    rows.clearTimer(`probe:${recipient.id}`);
    recovered(state, recipient, rows);
  }
}

function succeed(state: State, recipient: LiveRecipient, rows: RowWriter): void {
  const { health } = recipient;
  switch (health.state) {
    case "healthy":
      if (health.failures === 0 && health.ejections === 0) return;
      // Every success pays off one earlier ejection.
      recipient.health = { ...healthy, ejections: Math.max(0, health.ejections - 1) };
      writeLive(recipient, rows);
      return;
    case "ejected":
      // A late answer to something given out before: the probe decides, not this.
      return;
    case "half_open":
      recipient.health = { ...healthy, ejections: health.ejections };
      recovered(state, recipient, rows);
      return;
  }
}

function fail(state: State, recipient: LiveRecipient, rows: RowWriter): void {
  const { health } = recipient;
  if (health.state === "ejected") return;
  recipient.health = { ...health, failures: health.failures + 1 };
  const threshold = state.config.outlier.consecutive_failures;
  const tooMany = threshold > 0 && recipient.health.failures >= threshold && roomToEject(state);
  if (health.state === "half_open" || tooMany) eject(state, recipient, rows);
  else writeLive(recipient, rows);
}

function eject(state: State, recipient: LiveRecipient, rows: RowWriter): void {
  const ejections = recipient.health.ejections + 1;
  const lengthMs = Math.min(state.config.outlier.ejection_seconds * 1_000 * ejections, limits.ejectionMsMax);
  const untilMs = rows.now + lengthMs;
  recipient.health = { ...recipient.health, state: "ejected", ejections, untilMs, probedAt: 0 };
  state.changed();
  rows.setTimer(`probe:${recipient.id}`, untilMs);
  writeLive(recipient, rows);
  rows.publish("recipient.ejected", recipient.id, {
    pool_id: state.poolId,
    ejected_until: toRfc3339(untilMs),
    ejections,
  });
}

function recovered(state: State, recipient: LiveRecipient, rows: RowWriter): void {
  state.changed();
  writeLive(recipient, rows);
  rows.publish("recipient.recovered", recipient.id, { pool_id: state.poolId });
}

function roomToEject(state: State): boolean {
  let out = 0;
  for (const { health } of state.recipients.values()) if (health.state !== "healthy") out++;
  return out < allowedOut(state);
}

function allowedOut(state: State): number {
  return Math.floor((state.recipients.size * state.config.outlier.max_ejected_percent) / 100);
}
