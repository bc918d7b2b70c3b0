/**
 * The first entries of an ordered collection of rows, bounded. Everything up to the last entry is here; `complete` says that
 * nothing comes after it. What lies beyond is only in the rows until `refill` brings it.
 */
export class SortedWindow<Entry> {
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #max: number;
  #entries: Entry[] = [];
  /** Entries before this index were removed; they are cut off now and then. */
  #start = 0;
  complete: boolean;

  constructor(compare: (a: Entry, b: Entry) => number, max: number, complete: boolean) {
    this.#compare = compare;
    this.#max = max;
    this.complete = complete;
  }

  get length(): number {
    return this.#entries.length - this.#start;
  }

  at(index: number): Entry | undefined {
    return this.#entries[this.#start + index];
  }

  get last(): Entry | undefined {
    return this.length === 0 ? undefined : this.#entries[this.#entries.length - 1];
  }

  /** True: it is in the window now. An entry that had to give way is passed to `dropped`. */
  insert(entry: Entry, dropped?: (entry: Entry) => void): boolean {
    const last = this.last;
    if (last === undefined || this.#compare(entry, last) > 0) {
      if (!this.complete) return false;
      if (this.length >= this.#max) {
        this.complete = false;
        return false;
      }
      this.#entries.push(entry);
      return true;
    }
    this.#entries.splice(this.#find(entry), 0, entry);
    if (this.length > this.#max) {
      this.complete = false;
      const cut = this.#entries.pop()!;
      dropped?.(cut);
      return cut !== entry;
    }
    return true;
  }

  remove(entry: Entry): boolean {
    // Mostly it is the first: lines are left at their head.
    if (this.length > 0 && this.#compare(this.#entries[this.#start]!, entry) === 0) this.#start++;
    else {
      const index = this.#find(entry);
      const found = this.#entries[index];
      if (found === undefined || this.#compare(found, entry) !== 0) return false;
      this.#entries.splice(index, 1);
    }
    if (this.#start > 512 && this.#start * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
    return true;
  }

  /** How many are before it, of those that are here. */
  rankOf(entry: Entry): number {
    return this.#find(entry) - this.#start;
  }

  /** Everything before this entry is here. */
  reaches(entry: Entry): boolean {
    const last = this.last;
    return this.complete || (last !== undefined && this.#compare(entry, last) <= 0);
  }

  /** What follows the last entry, in order. */
  refill(entries: readonly Entry[], complete: boolean): void {
    for (const entry of entries) this.#entries.push(entry);
    this.complete = complete;
  }

  #find(entry: Entry): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#entries[middle]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
