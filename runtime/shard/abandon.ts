import type { Refusal } from "#base";
import { begunRefusal, isLost } from "../refusals.ts";
import { endWait } from "./answer.ts";
import type { Cell, Work } from "./cell.ts";
import { releaseLookups } from "./idempotency.ts";
import { notNow, type ReturningShard } from "./not-now.ts";
import { tellAll } from "./tell-all.ts";
import type { ThreadParts } from "./thread-parts.ts";

/** What giving up cells needs of their shard. */
export interface AbandoningShard extends ReturningShard {
  readonly thread: ReturningShard["thread"] & Pick<ThreadParts, "mailboxes" | "residents">;
  forgetIdle(cell: Cell): void;
}

/** Gives back everything a cell holds: at the end of an ownership term, or because the cell cannot run for a while. */
export function abandonCell(shard: AbandoningShard, cell: Cell, refusal: Refusal): void {
  const { thread } = shard;
  const works = [...cell.system.drain(), ...cell.woken.drain()];
  if (cell.loading !== undefined) works.unshift(cell.loading);
  cell.loading = undefined;
  for (const work of cell.asks.drain()) {
    thread.mailboxes.left(work);
    works.push(work);
  }
  for (const entity of cell.entities) {
    for (const work of entity.parked.splice(0)) {
      work.unpark?.();
      works.push(work);
    }
    entity.parkedCommands.length = 0;
  }
  cell.parkedScopes.clear();
  releaseLookups(shard, cell);
  thread.residents.remove(cell);
  tellAll(works, (work) => abandonWork(shard, work, refusal));
  if (cell.isolatedUntilMs === 0) shard.forgetIdle(cell);
}

/** Gives back only what callers ask, begun or not; messages and timers go on when they can. */
export function abandonAsks(shard: AbandoningShard, cell: Cell, refusal: Refusal): void {
  releaseLookups(shard, cell);
  const works = cell.woken.drain();
  for (const work of cell.system.drain()) (work.origin.type === "ask" ? works : cell.system).push(work);
  for (const work of cell.asks.drain()) {
    shard.thread.mailboxes.left(work);
    works.push(work);
  }
  tellAll(works, (work) => {
    endWait(work);
    abandonWork(shard, work, refusal);
  });
}

export function abandonWork(shard: AbandoningShard, work: Work, refusal: Refusal): void {
  const { origin } = work;
  switch (origin.type) {
    case "ask":
      shard.thread.parking.left(work);
      origin.reply(work.begun && isLost(refusal) ? begunRefusal() : refusal);
      for (const follower of work.followers ?? []) abandonWork(shard, follower, refusal);
      return;
    case "message":
    case "effect":
      origin.reply(refusal);
      return;
    case "timer":
      if (shard.status !== "dropped") notNow(shard, work, refusal);
      return;
  }
}
