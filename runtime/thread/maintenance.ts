import { answerStuck } from "../shard/abandon.ts";
import type { Host, Shard } from "../shard/shard.ts";
import { isIsolated } from "./accept.ts";

/** Runs what a shard does outside commands, and answers for it when that throws. */
export interface ShardSupervisor {
  run(shard: number, step: () => void, failed: (error: unknown) => void): void;
}

const everyMs = 1_000;

/** What a thread does beside its commands, once a second: puts entities away, ends rests, tells who waits in vain, says which messages arrived, forgets. */
export function maintain(thread: Host, supervisor: ShardSupervisor | undefined): void {
  const dueMs = thread.world.clock.monotonic() + everyMs;
  thread.world.setTimer(everyMs, () => {
    if (thread.stopped) return;
    const { clock, shards } = thread;
    // A thread without commands reads the clock here only: a jump is noticed, and believed in the end.
    clock.now();
    const { monotonicMs } = clock;
    thread.residents.sweep(monotonicMs);
    endIsolations(thread);
    // A thread that stood still itself has not yet heard what the store had to say: it looks again the next time.
    if (monotonicMs - dueMs < everyMs)
      for (const shard of shards.values()) shard.guard(() => answerStuck(shard, monotonicMs));
    for (const shard of shards.values())
      if (shard.status === "ready" && !clock.jumped) supervise(supervisor, shard, () => shard.maintain());
    thread.settled.tell(monotonicMs);
    thread.health.look();
    maintain(thread, supervisor);
  });
}

function endIsolations(thread: Host): void {
  const { failing } = thread;
  for (const cell of failing) {
    if (cell.shard.status === "dropped") failing.delete(cell);
    else if (!isIsolated(thread, cell)) cell.shard.forgetIdle(cell);
  }
}

function supervise(supervisor: ShardSupervisor | undefined, shard: Shard, step: () => void): void {
  const failed = (error: unknown) => shard.failed(error);
  const guarded = () => {
    if (shard.status !== "dropped") step();
  };
  if (supervisor !== undefined) supervisor.run(shard.number, guarded, failed);
  else shard.guard(guarded);
}
