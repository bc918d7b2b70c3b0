import type { Refusal } from "#base";
import type { Decided } from "../actor.ts";
import { beginWait, writeRefusal } from "./answer.ts";
import { type AskOrigin, type AskWork, asked, type Entity, type Work } from "./cell.ts";
import { hourMs, writeRecord } from "./idempotency.ts";
import { writeNumber } from "./inbox.ts";
import type { Next } from "./next.ts";
import type { ShardParts } from "./parts.ts";
import { copyPlain } from "./plain.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Third step: the events change the state, the rows are recorded and the answer is built, as part of the cell's turn; if anything
 * throws, nothing of the turn counts.
 */
export function apply(shard: ShardParts, work: Work, decided: Decided<unknown>, now: number): Next {
  const { entity, origin } = work;
  const { cell } = entity;
  const changes = decided.events.length > 0 || decided.twins !== undefined;
  if (!changes && origin.type === "ask" && (origin.idempotency === undefined || decided.unrecorded))
    return {
      next: "confirm",
      reply: { response: responseOf(shard, work, origin, decided), replayed: false },
    };
  const refusal = writeRefusal(shard);
  if (refusal !== undefined && !(decided.frees && hasReserve(shard, refusal)))
    return { next: "return", refusal };
  const recorder = shard.turn.enter(cell, now);
  const before = recorder.changes.length;
  if (changes) {
    cell.changed = true;
    applyTo(shard, entity, shard.context.usedSeed, decided.events);
    for (const kind in decided.twins) {
      const twin = cell.entity(kind);
      if (twin === undefined) throw new Error(`${kind} is not a twin of ${entity.address.kind}`);
      applyTo(shard, twin, "", decided.twins[kind]!);
    }
  }
  return record(shard, work, decided, recorder, before);
}

function applyTo(shard: ShardParts, entity: Entity, seed: string, events: readonly unknown[]): void {
  const { apply } = entity.definition;
  const rows = shard.recorder.for(entity);
  for (const event of events) apply(entity.state, event, rows);
  shard.turn.happened(entity, seed, events);
}

/** What makes a repeat of this command harmless is in the same commit. `before`: how many changes others had made. */
function record(
  shard: ShardParts,
  work: Work,
  decided: Decided<unknown>,
  recorder: Recorder,
  before: number,
): Next {
  const { entity, origin } = work;
  switch (origin.type) {
    case "ask":
      return recordAnswer(shard, asked(work), decided, recorder);
    case "message":
      writeNumber(recorder, entity, origin, shard.thread.limits.inboxListedMs);
      return { next: "commit", last: true };
    case "timer":
      recorder.fired(entity, origin.timerId, origin.dueMs);
      shard.metrics.timerFired(recorder.now - origin.dueMs);
      return { next: "commit", last: true };
    case "effect":
      recorder.effectStepped(entity, origin.id, work.effect!, origin.step.type, before);
      work.told = copyPlain(decided.answer);
      // Steps of many effects often come together: they share a turn, as what callers ask does.
      return { next: "commit" };
  }
}

function recordAnswer(shard: ShardParts, work: AskWork, decided: Decided<unknown>, recorder: Recorder): Next {
  const { origin } = work;
  if (decided.park !== undefined) {
    // It is suspended when the turn is closed; a repeat may be in the same turn.
    beginWait(work);
    work.begun = true;
    if (decided.park.command !== undefined) work.command = decided.park.command;
    return { next: "commit", park: decided.park };
  }
  const response = responseOf(shard, work, origin, decided);
  const awaits = decided.awaitDelivery === true;
  if (origin.idempotency !== undefined && !decided.unrecorded) {
    writeRecord(recorder, work, origin.idempotency, { response, awaits });
    work.entity.recordHour = Math.floor(recorder.now / hourMs);
  }
  const reply = { response, replayed: false };
  const sends = awaits ? recorder.sends.map((send) => send.number) : [];
  return sends.length === 0 ? { next: "commit", reply } : { next: "commit", reply, sends, last: true };
}

/** What waits at the gate no longer changes with the state it came from. */
function responseOf(
  { context }: ShardParts,
  { entity, command }: Work,
  { method }: AskOrigin,
  { events, answer }: Decided<unknown>,
): unknown {
  const response = method.respond(entity.state, events, command, context, answer);
  return method.fresh ? response : copyPlain(response);
}

/** Whether there is room kept for a command that deletes. What it deletes is then stored soon: that ends the lack of room. */
function hasReserve({ thread }: ShardParts, { reason }: Refusal): boolean {
  const { room } = thread.storage;
  if (room === undefined || reason !== "STORAGE_FULL") return false;
  void room.useReserve().then(() => thread.checkpoints.run());
  return true;
}
