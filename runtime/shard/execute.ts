import { isRefusal, type Refusal, refuse, toFault } from "#base";
import type { Decided, Decision, Park } from "../actor.ts";
import type { Answer } from "../ask.ts";
import { answerDelivered, answerNow, answerSeen, beginWait, writeRefusal } from "./answer.ts";
import { beforeAsk, beforeEffect, beforeMessage, beforeTimer, type PreparingShard } from "./before.ts";
import type { AskOrigin, Entity, Work } from "./cell.ts";
import { type CommandContext, unread } from "./context.ts";
import { hourMs, writeRecord } from "./idempotency.ts";
import { writeNumber } from "./inbox.ts";
import { loadNeeded } from "./load.ts";
import type { ShardMetrics } from "./metrics.ts";
import { notNow } from "./not-now.ts";
import { type ParkingShard, park } from "./park.ts";
import { copyPlain } from "./plain.ts";
import type { ThreadParts } from "./thread-parts.ts";
import type { Turn } from "./turn.ts";
import { waitForRows } from "./wait-for-rows.ts";

/** What running a command needs of its shard. */
export interface ExecutingShard extends PreparingShard, Pick<ParkingShard, "context" | "setTimer"> {
  readonly turn: Turn;
  readonly metrics: ShardMetrics;
  readonly thread: PreparingShard["thread"] &
    ParkingShard["thread"] &
    Pick<ThreadParts, "storage" | "checkpoints">;
}

/** Runs one command of a ready cell. `resume` is called later if it had to wait for rows. Throws what a module threw. */
export function execute(shard: ExecutingShard, work: Work, now: number, resume: () => void): void {
  const { origin, entity } = work;
  const { definition } = entity;
  if (work.failure !== undefined) throw work.failure;
  switch (origin.type) {
    case "ask": {
      if (!beforeAsk(shard, work, origin, now, resume)) return;
      if (!work.built) {
        const command = commandOf(shard, origin);
        if (isRefusal(command)) {
          answerNow(shard, work, command);
          return;
        }
        work.command = command;
      }
      break;
    }
    case "message": {
      if (!beforeMessage(shard, work, origin, resume)) return;
      if (!work.built) work.command = definition.onMessage!(origin.message, origin.from);
      break;
    }
    case "timer": {
      if (!beforeTimer(shard, work, origin, resume)) return;
      if (!work.built) work.command = definition.onTimer!(origin.timerId);
      break;
    }
    case "effect": {
      if (!beforeEffect(shard, work, origin, resume)) return;
      if (!work.built) work.command = definition.onEffect!(origin.step);
      break;
    }
  }
  work.built = true;
  const { context } = shard;
  context.begin(entity, work, now);
  follow(shard, work, decide(entity, work.command, context), now, resume);
}

function decide(entity: Entity, command: unknown, context: CommandContext): Decision<unknown> | undefined {
  try {
    return entity.definition.decide(entity.state, command, context);
  } catch (error) {
    if (error === unread) return context.takeUnread();
    throw error;
  }
}

/** A request that cannot be turned into a command says nothing about the entity's state: it is not restarted for it. */
function commandOf(shard: ExecutingShard, origin: AskOrigin): unknown {
  try {
    return origin.method.command(origin.request, origin.caller);
  } catch (error) {
    const fault = toFault(error);
    if ("refusal" in fault) return fault.refusal;
    shard.thread.logger?.error({ err: fault.error }, "a request could not be turned into a command");
    return refuse("INTERNAL", "the request could not be read");
  }
}

function follow(
  shard: ExecutingShard,
  work: Work,
  decision: Decision<unknown> | undefined,
  now: number,
  resume: () => void,
): void {
  const { origin, entity } = work;
  if (decision === undefined) unknownHere(shard, work);
  else if ("events" in decision) happen(shard, work, decision, now);
  else if ("need" in decision) {
    const { needRoundsMax } = shard.thread.limits;
    if (++work.rounds > needRoundsMax)
      throw new Error(`a command asked for rows more than ${needRoundsMax} times`);
    waitForRows(shard, work, (done) => loadNeeded(shard.reader, work, decision, done), resume);
  } else if ("park" in decision) {
    if (origin.type !== "ask") throw new Error("only what a caller asks can be parked");
    remember(work, decision.park);
    park(shard, work, decision.park.untilMs, now);
  } else if (origin.type === "ask") answerSeen(shard, work, origin, decision);
  else if (origin.type === "effect" && origin.step.type === "begin") origin.reply(decision);
  else {
    // A message, a timer or a result that is refused is done with: its sender has no caller to tell.
    shard.thread.logger?.warn({ address: entity.address, refusal: decision }, `a ${origin.type} was refused`);
    happen(shard, work, { events: [] }, now);
  }
}

/**
 * A definition has no decision for it: a node of the next version has sent the message, set the timer or asked for the effect. It
 * waits until the entity is on such a node; nothing is wrong with the entity.
 */
