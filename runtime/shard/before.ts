import { isRefusal, refuse } from "#base";
import { answerNow, type Outcome, replayDelivered } from "./answer.ts";
import type { AskOrigin, MessageOrigin, TimerOrigin, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { load, settle } from "./execute.ts";
import { findRecord, readRecord, reusedKey } from "./idempotency.ts";
import { join } from "./join.ts";
import { failureOf } from "./load.ts";
import { keyOf } from "./partition.ts";
import type { WantedRow } from "./reader.ts";
import { timerCollection } from "./recorder.ts";
import type { Shard } from "./shard.ts";

/** Last message number applied, per source shard. */
export const inboxCollection = "~inbox";

/** What comes before an ask is decided: its idempotency record. */
export function beforeAsk(
  shard: Shard,
  work: Work,
  origin: AskOrigin,
  now: number,
  resume: () => void,
): Outcome | undefined {
  const { cell } = work.entity;
  const ref = origin.idempotency;
  if (ref === undefined) return undefined;
  if (work.recordFailed)
    return answerNow(
      shard,
      work,
      refuse("UNAVAILABLE", "the tables did not answer", { retryAfterMs: 1_000 }),
    );
  const parked = cell.parkedScopes.get(ref.scope);
  if (parked !== undefined && parked !== work) {
    if ((parked.origin as AskOrigin).idempotency!.fingerprint !== ref.fingerprint)
      return answerNow(shard, work, reusedKey());
    const refusal = shard.thread.parking.enter(work);
    if (refusal !== undefined) return answerNow(shard, work, refusal);
    parked.followers ??= [];
    parked.followers.push(work);
    return "parked";
  }
  if (work.record === undefined)
    return load(shard, work, (done) => readRecord(shard, work, ref, done), resume);
  const found = findRecord(shard, work, ref, now);
  if (found === undefined) return undefined;
  if (isRefusal(found)) return answerNow(shard, work, found);
  return found.awaits ? replayDelivered(shard, work, found.answer) : answerNow(shard, work, found.answer);
}

/** A message is applied once: what was applied before is known by its number. */
export function beforeMessage(
  shard: Shard,
  work: Work,
  origin: MessageOrigin,
  resume: () => void,
): Outcome | undefined {
  const { entity } = work;
  if (entity.definition.onMessage === undefined) throw new Error(`${entity.address.kind} takes no messages`);
  const last = entity.inbox.get(origin.source);
  if (last !== undefined) return origin.number <= last ? settle(shard, work) : undefined;
  const row = { partition: entity.partition(inboxCollection), key: keyOf([origin.source]) };
  const take = (value: unknown) => entity.inbox.set(origin.source, (value as number | undefined) ?? 0);
  return loadRow(shard, work, row, take, resume);
}

/** A timer fires only if its row still says so; what is stale leaves a row of its own to be cleared. */
export function beforeTimer(
  shard: Shard,
  work: Work,
  origin: TimerOrigin,
  resume: () => void,
): Outcome | undefined {
  const { entity } = work;
  if (entity.definition.onTimer === undefined) throw new Error(`${entity.address.kind} takes no timers`);
  const known = entity.timers.get(origin.timerId);
  if (known === origin.dueMs) return undefined;
  if (known === undefined && work.rounds++ === 0) {
    const row = { partition: entity.partition(timerCollection), key: keyOf([origin.timerId]) };
    const take = (value: unknown) => {
      if (value !== undefined) entity.timers.set(origin.timerId, value as number);
    };
    return loadRow(shard, work, row, take, resume);
  }
  const now = shard.now();
  shard.recorder.begin(now, shard.commit.decidedSeq + 1);
  shard.recorder.stale(entity, origin.timerId, origin.dueMs);
  join(shard, { now, address: undefined, steps: [] }, entity.cell, 1);
  return settle(shard, work);
}

/** Reads a row that has to be known first; `take` is given its value, or nothing where there is none. */
function loadRow(
  shard: Shard,
  work: Work,
  row: WantedRow,
  take: (value: unknown) => void,
  resume: () => void,
): Outcome {
  const read = (done: (failure: unknown) => void) =>
    shard.reader.getMany([row], (failure, [bytes]) =>
      done(failure ?? failureOf(() => take(bytes ? unpackValue(bytes) : undefined))),
    );
  return load(shard, work, read, resume);
}
