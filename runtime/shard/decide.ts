import { isRefusal, type Refusal, refuse, toFault } from "#base";
import type { Decision } from "../actor.ts";
import type { AskOrigin, Work } from "./cell.ts";
import { loadNeeded } from "./load.ts";
import type { Next } from "./next.ts";
import type { ShardParts } from "./parts.ts";

/** Second step: the module decides. What it asked for and is not in memory is read, and it decides again. */
export function decide(shard: ShardParts, work: Work, now: number): Next {
  const { entity } = work;
  if (!work.built) {
    const command = commandOf(shard, work);
    if (work.origin.type === "ask" && isRefusal(command)) return { next: "answer", reply: command };
    work.command = command;
    work.built = true;
  }
  const { context } = shard;
  context.begin(entity, work, now);
  let decision: Decision<unknown> | undefined;
  try {
    decision = entity.definition.decide(entity.state, work.command, context);
  } catch (error) {
    if (!context.lacksRows) throw error;
  }
  if (context.lacksRows) return again(shard, work);
  return decision === undefined ? unknownHere(shard, work) : follow(shard, work, decision);
}

function commandOf(shard: ShardParts, { origin, entity }: Work): unknown {
  const { definition } = entity;
  switch (origin.type) {
    case "ask":
      return requested(shard, origin);
    case "message":
      return definition.onMessage!(origin.message, origin.from);
    case "timer":
      return definition.onTimer!(origin.timerId);
    case "effect":
      return definition.onEffect!(origin.step);
  }
}

/** A request that cannot be turned into a command says nothing about the entity's state: it is not restarted for it. */
function requested({ thread }: ShardParts, { method, request, caller }: AskOrigin): unknown {
  try {
    return method.command(request, caller);
  } catch (error) {
    const fault = toFault(error);
    if ("refusal" in fault) return fault.refusal;
    thread.logger?.error({ err: fault.error }, "a request could not be turned into a command");
    return refuse("INTERNAL", "the request could not be read");
  }
}

/** What it asked for and is not in memory is read first. */
function again({ context, reader, thread }: ShardParts, work: Work): Next {
  const { needRoundsMax } = thread.limits;
  if (++work.rounds > needRoundsMax)
    throw new Error(`a command asked for rows more than ${needRoundsMax} times`);
  const needed = context.takeUnread();
  return { next: "read", read: (done) => loadNeeded(reader, work, needed, done) };
}

function follow(shard: ShardParts, work: Work, decision: Decision<unknown>): Next {
  if ("events" in decision) return { next: "apply", decided: decision };
  if (!("park" in decision)) return refused(shard, work, decision);
  if (work.origin.type !== "ask") throw new Error("only what a caller asks can be parked");
  const { park } = decision;
  if (park.command !== undefined) work.command = park.command;
  return { next: "suspend", park };
}

function refused({ thread }: ShardParts, { origin, entity }: Work, refusal: Refusal): Next {
  if (origin.type === "ask") return { next: "confirm", reply: refusal };
  if (origin.type === "effect" && origin.step.type === "begin") return { next: "return", refusal };
  // A message, a timer or a result that is refused is done with: its sender has no caller to tell.
  thread.logger?.warn({ address: entity.address, refusal }, `a ${origin.type} was refused`);
  return { next: "apply", decided: { events: [] } };
}

/**
 * A definition has no decision for it: a node of the next version has sent the message, set the timer or asked for the effect. It
 * waits until the entity is on such a node; nothing is wrong with the entity.
 */
function unknownHere({ thread }: ShardParts, { origin, entity, command }: Work): Next {
  if (origin.type === "ask") throw new Error("a command has no decision");
  const { type } = (command ?? {}) as { type?: unknown };
  thread.logger?.warn(
    { address: entity.address, type },
    `this version does not know a ${origin.type} of this type: it is tried again`,
  );
  const refusal = refuse("UNIMPLEMENTED", `this version does not know a ${origin.type} of this type`);
  return { next: "return", refusal };
}
