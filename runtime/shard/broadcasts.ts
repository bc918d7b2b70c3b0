import { unpackValue } from "./codec.ts";
import { keyOf } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import { type Broadcast, broadcastsPartition } from "./recorder.ts";

const pageRows = 1_000;
const retryMs = 1_000;

/**
 * Broadcasts of a shard are rows of the commit they belong to until every thread has been told. An ownership term begins with
 * those of an earlier one that died in between, so a broadcast is heard at least once.
 */
export class Broadcasts {
  readonly #shard: ShardParts;
  /** Rows that have done their duty. */
  #told: string[] = [];

  constructor(shard: ShardParts) {
    this.#shard = shard;
  }

  get told(): boolean {
    return this.#told.length > 0;
  }

  takeTold(): string[] {
    return this.#told.splice(0);
  }

  /** These have become durable. */
  tell(broadcasts: readonly Broadcast[]): void {
    for (const { key, topic, payload } of broadcasts) {
      this.#shard.thread.broadcast(topic, payload);
      this.#told.push(key);
    }
    this.#shard.markDirty();
  }

  /** Tells what an earlier ownership term left; what this one decides is told by `tell`. */
  load(): void {
    const { reader, commit } = this.#shard;
    const to = keyOf([commit.durableSeq + 1]);
    const page = (from: string | undefined) =>
      reader.scan(broadcastsPartition, { from, to, limit: pageRows }, (failure, rows) => {
        if (this.#shard.status !== "ready") return;
        if (failure !== undefined) {
          this.#shard.setTimer(retryMs, () => page(from));
          return;
        }
        const found = rows.map(({ key, value }) => {
          const [topic, payload] = unpackValue(value, broadcastsPartition) as [string, unknown];
          return { key, topic, payload };
        });
        if (found.length > 0) this.tell(found);
        if (rows.length === pageRows) page(`${found.at(-1)!.key}\0`);
      });
    page(undefined);
  }
}
