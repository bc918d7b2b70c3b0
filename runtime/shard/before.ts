import { isRefusal, refuse } from "#base";
import type { IdempotencyRef } from "../ask.ts";
import { reusedKey, unreadRefusal } from "../refusals.ts";
import { answerNow, replayDelivered } from "./answer.ts";
import type { AskOrigin, EffectOrigin, MessageOrigin, TimerOrigin, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { effectFromValue, effectPlace } from "./effect-row.ts";
import { findRecord, type RecordShard, readRecord } from "./idempotency.ts";
import { lastNumberRows } from "./inbox.ts";
import { join } from "./join.ts";
import { failureOf } from "./load.ts";
import { keyOf } from "./partition.ts";
import type { WantedRow } from "./reader.ts";
import { timerCollection } from "./recorder.ts";
import { settle } from "./settle.ts";
import type { Turn } from "./turn.ts";
import { type LoadingShard, waitForRows } from "./wait-for-rows.ts";

/** What these need of a shard. */
export interface PreparingShard extends LoadingShard, Pick<RecordShard, "reader"> {
  readonly turn: LoadingShard["turn"] & RecordShard["turn"] & Pick<Turn, "effectOf">;
}

/** What comes before an ask is decided: its idempotency record. Like its siblings it tells whether to decide now. */
export function beforeAsk(
  shard: PreparingShard,
  work: Work,
  origin: AskOrigin,
  now: number,
  resume: () => void,
): boolean {
  const ref = origin.idempotency;
  if (ref === undefined) return true;
  const parked = work.entity.cell.parkedScopes.get(ref.scope);
  if (work.recordFailure !== undefined) answerNow(shard, work, unreadRefusal(work.recordFailure));
  else if (parked !== undefined && parked !== work) waitWith(shard, work, ref, parked);
  else if (work.record === undefined)
    waitForRows(shard, work, (done) => readRecord(shard, work, ref, done), resume);
  else {
    const found = findRecord(shard, work, ref, now);
    if (found === undefined) return true;
    if (isRefusal(found)) answerNow(shard, work, found);
    else if (found.awaits) replayDelivered(shard, work, found.answer);
    else answerNow(shard, work, found.answer);
  }
  return false;
}

/** The same request is parked: this one has its answer when that has one. */
function waitWith(shard: PreparingShard, work: Work, ref: IdempotencyRef, parked: Work): void {
  const isSame = (parked.origin as AskOrigin).idempotency!.fingerprint === ref.fingerprint;
  const refusal = isSame ? shard.thread.parking.enter(work) : reusedKey();
  if (refusal !== undefined) {
    answerNow(shard, work, refusal);
    return;
  }
  parked.followers ??= [];
  parked.followers.push(work);
}

/** A message is applied once: what was applied before is known by its number. */
export function beforeMessage(
  shard: PreparingShard,
  work: Work,
  origin: MessageOrigin,
  resume: () => void,
): boolean {
  const { entity } = work;
  if (entity.definition.onMessage === undefined) throw new Error(`${entity.address.kind} takes no messages`);
  const last = entity.inbox.get(origin.source);
  if (last !== undefined) {
    if (origin.number > last) return true;
    settle(shard, work);
    return false;
  }
  const use = (last: unknown, floor: unknown) =>
    entity.inbox.set(origin.source, ((last ?? floor) as number | undefined) ?? 0);
  loadRows(shard, work, lastNumberRows(entity, origin.source), use, resume);
  return false;
}

/** A timer fires only if its row still says so; what is stale leaves a row of its own to be cleared. */
export function beforeTimer(
  shard: PreparingShard,
  work: Work,
  origin: TimerOrigin,
  resume: () => void,
): boolean {
  const { entity } = work;
  if (entity.definition.onTimer === undefined) throw new Error(`${entity.address.kind} takes no timers`);
  const known = entity.timers.get(origin.timerId);
  if (known === origin.dueMs) return true;
  if (known === undefined && work.rounds++ === 0) {
    const row = { partition: entity.partition(timerCollection), key: keyOf([origin.timerId]) };
    const use = (value: unknown) => {
      if (value !== undefined) entity.timers.set(origin.timerId, value as number);
    };
    loadRows(shard, work, [row], use, resume);
    return false;
  }
  const now = shard.now();
  shard.recorder.begin(now, shard.commit.decidedSeq + 1);
  shard.recorder.stale(entity, origin.timerId, origin.dueMs);
  join(shard, { now, address: undefined, steps: [] }, entity.cell, 1);
  settle(shard, work);
  return false;
}

/** A step of an effect counts only for the attempt that its row names. */
export function beforeEffect(
  shard: PreparingShard,
  work: Work,
  origin: EffectOrigin,
  resume: () => void,
): boolean {
  const { entity } = work;
  if (entity.definition.onEffect === undefined) throw new Error(`${entity.address.kind} has no effects`);
  // Mostly this activation has asked for it: then its turn goes on.
  if (work.effect === undefined) work.effect = shard.turn.effectOf(entity, origin.id);
  if (work.effect === undefined) {
    const use = (value: unknown) => {
      work.effect = value === undefined ? null : effectFromValue(value);
    };
    loadRows(shard, work, [effectPlace(entity.address, origin.id)], use, resume);
    return false;
  }
  const { effect } = work;
  if (effect?.asked === origin.asked && effect.attempt === origin.step.attempt) return true;
  // Its place is free now: the effect that takes it may write a row of the runtime's own, between turns.
  shard.turn.close();
  origin.reply(refuse("STATE_CONFLICT", "the effect was ended, or another attempt has begun"));
  return false;
}

/** Reads rows that have to be known first; `use` is given their values, or nothing where there is none. */
function loadRows(
  shard: PreparingShard,
  work: Work,
  rows: readonly WantedRow[],
  use: (...values: unknown[]) => void,
  resume: () => void,
): void {
  const unpacked = (bytes: Uint8Array | null, i: number) =>
    bytes ? unpackValue(bytes, rows[i]!.partition) : undefined;
  const read = (done: (failure: unknown) => void) =>
    shard.reader.getMany(rows, (failure, found) =>
      done(failure ?? failureOf(() => use(...found.map(unpacked)))),
    );
  waitForRows(shard, work, read, resume);
}
