import { limits } from "#base";
import type { Journal, OpenedShard } from "#storage";

/** What the runtime does for a shard: one append under way; what arrives meanwhile is the next one. */
export class GroupCommit {
  readonly #append: Journal["append"];
  readonly #owner: OpenedShard;
  #head: number;
  #waiting: {
    readonly bytes: Uint8Array;
    readonly done: () => void;
    readonly failed: (error: unknown) => void;
  }[] = [];
  #busy = false;
  batches = 0;

  constructor(append: Journal["append"], owner: OpenedShard) {
    this.#append = append;
    this.#owner = owner;
    this.#head = owner.head;
  }

  get head(): number {
    return this.#head;
  }

  submit(bytes: Uint8Array): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ bytes, done, failed });
      if (this.#busy) return;
      this.#busy = true;
      setImmediate(() => void this.#commit());
    });
  }

  async #commit(): Promise<void> {
    const { shard, epoch } = this.#owner;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, limits.batchEntriesMax);
      try {
        await this.#append({
          shard,
          epoch,
          firstSeq: this.#head + 1,
          entries: batch.map(({ bytes }) => bytes),
        });
        this.batches++;
        this.#head += batch.length;
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      // Callers that were just answered come back within this iteration of the event loop and belong to the next batch.
      await new Promise(setImmediate);
    }
    this.#busy = false;
  }
}
