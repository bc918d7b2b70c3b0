import { broadcastsPartition } from "./broadcasts.ts";
import { keyOf } from "./partition.ts";
import { type Change, deletion, outboxPartition } from "./recorder.ts";
import type { Shard } from "./shard.ts";

/** What leaves a shard when a commit is durable: published events, broadcasts, messages; and the rows that go when they have arrived. */
export class Outgoing {
  readonly #shard: Shard;
  /** Numbers of messages that have arrived. */
  #delivered: number[] = [];

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  /** What the recorder holds leaves when this position is durable. */
  joined(seq: number): void {
    const { recorder, published, broadcasts: teller, outbox, commit, timeMs, thread } = this.#shard;
    const { sends, broadcasts, endedEffects, publishedCount, publishedBytes } = recorder;
    if (publishedCount > 0) published.joined(seq, publishedBytes, timeMs);
    // Looked at now: a list that has stayed empty is the next command's, and what that one puts into it is not durable then.
    const tells = broadcasts.length > 0;
    const delivers = sends.length > 0;
    const ends = endedEffects.length > 0;
    if (!delivers && !tells && !ends && publishedCount === 0) return;
    commit.whenDurable(seq, 0, (refusal) => {
      if (refusal !== undefined) return;
      if (publishedCount > 0) published.durable(seq);
      if (tells) teller.tell(broadcasts);
      if (delivers) outbox.add(sends);
      if (ends) for (const { address, id } of endedEffects) thread.effects.ended(this.#shard, address, id);
    });
  }

  delivered(numbers: readonly number[]): void {
    for (const number of numbers) this.#delivered.push(number);
    this.#shard.thread.markDirty(this.#shard);
  }

  /** There are rows that can go. */
  get arrived(): boolean {
    return this.#delivered.length > 0 || this.#shard.broadcasts.told;
  }

  /** Lets them go. */
  takeArrived(): Change[] {
    return [
      ...this.#delivered.splice(0).map((number) => deletion(outboxPartition, keyOf([number]))),
      ...this.#shard.broadcasts.takeTold().map((key) => deletion(broadcastsPartition, key)),
    ];
  }
}
