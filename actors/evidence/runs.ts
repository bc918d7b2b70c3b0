import { limits, type Refusal, refuse } from "#base";
import type { EvidenceServiceHeartbeatRunRequest, EvidenceServiceStartRunRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../kit/record.ts";
import { type Pack, type Run, runMessage } from "./record.ts";
import { type Event, openRuns, runs, type State } from "./state.ts";

export function startRun(
  state: State,
  pack: Pack,
  request: EvidenceServiceStartRunRequest,
  context: Context,
): Decision<Event> {
  if (openRuns(state) >= limits.evidenceRunsOpenMax)
    return limitReached("a pack", limits.evidenceRunsOpenMax, "open runs");
  if (runs.total(state.runCounts) >= limits.evidenceRunsMax)
    return limitReached("a pack", limits.evidenceRunsMax, "runs");
  const { now } = context;
  const { kind, mode, lease_seconds: leaseSeconds = 60, deadline_seconds: deadlineSeconds = 3_600 } = request;
  const deadlineAt = now + deadlineSeconds * 1_000;
  const run: Run = {
    id: context.newId(context.address.key),
    kind,
    mode,
    state: "pending",
    leaseToken: context.secret(limits.leaseTokenBytes),
    leaseSeconds,
    leaseExpiresAt: Math.min(now + leaseSeconds * 1_000, deadlineAt),
    deadlineAt,
    receiptId: "",
    createdBy: context.caller?.subject ?? "",
    cancelReason: "",
    createdAt: now,
    updatedAt: now,
  };
  return {
    events: [{ type: "run_put", before: null, run }],
    answer: { ...runMessage(pack, run), lease_token: run.leaseToken },
  };
}

export function heartbeat(
  pack: Pack,
  run: Run,
  { lease_token, lease_seconds: leaseSeconds = run.leaseSeconds }: EvidenceServiceHeartbeatRunRequest,
  now: number,
): Decision<Event> {
  const lost = lostLease(run, lease_token, now);
  if (lost) return lost;
  const leaseExpiresAt = Math.min(now + leaseSeconds * 1_000, run.deadlineAt);
  return putRun(pack, run, { ...run, state: "running", leaseSeconds, leaseExpiresAt, updatedAt: now });
}

export function cancelRun(pack: Pack, run: Run, reason: string, now: number): Decision<Event> {
  if (!isOpen(run)) return ended(run);
  return putRun(pack, run, over(run, "cancelled", now, { cancelReason: reason }));
}

/** The lease, or the deadline that bounds it, has passed. A heartbeat has moved it: the timer is set anew with it. */
export function expireRun(run: Run, now: number): Decision<Event> {
  if (!isOpen(run) || now < run.leaseExpiresAt) return { events: [] };
  return { events: [{ type: "run_put", before: run, run: over(run, "expired", now) }] };
}

/** What a receipt does to its run; the caller holds the lease. */
export function finishRun(
  run: Run,
  receipt: { readonly id: string; readonly result: string },
  now: number,
): Event {
  const state = receipt.result === "passed" ? "succeeded" : "failed";
  return { type: "run_put", before: run, run: over(run, state, now, { receiptId: receipt.id }) };
}

export function lostLease(run: Run, leaseToken: string, now: number): Refusal | undefined {
  if (run.state === "cancelled" || run.state === "expired" || now >= run.leaseExpiresAt)
    return isDone(run) ? ended(run) : lost(run, run.state === "cancelled" ? "cancelled" : "expired");
  return leaseToken === run.leaseToken ? undefined : lost(run, "reassigned");
}

export function ended({ state }: Run): Refusal {
  return refuse("STATE_CONFLICT", `the run is ${state}`, { extra: { state } });
}

function lost({ state }: Run, reason: string): Refusal {
  return refuse("LEASE_LOST", "the lease of the run is not the caller's any more", {
    reason,
    extra: { state },
  });
}

function isOpen({ state }: Run): boolean {
  return state === "pending" || state === "running";
}

function isDone({ state }: Run): boolean {
  return state === "succeeded" || state === "failed";
}

function over(run: Run, state: Run["state"], now: number, more: Partial<Run> = {}): Run {
  return { ...run, ...more, state, leaseExpiresAt: 0, updatedAt: now };
}

function putRun(pack: Pack, before: Run, run: Run): Decision<Event> {
  return { events: [{ type: "run_put", before, run }], answer: runMessage(pack, run) };
}

export function noRun(): Refusal {
  return refuse("NOT_FOUND", "there is no such run in this environment");
}
