import type { QueueBench } from "../queue.ts";
import { liveItems } from "../queue-check.ts";

/** The order of items without a fairness key, in a pool that has one at times. */
export class LineOrder {
  readonly #bench: QueueBench;
  /** The numbers of items that got into line while there was no fairness key. */
  readonly #came = new Map<string, number>();
  /** The last number at the previous check of the line. */
  #seen = 0;

  constructor(bench: QueueBench) {
    this.#bench = bench;
  }

  came(id: string): void {
    const item = liveItems(this.#bench).find((one) => one.id === id);
    if (item?.state === "ready") this.#came.set(id, item.order);
  }

  check(fair: boolean): void {
    const inLine = liveItems(this.#bench).filter(({ list }) => list !== "");
    for (const item of inLine) {
      if (this.#came.get(item.id) === item.order) {
        const behind = inLine.find(
          ({ list, band, tag, order }) =>
            list === item.list && band === item.band && order < item.order && tag > item.tag,
        );
        if (behind) throw new Error(`${item.id} came after ${behind.id} and stands before it`);
      } else if (fair && item.flow === "" && item.order > this.#seen) {
        const start = this.#bench.state.virtualTime[item.band]!;
        if (item.tag > start) throw new Error(`${item.id} stands behind all who wait with a fairness key`);
      }
    }
    this.#seen = this.#bench.state.order;
  }
}
