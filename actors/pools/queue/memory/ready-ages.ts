import { limits } from "#base";

const minuteMs = 60_000;

/**
 * Ready items by when they became ready, in a bounded number of intervals: a minute each, wider with age. An interval has
 * the items from its beginning to that of the next one, so the first beginning says how long the oldest item has waited.
 */
export class ReadyAges {
  #begins: number[] = [];
  #counts: number[] = [];

  /** 0: no item is ready. */
  get oldestAt(): number {
    return this.#begins[0] ?? 0;
  }

  get size(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  add(at: number): void {
    const last = this.#begins.at(-1);
    if (last === undefined || minuteOf(at) > minuteOf(last)) this.#insert(this.#begins.length, at);
    else if (at < this.#begins[0]!) this.#insert(0, at);
    else this.#counts[this.#indexOf(at)]!++;
  }

  remove(at: number): void {
    const index = this.#indexOf(at);
    if (index < 0 || --this.#counts[index]! > 0) return;
    this.#begins.splice(index, 1);
    this.#counts.splice(index, 1);
  }

  /** Distances from one beginning to the next are shorter to write. */
  row(): readonly number[] {
    return this.#begins.flatMap((begin, index) => [
      begin - (this.#begins[index - 1] ?? 0),
      this.#counts[index]!,
    ]);
  }

  restore(row: readonly number[]): void {
    this.#begins = [];
    this.#counts = [];
    for (let i = 0; i < row.length; i += 2) {
      this.#begins.push((this.#begins.at(-1) ?? 0) + row[i]!);
      this.#counts.push(row[i + 1]!);
    }
  }

  #insert(index: number, at: number): void {
    this.#begins.splice(index, 0, at);
    this.#counts.splice(index, 0, 1);
    if (this.#begins.length > limits.queueAgesMax) this.#join();
  }

  /**
   * Two neighbours become one: those that are short for their age. Never the newest: what comes next is told from it by its
   * minute.
   */
  #join(): void {
    const begins = this.#begins;
    const newest = begins.at(-1)!;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i + 2 < begins.length; i++) {
      const width = (begins[i + 2]! - begins[i]!) / (newest - begins[i]!);
      if (width < least) [best, least] = [i, width];
    }
    this.#counts[best]! += this.#counts[best + 1]!;
    begins.splice(best + 1, 1);
    this.#counts.splice(best + 1, 1);
  }

  /** The last interval that begins no later; -1: there is none. */
  #indexOf(at: number): number {
    let index = this.#begins.length - 1;
    while (index >= 0 && this.#begins[index]! > at) index--;
    return index;
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs);
}
