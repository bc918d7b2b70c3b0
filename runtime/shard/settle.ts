import type { Work } from "./cell.ts";
import type { CommitLog } from "./commit.ts";

/** What settling needs of a shard. */
export interface SettlingShard {
  readonly commit: CommitLog;
  readonly alarm: { handled(): void };
}

/** A message, a timer or a step of an effect is done with when its commit is durable. */
export function settle(shard: SettlingShard, work: Work): void {
  const { origin, told } = work;
  const { lastSeq } = work.entity.cell;
  if (origin.type === "message") shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal));
  else if (origin.type === "effect")
    shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal, told));
  else shard.alarm.handled();
}
