import { isRefusal, type Refusal, refuse } from "#base";
import { reusedKey, unreadRefusal } from "../refusals.ts";
import type { AskOrigin, EffectOrigin, MessageOrigin, TimerOrigin, Work } from "./cell.ts";
import { effectFromValue, effectPlace } from "./effect-row.ts";
import { findRecord, readRecord } from "./idempotency.ts";
import { lastNumberRows } from "./inbox.ts";
import type { Next } from "./next.ts";
import { keyOf } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import { rowsFirst } from "./read.ts";
import { timerCollection } from "./recorder.ts";

/** First step: what comes before a decision. Nothing: the command is decided now. */
export function accept(shard: ShardParts, work: Work, now: number): Next | undefined {
  const { origin } = work;
  const refusal = notWanted(shard, origin, work.expired);
  if (refusal !== undefined) return { next: "return", refusal };
  if (work.failure !== undefined) throw work.failure;
  switch (origin.type) {
    case "ask":
      return acceptAsk(shard, work, origin, now);
    case "message":
      return acceptMessage(shard, work, origin);
    case "timer":
      return acceptTimer(shard, work, origin);
    case "effect":
      return acceptEffect(shard, work, origin);
  }
}

/** A caller that waits no longer; or a message whose predecessor in its delivery failed, which it must not overtake. */
function notWanted(shard: ShardParts, origin: Work["origin"], expired: boolean): Refusal | undefined {
  if (origin.type === "message") return origin.delivery.refusal;
  if (origin.type !== "ask") return undefined;
  // Deadlines are the caller's wall time, which shard time may be ahead of.
  if (!expired && shard.thread.clock.wallMs > origin.deadlineMs)
    return refuse("TIMEOUT", "the deadline passed before the request could run");
  return origin.signal?.aborted ? refuse("CANCELLED", "the caller went away") : undefined;
}

/** A request with a key is looked up: a repeat is answered as the first one was, or waits with it. */
function acceptAsk(shard: ShardParts, work: Work, origin: AskOrigin, now: number): Next | undefined {
  const { idempotency } = origin;
  if (idempotency === undefined) return undefined;
  if (work.recordFailure !== undefined) return { next: "answer", reply: unreadRefusal(work.recordFailure) };
  const leader = work.entity.cell.parkedScopes.get(idempotency.scope);
  if (leader !== undefined && leader !== work) {
    const isSame = leader.origin.idempotency?.fingerprint === idempotency.fingerprint;
    return isSame ? { next: "follow", leader } : { next: "answer", reply: reusedKey() };
  }
  if (work.record === undefined)
    return { next: "read", read: (done) => readRecord(shard, work, idempotency, done) };
  const found = findRecord(shard, work, idempotency, now);
  if (found === undefined) return undefined;
  if (isRefusal(found)) return { next: "answer", reply: found };
  return { next: found.awaits ? "replay" : "answer", reply: found.answer };
}

/** A message is applied once: what was applied before is known by its number. */
function acceptMessage(shard: ShardParts, work: Work, origin: MessageOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onMessage === undefined) throw new Error(`${entity.address.kind} takes no messages`);
  const last = entity.inbox.get(origin.source);
  if (last !== undefined) return origin.number > last ? undefined : { next: "settle" };
  return rowsFirst(shard.reader, lastNumberRows(entity, origin.source), (last, lowWatermark) =>
    entity.inbox.set(origin.source, ((last ?? lowWatermark) as number | undefined) ?? 0),
  );
}

/** A timer fires only if its row still says so. */
function acceptTimer(shard: ShardParts, work: Work, origin: TimerOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onTimer === undefined) throw new Error(`${entity.address.kind} takes no timers`);
  const known = entity.timers.get(origin.timerId);
  if (known === origin.dueMs) return undefined;
  if (known !== undefined || work.rounds++ > 0)
    return { next: "clear", timerId: origin.timerId, dueMs: origin.dueMs };
  const row = { partition: entity.partition(timerCollection), key: keyOf([origin.timerId]) };
  return rowsFirst(shard.reader, [row], (value) => {
    if (value !== undefined) entity.timers.set(origin.timerId, value as number);
  });
}

/** A step of an effect counts only for the attempt that its row names. */
function acceptEffect(shard: ShardParts, work: Work, origin: EffectOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onEffect === undefined) throw new Error(`${entity.address.kind} has no effects`);
  // Mostly this activation has asked for it: then its turn goes on.
  if (work.effect === undefined) work.effect = shard.turn.effectOf(entity, origin.id);
  const { effect } = work;
  if (effect === undefined)
    return rowsFirst(shard.reader, [effectPlace(entity.address, origin.id)], (value) => {
      work.effect = value === undefined ? null : effectFromValue(value);
    });
  if (effect?.asked === origin.asked && effect.attempt === origin.step.attempt) return undefined;
  const refusal = refuse("STATE_CONFLICT", "the effect was ended, or another attempt has begun");
  return { next: "reject", reply: () => origin.reply(refusal) };
}
