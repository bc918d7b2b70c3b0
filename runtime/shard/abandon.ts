import type { Refusal } from "#base";
import { begunRefusal, isLost } from "../refusals.ts";
import { endWait } from "./answer.ts";
import type { Cell, Work } from "./cell.ts";
import { releaseLookups } from "./idempotency.ts";
import { notNow } from "./not-now.ts";
import { tellAll } from "./tell-all.ts";

/** Gives back everything a cell holds: at the end of a tenure, or because the cell cannot run for a while. */
export function abandonCell(cell: Cell, refusal: Refusal): void {
  const { thread } = cell.shard;
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
  releaseLookups(cell);
  thread.residents.remove(cell);
  tellAll(works, (work) => abandonWork(work, refusal));
  if (cell.isolatedUntilMs === 0) cell.shard.forgetIdle(cell);
}

/** Gives back only what callers ask, begun or not; messages and timers go on when they can. */
export function abandonAsks(cell: Cell, refusal: Refusal): void {
  releaseLookups(cell);
  const works = cell.woken.drain();
  for (const work of cell.system.drain()) (work.origin.type === "ask" ? works : cell.system).push(work);
  for (const work of cell.asks.drain()) {
    cell.shard.thread.mailboxes.left(work);
    works.push(work);
  }
  tellAll(works, (work) => {
    endWait(work);
    abandonWork(work, refusal);
  });
}

export function abandonWork(work: Work, refusal: Refusal): void {
  const { origin } = work;
  switch (origin.type) {
    case "ask":
      work.entity.cell.shard.thread.parking.left(work);
      origin.reply(work.begun && isLost(refusal) ? begunRefusal() : refusal);
      for (const follower of work.followers ?? []) abandonWork(follower, refusal);
      return;
    case "message":
    case "effect":
      origin.reply(refusal);
      return;
    case "timer":
      if (work.entity.cell.shard.status !== "dropped") notNow(work.entity.cell.shard, work, refusal);
      return;
  }
}
