/**
 * At most one conditional write under way per shard and a bounded number in all; the shard that has waited longest goes
 * first. Paxos serialises a partition anyway: a second write in flight only makes both time out.
 */
export class Lanes {
  readonly #inFlightMax: () => number;
  readonly #waiting: { readonly shard: number; readonly start: () => void }[] = [];
  readonly #busy = new Set<number>();

  constructor(inFlightMax: () => number) {
    this.#inFlightMax = inFlightMax;
  }

  async run<T>(shard: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ shard, start });
      this.#startWaiting();
    });
    try {
      return await task();
    } finally {
      this.#busy.delete(shard);
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let i = 0; i < this.#waiting.length && this.#busy.size < this.#inFlightMax(); ) {
      const next = this.#waiting[i]!;
      if (this.#busy.has(next.shard)) i++;
      else {
        this.#waiting.splice(i, 1);
        this.#busy.add(next.shard);
        next.start();
      }
    }
  }
}
