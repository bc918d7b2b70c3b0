import { assert, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { byAudience } from "../notify/address.ts";
import {
  emptyTally,
  type FanOutProgress,
  isOtherClaim,
  type Manifest,
  type Tally,
  transactionKept,
} from "../notify/manifest.ts";
import { lookAgainAt, oldKeys } from "../notify/old-rows.ts";
import {
  type Broadcast,
  broadcastMessage,
  isExpanding,
  noProgress,
  type SequenceRow,
  type State,
  type TopicRecord,
  tables,
} from "./record.ts";
import type { Event, Part } from "./state.ts";

/** One commit has the cut-off, the number of members, the payload and the workflow as it is: it is accepted, or nothing of it is. */
export function accept(state: State, topic: TopicRecord, given: Manifest, context: Context): Decision<Event> {
  const active = [...state.active.values()];
  const waiting = active.filter((one) => one.state === "waiting").length;
  if (waiting >= limits.broadcastsWaitingMax)
    return refuse("RATE_LIMITED", `${waiting} broadcasts of this topic wait`, {
      reason: "BROADCASTS_WAITING",
      retryAfterMs: limits.retryAfterMs,
    });
  const transactionId = given.transactionId || context.newId(state.key);
  const manifest = { ...given, transactionId };
  const { workflowKey, workflowVersion, claimedAt } = manifest;
  const broadcast: Broadcast = {
    transactionId,
    topicId: topic.id,
    topicKey: topic.key,
    workflowKey,
    workflowVersion,
    state: active.filter(isRunning).length < limits.broadcastsRunningMax ? "expanding" : "waiting",
    cutoff: state.seq,
    memberCount: topic.memberCount,
    cursor: 0,
    partsSent: 0,
    partsAnswered: 0,
    tally: emptyTally,
    ...(claimedAt !== undefined && { claimedAt }),
    createdAt: context.now,
    updatedAt: context.now,
  };
  return {
    events: [{ type: "broadcast_accepted", broadcast, manifest }],
    answer: answerOf(broadcast),
  };
}

/** A repeat of a caller's transaction. */
export function known(state: State, asked: Manifest, context: Context): Decision<Event> | undefined {
  const found = find(state, asked.transactionId, context);
  if (!found) return undefined;
  if (isOtherClaim(found, asked)) return transactionKept(asked.transactionId);
  return { events: [], answer: answerOf(found) };
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
  return broadcast ? { events: [], answer: broadcastMessage(broadcast) } : noBroadcast;
}

export function cancel(state: State, transactionId: string, context: Context): Decision<Event> {
  const broadcast = find(state, transactionId, context);
  if (broadcast === null) return noBroadcast;
  // It came too late, or again: the state says so.
  if (broadcast.state === "cancelled" || !state.active.has(transactionId))
    return { events: [], answer: broadcastMessage(broadcast) };
  const after: Broadcast = { ...broadcast, state: "cancelled", updatedAt: context.now };
  const more = isOver(after) ? over(state, after, context) : nextOf(state, transactionId, context);
  return { events: [{ type: "broadcast_put", broadcast: after }, ...more], answer: broadcastMessage(after) };
}

/** The next members up to the cut-off, to their audiences: with the cursor in one commit. */
export function step(state: State, transactionId: string, context: Context): Decision<Event> {
  const broadcast = state.active.get(transactionId);
  if (broadcast?.state !== "expanding" || openParts(broadcast) >= limits.broadcastPartsMax)
    return { events: [] };
  const { topicId, cursor, cutoff } = broadcast;
  const range = {
    prefix: [topicId],
    from: [topicId, cursor + 1],
    to: [topicId, cutoff + 1],
    limit: limits.broadcastStepMembers,
  };
  context.prefetch([{ ...range, collection: tables.sequence }]);
  const manifest = context.get(tables.manifests, [transactionId]);
  const rows = context.scan(tables.sequence, range);
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
  const events: Event[] = [{ type: "expanded", broadcast: after, parts, manifest }];
  // The topic has no member, or all had left before the cut-off.
  if (isOver(after)) events.push(...over(state, after, context));
  else if (!done && openParts(after) < limits.broadcastPartsMax)
    events.push({ type: "timer_set", id: `step:${transactionId}` });
  context.spend(rows.length);
  return { events };
}

/** Audiences take some members at a time, so that one of their commits stays small. */
function partsOf(rows: readonly SequenceRow[]): readonly Part[] {
  const parts: Part[] = [];
  for (const [audience, found] of byAudience(rows, ({ subscriberId }) => subscriberId)) {
    const members = found.map(({ subscriberId, contextKeys }) => ({ subscriberId, contextKeys }));
    for (let from = 0; from < members.length; from += limits.broadcastPartMembers)
      parts.push({ audience, members: members.slice(from, from + limits.broadcastPartMembers) });
  }
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
  // The window was full, and half of it is free now.
  const half = limits.broadcastPartsMax / 2;
  if (isOver(after)) events.push(...over(state, after, context));
  else if (after.state === "expanding" && openParts(broadcast) >= half && openParts(after) < half)
    events.push({ type: "timer_set", id: `step:${transactionId}` });
  return { events };
}

function openParts({ partsSent, partsAnswered }: Broadcast): number {
  return partsSent - partsAnswered;
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
  const { sent, failed, skipped, deliveries } = broadcast.tally;
  return !isExpanding(broadcast) && openParts(broadcast) <= 0 && sent + failed + skipped === deliveries;
}

function over(state: State, broadcast: Broadcast, context: Context): Event[] {
  const completed = broadcast.tally.failed > 0 ? "completed_with_failures" : "completed";
  const name = broadcast.state === "cancelled" ? "cancelled" : completed;
  return [
    { type: "broadcast_over", broadcast: { ...broadcast, state: name, updatedAt: context.now } },
    ...nextOf(state, broadcast.transactionId, context),
  ];
}

/** When one is over, the one that has waited longest begins. */
function nextOf(state: State, over: string, { now }: Context): Event[] {
  const others = [...state.active.values()].filter(({ transactionId }) => transactionId !== over);
  if (others.filter(isRunning).length >= limits.broadcastsRunningMax) return [];
  const [next] = others
    .filter((other) => other.state === "waiting")
    .sort((a, b) => a.createdAt - b.createdAt);
  return next ? [{ type: "broadcast_put", broadcast: { ...next, state: "expanding", updatedAt: now } }] : [];
}

function isRunning({ state }: Broadcast): boolean {
  return state === "expanding" || state === "delivering";
}

/** Broadcasts that ended long ago. */
export function forgetOld(context: Context): Decision<Event> {
  const { old: broadcasts, left } = oldKeys(tables.broadcastTimes, limits.broadcastKeptMs, context);
  const events: Event[] = broadcasts.length > 0 ? [{ type: "broadcasts_forgotten", broadcasts }] : [];
  if (left)
    events.push({ type: "timer_set", id: "retention", atMs: lookAgainAt(broadcasts.length, context) });
  return { events, frees: true };
}

function find(state: State, transactionId: string, context: Context): Broadcast | null {
  return state.active.get(transactionId) ?? context.get(tables.broadcasts, [transactionId]);
}

const noBroadcast = refuse("NOT_FOUND", "there is no such broadcast");
