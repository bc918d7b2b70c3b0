import type { Park } from "../actor.ts";
import { drainingRefusal } from "../refusals.ts";
import { answerNow, beginWait } from "./answer.ts";
import type { AskWork, Cell, Entity } from "./cell.ts";
import type { ShardParts } from "./parts.ts";

/** Sets a command aside until `wake` names it, its time is over, or its caller goes away. */
export function park(
  shard: ShardParts,
  work: AskWork,
  { untilMs, watches }: Park["park"],
  now: number,
): void {
  const { entity } = work;
  const { cell } = entity;
  const { parking, hasNoWaits } = shard.thread;
  const refusal = hasNoWaits ? drainingRefusal() : parking.enter(work, watches && "watching");
  if (refusal !== undefined) {
    answerNow(shard, work, refusal);
    return;
  }
  entity.parked.push(work);
  entity.parkedCommands.push(work.command);
  beginWait(work);
  const again = (expired: boolean) => {
    if (!unpark(work)) return;
    work.expired = expired;
    cell.woken.push(work);
    shard.thread.schedule(cell);
  };
  const cancelTimer = shard.setTimer(Math.max(0, untilMs - now), () => again(true));
  const onAbort = () => again(false);
  work.origin.signal?.addEventListener("abort", onAbort, { once: true });
  work.unpark = () => {
    cancelTimer();
    work.origin.signal?.removeEventListener("abort", onAbort);
  };
}

/** Takes a command out of its entity's parking; false when it is not there any more. */
export function unpark(work: AskWork): boolean {
  const { parked, parkedCommands } = work.entity;
  const at = parked.indexOf(work);
  if (at < 0) return false;
  parked.splice(at, 1);
  parkedCommands.splice(at, 1);
  work.unpark?.();
  work.unpark = undefined;
  // Rows loaded before the wait may have changed since.
  work.loaded = undefined;
  work.rounds = 0;
  return true;
}

/** After a change: moves the parked commands that `wake` names to where they run next, in that order. */
export function wakeParked(shard: ShardParts, cell: Cell, now: number): void {
  cell.changed = false;
  for (const entity of cell.entities) if (entity.parked.length > 0) wakeEntity(shard, entity, now);
}

function wakeEntity(shard: ShardParts, entity: Entity, now: number): void {
  const { wake } = entity.definition;
  if (wake === undefined) return;
  shard.context.begin(entity, undefined, now);
  const indexes = wake(entity.state, entity.parkedCommands, shard.context);
  if (indexes.length === 0) return;
  const woken = indexes.map((index) => entity.parked[index]).filter((work) => work !== undefined);
  for (const work of woken) if (unpark(work)) entity.cell.woken.push(work);
}
