import type { Broadcasts } from "./broadcasts.ts";
import { keyOf } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import type { PublishedEvents } from "./published.ts";
import { broadcastsPartition, type Change, deletion, outboxPartition } from "./recorder.ts";

/** What the outgoing part needs of its shard. */
interface OutgoingShard extends ShardParts {
  readonly published: PublishedEvents;
  readonly broadcasts: Broadcasts;
}

/** What leaves a shard when a commit is durable: published events, broadcasts, messages; and the rows that go when they have arrived. */
export class Outgoing {
  readonly #shard: OutgoingShard;
  /** Numbers of messages that have arrived. */
  #delivered: number[] = [];

  constructor(shard: OutgoingShard) {
    this.#shard = shard;
  }

  /** What the recorder holds leaves when this position is durable. */
  joined(seq: number): void {
    const { recorder, published, broadcasts: teller, outbox, commit, timeMs } = this.#shard;
    const { sends, broadcasts, endedEffects, publishedCount, publishedTenant } = recorder;
    if (publishedCount > 0) published.joined(seq, recorder, timeMs);
    // Looked at now: a list that has stayed empty is the next command's, and what that one puts into it is not durable then.
    const tells = broadcasts.length > 0;
    const delivers = sends.length > 0;
    const ends = endedEffects.length > 0;
    if (!delivers && !tells && !ends && publishedCount === 0) return;
    commit.whenDurable(seq, 0, (refusal) => {
      if (refusal !== undefined) return;
      if (publishedCount > 0) published.durable(publishedTenant);
      if (tells) teller.tell(broadcasts);
      if (delivers) outbox.add(sends);
      if (ends) for (const { address, id } of endedEffects) this.#shard.effectEnded(address, id);
    });
  }

  delivered(numbers: readonly number[]): void {
    for (const number of numbers) this.#delivered.push(number);
    this.#shard.markDirty();
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