function unknownHere(shard: ExecutingShard, work: Work): void {
  const { origin, entity, command } = work;
  if (origin.type === "ask") throw new Error("a command has no decision");
  const { type } = (command ?? {}) as { type?: unknown };
  shard.thread.logger?.warn(
    { address: entity.address, type },
    `this version does not know a ${origin.type} of this type: it is tried again`,
  );
  notNow(shard, work, refuse("UNIMPLEMENTED", `this version does not know a ${origin.type} of this type`));
}

/** Applies the events in memory and builds the answer, as part of the cell's turn; if anything throws, nothing of the turn counts. */
function happen(shard: ExecutingShard, work: Work, decided: Decided<unknown>, now: number): void {
  const { entity, origin } = work;
  const { cell } = entity;
  const changes = decided.events.length > 0 || decided.twins !== undefined;
  if (!changes && origin.type === "ask" && (origin.idempotency === undefined || decided.unrecorded)) {
    answerRead(shard, work, origin, decided);
    return;
  }
  const refusal = writeRefusal(shard);
  if (refusal !== undefined && !(decided.frees && hasReserve(shard, refusal))) {
    notNow(shard, work, refusal);
    return;
  }

  const recorder = shard.turn.enter(cell, now);
  const before = recorder.changes.length;
  if (changes) {
    cell.changed = true;
    apply(shard, entity, shard.context.usedSeed, decided.events);
    for (const kind in decided.twins) {
      const twin = cell.entity(kind);
      if (twin === undefined) throw new Error(`${kind} is not a twin of ${entity.address.kind}`);
      apply(shard, twin, "", decided.twins[kind]!);
    }
  }
  switch (origin.type) {
    case "ask":
      happenedForCaller(shard, work, origin, decided);
      return;
    case "message":
      writeNumber(recorder, entity, origin, shard.thread.limits.inboxListedMs);
      break;
    case "timer":
      recorder.fired(entity, origin.timerId, origin.dueMs);
      shard.metrics.timerFired(now - origin.dueMs);
      break;
    case "effect":
      recorder.effectStepped(entity, origin.id, work.effect!, origin.step.type, before);
      work.told = copyPlain(decided.answer);
      // Steps of many effects often come together: they share a turn, as what callers ask does.
      shard.turn.ran(work, undefined);
      return;
  }
  shard.turn.ran(work, undefined);
  shard.turn.close();
}

/** Whether there is room kept for a command that deletes. What it deletes is then stored soon: that ends the lack of room. */
function hasReserve({ thread }: ExecutingShard, { reason }: Refusal): boolean {
  const { room } = thread.storage;
  if (room === undefined || reason !== "STORAGE_FULL") return false;
  void room.useReserve().then(() => thread.checkpoints.run());
  return true;
}

function remember(work: Work, { command }: Park["park"]): void {
  if (command !== undefined) work.command = command;
}

function happenedForCaller(
  shard: ExecutingShard,
  work: Work,
  origin: AskOrigin,
  decided: Decided<unknown>,
): void {
  const { turn, recorder } = shard;
  const { entity } = work;
  if (decided.park !== undefined) {
    // It is parked when the turn is closed; a repeat may be in the same turn.
    beginWait(work);
    work.begun = true;
    remember(work, decided.park);
    turn.ran(work, undefined, decided.park.untilMs);
    return;
  }
  const response = responseOf(shard, work, origin, decided);
  const reply: Answer = { response, replayed: false };
  const awaits = decided.awaitDelivery === true;
  const sends = awaits ? recorder.sends.map((send) => send.number) : [];
  if (origin.idempotency !== undefined && !decided.unrecorded) {
    writeRecord(recorder, work, origin.idempotency, { response, awaits });
    entity.recordHour = Math.floor(recorder.now / hourMs);
  }
  if (sends.length === 0) {
    turn.ran(work, reply);
    return;
  }
  turn.ran(work, undefined);
  turn.close();
  answerDelivered(shard, work, reply, sends);
}

function apply(shard: ExecutingShard, entity: Entity, seed: string, events: readonly unknown[]): void {
  const { apply } = entity.definition;
  const rows = shard.recorder.for(entity);
  for (const event of events) apply(entity.state, event, rows);
  shard.turn.happened(entity, seed, events);
}

function answerRead(shard: ExecutingShard, work: Work, origin: AskOrigin, decided: Decided<unknown>): void {
  const response = responseOf(shard, work, origin, decided);
  answerSeen(shard, work, origin, { response, replayed: false });
}

/** What waits at the gate no longer changes with the state it came from. */
function responseOf(
  shard: ExecutingShard,
  work: Work,
  { method }: AskOrigin,
  decided: Decided<unknown>,
): unknown {
  const { events, answer } = decided;
  const response = method.respond(work.entity.state, events, work.command, shard.context, answer);
  return method.fresh ? response : copyPlain(response);
}
