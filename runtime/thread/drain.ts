import { drainingRefusal } from "../refusals.ts";
import { notNow } from "../shard/answer.ts";
import { unpark } from "../shard/park.ts";
import type { Thread } from "./thread.ts";

const lookMs = 10;

/** Takes no more asks of its own; resolves when those it took are answered. Other threads may still ask. */
export function quiesce(thread: Thread): Promise<void> {
  thread.draining = true;
  endWaits(thread);
  return until(thread, () => thread.outstanding === 0);
}

/** Resolves when everything that was decided is durable and in the tables. */
export async function drain(thread: Thread): Promise<void> {
  await quiesce(thread);
  // What is still under way then is cut off, and run again after the next start.
  const latestMs = thread.world.clock.monotonic() + thread.limits.effectDrainMs;
  await until(thread, () => thread.effects.running === 0 || thread.world.clock.monotonic() >= latestMs);
  await until(thread, () => isSettled(thread));
  await new Promise<void>((resolve) => thread.checkpoints.flushAll(resolve));
}

/** Long polls end early, and no other begins: a client that waits for their answers could not stop in time. */
export function endWaits(thread: Thread): void {
  thread.hasNoWaits = true;
  for (const shard of thread.shards.values())
    for (const cell of shard.cells.values())
      for (const entity of cell.entities)
        for (const work of [...entity.parked]) if (unpark(work)) notNow(shard, work, drainingRefusal());
}

function isSettled(thread: Thread): boolean {
  if (thread.mailboxes.depth > 0) return false;
  for (const { commit, status } of thread.shards.values())
    if (status === "ready" && commit.durableSeq < commit.decidedSeq) return false;
  return true;
}

function until(thread: Thread, settled: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (thread.stopped || settled()) resolve();
      else thread.world.setTimer(lookMs, look);
    };
    look();
  });
}
