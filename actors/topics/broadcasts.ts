import { assert, handleOfChild, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import {
  type FanOutMember,
  type FanOutProgress,
  isOtherClaim,
  type Manifest,
  type Tally,
  transactionKept,
} from "../notify/manifest.ts";
import {
  type Broadcast,
  type BroadcastState,
  broadcastMessage,
  broadcastRows,
  broadcastTimeRows,
  isExpanding,
  manifestRows,
  newBroadcast,
  noProgress,
  type SequenceRow,
  type State,
  sequenceRows,
  type TopicRecord,
} from "./record.ts";
import type { Event, Part } from "./state.ts";

/** One commit has the cut-off, the number of members, the payload and the workflow as it is: it is accepted, or nothing of it is. */
export function accept(state: State, topic: TopicRecord, given: Manifest, context: Context): Decision<Event> {
  const states = [...state.active.values()].map((broadcast) => broadcast.state);
  const waiting = states.filter((name) => name === "waiting").length;
  if (waiting >= limits.broadcastsWaitingMax)
    return refuse("RATE_LIMITED", `${waiting} broadcasts of this topic wait`, {
      reason: "BROADCASTS_WAITING",
      retryAfterMs: limits.retryAfterMs,
    });
  const transactionId = given.transactionId || context.newId(state.key);
  const manifest = { ...given, transactionId };
  const runs = states.filter(isRunning).length < limits.broadcastsRunningMax;
  const broadcast = newBroadcast(manifest, topic, state.seq, runs ? "expanding" : "waiting", context.now);
  return {
    events: [{ type: "broadcast_accepted", broadcast, manifest }],
    answer: answerOf(broadcast),
  };
}

/** A repeat of a caller's transaction. */
export function known(state: State, asked: Manifest, context: Context): Decision<Event> | undefined {
  const { transactionId } = asked;
  const found = find(state, transactionId, context);
  if (!found) return undefined;
  return isOtherClaim(found, asked)
    ? transactionKept(transactionId)
    : { events: [], answer: answerOf(found) };
}

function answerOf(broadcast: Broadcast) {
  return {
    transaction_id: broadcast.transactionId,
    outcomes: [],
    broadcast: broadcastMessage(broadcast),
  };
}

export function getBroadcast(state: State, transactionId: string, context: Context): Decision<Event> {
  const broadcast = find(state, transactionId, context);
  if (broadcast === null) return noBroadcast();
  return { events: [], answer: broadcastMessage(broadcast) };
}

export function cancel(state: State, transactionId: string, context: Context): Decision<Event> {
  const broadcast = find(state, transactionId, context);
  if (broadcast === null) return noBroadcast();
  // It came too late, or again: the state says so.
  if (broadcast.state === "cancelled" || !state.active.has(transactionId))
    return { events: [], answer: broadcastMessage(broadcast) };
  const after: Broadcast = { ...broadcast, state: "cancelled", updatedAt: context.now };
  const events: Event[] = [{ type: "broadcast_cancelled", broadcast: after }];
  if (isOver(after)) events.push({ type: "broadcast_over", broadcast: after });
  events.push(...nextOf(state, transactionId, context.now));
  return { events, answer: broadcastMessage(after) };
}

/** The next members up to the cut-off, to their audiences: with the cursor in one commit. */
export function step(state: State, transactionId: string, context: Context): Decision<Event> {
  const broadcast = state.active.get(transactionId);
  if (broadcast?.state !== "expanding") return { events: [] };
  if (broadcast.partsSent - broadcast.partsAnswered >= limits.broadcastPartsMax) return { events: [] };
  const { topicId, cursor, cutoff } = broadcast;
  const range = {
    prefix: [topicId],
    from: [topicId, cursor + 1],
    to: [topicId, cutoff + 1],
    limit: limits.broadcastStepMembers,
  };
  context.prefetch([{ ...range, collection: sequenceRows }]);
  const manifest = context.get(manifestRows, [transactionId]);
  const rows = context.scan(sequenceRows, range);
  const members = rows
    .map(({ value }) => value)
    .filter(({ leftSeq }) => leftSeq === undefined || leftSeq > cutoff);
  const parts = partsOf(members);
  const done = rows.length < limits.broadcastStepMembers;
  const after: Broadcast = {
    ...broadcast,
    state: done ? "delivering" : "expanding",
    cursor: done ? cutoff : rows.at(-1)!.key[1],
    partsSent: broadcast.partsSent + parts.length,
    updatedAt: context.now,
  };
  const open = after.partsSent - after.partsAnswered;
  const again = open < limits.broadcastPartsMax;
  const events: Event[] = [{ type: "expanded", broadcast: after, parts, manifest, again }];
  // Nobody is a member, or all had left before the cut-off.
  if (isOver(after)) events.push(...over(state, after, context.now));
  context.spend(rows.length);
  return { events };
}

/** Audiences take some members at a time, so that one of their commits stays small. */
function partsOf(rows: readonly SequenceRow[]): readonly Part[] {
  const byAudience = new Map<string, FanOutMember[]>();
  for (const { subscriberId, contextKeys } of rows) {
    const audience = handleOfChild(subscriberId);
    const members = byAudience.get(audience) ?? [];
    members.push({ subscriberId, contextKeys });
    byAudience.set(audience, members);
  }
  const parts: Part[] = [];
  for (const [audience, members] of byAudience)
    for (let from = 0; from < members.length; from += limits.broadcastPartMembers)
      parts.push({ audience, members: members.slice(from, from + limits.broadcastPartMembers) });
  return parts;
}

/** What an audience has told last counts; what it told before is taken back first. */
export function progress(state: State, message: FanOutProgress, context: Context): Decision<Event> {
  const { transactionId, audience, parts, tally } = message;
  const broadcast = state.active.get(transactionId);
  if (!broadcast) return { events: [] };
  const before = state.progress.get(transactionId)?.get(audience) ?? noProgress;
  assert(parts >= before.parts, "the messages of an audience come in order");
  const after: Broadcast = {
    ...broadcast,
    partsAnswered: broadcast.partsAnswered + parts - before.parts,
    tally: sumOf(broadcast.tally, tally, before.tally),
    updatedAt: context.now,
  };
  const events: Event[] = [{ type: "progressed", broadcast: after, audience, progress: { parts, tally } }];
  if (isOver(after)) events.push(...over(state, after, context.now));
  else if (after.state === "expanding" && isWindowOpen(broadcast, after))
    events.push({ type: "step_due", transactionId });
  return { events };
}

/** The window was full, and half of it is free now. */
function isWindowOpen(before: Broadcast, after: Broadcast): boolean {
  const half = limits.broadcastPartsMax / 2;
  return before.partsSent - before.partsAnswered >= half && after.partsSent - after.partsAnswered < half;
}

function sumOf(sum: Tally, plus: Tally, minus: Tally): Tally {
  return {
    members: sum.members + plus.members - minus.members,
    deliveries: sum.deliveries + plus.deliveries - minus.deliveries,
    sent: sum.sent + plus.sent - minus.sent,
    failed: sum.failed + plus.failed - minus.failed,
    skipped: sum.skipped + plus.skipped - minus.skipped,
  };
}

/** All members are with their audiences, and all of their deliveries have ended. */
function isOver(broadcast: Broadcast): boolean {
  const { tally, partsSent, partsAnswered } = broadcast;
  if (isExpanding(broadcast) || partsAnswered < partsSent) return false;
  return tally.sent + tally.failed + tally.skipped === tally.deliveries;
}

function over(state: State, broadcast: Broadcast, now: number): Event[] {
  const name: BroadcastState =
    broadcast.state === "cancelled"
      ? "cancelled"
      : broadcast.tally.failed > 0
        ? "completed_with_failures"
        : "completed";
  return [
    { type: "broadcast_over", broadcast: { ...broadcast, state: name, updatedAt: now } },
    ...nextOf(state, broadcast.transactionId, now),
  ];
}

/** When one is over, the one that has waited longest begins. */
function nextOf(state: State, over: string, now: number): Event[] {
  const others = [...state.active.values()].filter(({ transactionId }) => transactionId !== over);
  if (others.filter((other) => isRunning(other.state)).length >= limits.broadcastsRunningMax) return [];
  const next = others
    .filter((other) => other.state === "waiting")
    .reduce<Broadcast | undefined>(
      (first, other) => (first && first.createdAt <= other.createdAt ? first : other),
      undefined,
    );
  return next ? [{ type: "broadcast_put", broadcast: { ...next, state: "expanding", updatedAt: now } }] : [];
}

function isRunning(state: BroadcastState): boolean {
  return state === "expanding" || state === "delivering";
}

/** Broadcasts that ended long ago. */
export function forgetOld(context: Context): Decision<Event> {
  const limit = limits.deliveriesForgottenAtOnce;
  const rows = context.scan(broadcastTimeRows, { limit: limit + 1 });
  const before = context.now - limits.broadcastKeptMs;
  const old = rows
    .map(({ key }) => key)
    .filter(([at]) => at < before)
    .slice(0, limit);
  const events: Event[] = old.length > 0 ? [{ type: "broadcasts_forgotten", broadcasts: old }] : [];
  if (rows.length > old.length) {
    const waitMs = old.length === limit ? 0 : limits.deliveriesLookedAtMs;
    events.push({ type: "retention_due", atMs: context.now + waitMs });
  }
  return { events, frees: true };
}

function find(state: State, transactionId: string, context: Context): Broadcast | null {
  return state.active.get(transactionId) ?? context.get(broadcastRows, [transactionId]);
}

function noBroadcast() {
  return refuse("NOT_FOUND", "there is no such broadcast");
}
