import { isRefusal, refuse } from "#base";
import { reusedKey, unreadRefusal } from "../refusals.ts";
import type { AskOrigin, EffectOrigin, MessageOrigin, TimerOrigin, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { effectFromValue, effectPlace } from "./effect-row.ts";
import { findRecord, type RecordShard, readRecord } from "./idempotency.ts";
import { lastNumberRows } from "./inbox.ts";
import { failureOf } from "./load.ts";
import type { Next } from "./next.ts";
import { keyOf } from "./partition.ts";
import type { WantedRow } from "./reader.ts";
import { timerCollection } from "./recorder.ts";
import type { Turn } from "./turn.ts";

/** What this step needs of a shard. */
export interface AcceptingShard extends RecordShard {
  readonly turn: RecordShard["turn"] & Pick<Turn, "effectOf">;
}

/** First step: what comes before a decision. Nothing: the command is decided now. */
export function accept(shard: AcceptingShard, work: Work, now: number): Next | undefined {
  if (work.failure !== undefined) throw work.failure;
  const { origin } = work;
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

/** A request with a key is looked up: a repeat is answered as the first one was, or waits with it. */
function acceptAsk(shard: AcceptingShard, work: Work, origin: AskOrigin, now: number): Next | undefined {
  const { idempotency } = origin;
  if (idempotency === undefined) return undefined;
  if (work.recordFailure !== undefined) return { next: "answer", reply: unreadRefusal(work.recordFailure) };
  const leader = work.entity.cell.parkedScopes.get(idempotency.scope);
  if (leader !== undefined && leader !== work) {
    const isSame = (leader.origin as AskOrigin).idempotency!.fingerprint === idempotency.fingerprint;
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
function acceptMessage(shard: AcceptingShard, work: Work, origin: MessageOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onMessage === undefined) throw new Error(`${entity.address.kind} takes no messages`);
  const last = entity.inbox.get(origin.source);
  if (last !== undefined) return origin.number > last ? undefined : { next: "settle" };
  return readRows(shard, lastNumberRows(entity, origin.source), (last, lowWatermark) =>
    entity.inbox.set(origin.source, ((last ?? lowWatermark) as number | undefined) ?? 0),
  );
}

/** A timer fires only if its row still says so. */
function acceptTimer(shard: AcceptingShard, work: Work, origin: TimerOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onTimer === undefined) throw new Error(`${entity.address.kind} takes no timers`);
  const known = entity.timers.get(origin.timerId);
  if (known === origin.dueMs) return undefined;
  if (known !== undefined || work.rounds++ > 0) return { next: "clear" };
  const row = { partition: entity.partition(timerCollection), key: keyOf([origin.timerId]) };
  return readRows(shard, [row], (value) => {
    if (value !== undefined) entity.timers.set(origin.timerId, value as number);
  });
}

/** A step of an effect counts only for the attempt that its row names. */
function acceptEffect(shard: AcceptingShard, work: Work, origin: EffectOrigin): Next | undefined {
  const { entity } = work;
  if (entity.definition.onEffect === undefined) throw new Error(`${entity.address.kind} has no effects`);
  // Mostly this activation has asked for it: then its turn goes on.
  if (work.effect === undefined) work.effect = shard.turn.effectOf(entity, origin.id);
  const { effect } = work;
  if (effect === undefined)
    return readRows(shard, [effectPlace(entity.address, origin.id)], (value) => {
      work.effect = value === undefined ? null : effectFromValue(value);
    });
  if (effect?.asked === origin.asked && effect.attempt === origin.step.attempt) return undefined;
  return {
    next: "reject",
    refusal: refuse("STATE_CONFLICT", "the effect was ended, or another attempt has begun"),
  };
}

/** Rows that have to be known first; `use` is given their values, or nothing where there is none. */
function readRows(
  shard: AcceptingShard,
  rows: readonly WantedRow[],
  use: (...values: unknown[]) => void,
): Next {
  const unpacked = (bytes: Uint8Array | null, i: number) =>
    bytes ? unpackValue(bytes, rows[i]!.partition) : undefined;
  return {
    next: "read",
    read: (done) =>
      shard.reader.getMany(rows, (failure, found) =>
        done(failure ?? failureOf(() => use(...found.map(unpacked)))),
      ),
  };
}
