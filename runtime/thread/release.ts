import { lostRefusal } from "../refusals.ts";
import type { Shard } from "../shard/shard.ts";
import type { Thread } from "./thread.ts";

const lookMs = 2;

/**
 * Gives a shard away: what it has decided becomes durable and is answered, and all that was not begun is told "moved", which
 * is safe to ask again. `done(false)`: its commits took too long, and it stays.
 */
export function releaseShard(thread: Thread, number: number, done: (released: boolean) => void): void {
  const shard = thread.shards.get(number);
  if (shard === undefined) {
    done(true);
    return;
  }
  if (shard.leaving) {
    done(false);
    return;
  }
  const lastMs = thread.world.clock.monotonic() + thread.limits.moveSettleMs;
  shard.leaving = true;
  const look = () => {
    if (thread.shards.get(number) !== shard) {
      done(!thread.shards.has(number));
      return;
    }
    if (isSettled(shard)) {
      thread.lose(number, lostRefusal());
      done(true);
    } else if (thread.world.clock.monotonic() < lastMs) shard.setTimer(lookMs, look);
    else {
      shard.leaving = false;
      shard.resume();
      done(false);
    }
  };
  look();
}

function isSettled({ status, commit, turn }: Shard): boolean {
  if (status !== "ready") return true;
  return commit.inFlight === undefined && commit.durableSeq >= commit.decidedSeq && !turn.isOpen;
}
