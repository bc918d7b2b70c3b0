import type { Decided } from "../actor.ts";
import type { Work } from "./cell.ts";
import type { CommitLog } from "./commit.ts";
import { copyPlain } from "./plain.ts";

/** What settling needs of a shard. */
interface SettlingShard {
  readonly commit: CommitLog;
  readonly alarm: { handled(): void };
}

/** A message, a timer or a step of an effect is done with when its commit is durable. */
export function settle(shard: SettlingShard, work: Work, decided?: Decided<unknown>): void {
  const { origin } = work;
  const { lastSeq } = work.entity.cell;
  if (origin.type === "message") shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal));
  else if (origin.type === "effect") {
    const answer = copyPlain(decided?.answer);
    shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal, answer));
  } else shard.alarm.handled();
}
