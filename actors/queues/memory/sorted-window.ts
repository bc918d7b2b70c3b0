/** An entry that is read when somebody looks at it. */
export abstract class Unread<Entry> {
  abstract read(): Entry;
}

/**
 * The first entries of an ordered collection of rows, bounded. Everything up to `reach` is here; `complete` says that
 * nothing comes after it. What lies beyond is only in the rows until `refill` brings it.
 */
export class SortedWindow<Entry> {
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #max: number;
  #entries: (Entry | Unread<Entry>)[] = [];
  /** Entries before this index were removed; they are cut off now and then. */
  #start = 0;
  #reach: Entry | undefined;
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
    return this.#read(this.#start + index);
  }

  /** The last entry that was ever here, though it may have been removed: rows are read on from there, not from the beginning. */
  get reach(): Entry | undefined {
    return this.#reach;
  }

  /** True: it is in the window now. An entry that had to give way is passed to `dropped`. */
  insert(entry: Entry, dropped?: (entry: Entry) => void): boolean {
    if (!this.#isWithin(entry)) {
      if (!this.complete) return false;
      if (this.length >= this.#max) {
        this.complete = false;
        return false;
      }
      this.#entries.push(entry);
      this.#reach = entry;
      return true;
    }
    this.#entries.splice(this.#find(entry), 0, entry);
    if (this.length > this.#max) {
      this.complete = false;
      const cut = this.#read(this.#entries.length - 1)!;
      this.#entries.pop();
      this.#reach = this.#read(this.#entries.length - 1);
      dropped?.(cut);
      return cut !== entry;
    }
    return true;
  }

  remove(entry: Entry): boolean {
    // Mostly it is the first: lines are left at their head.
    if (this.length > 0 && this.#compare(this.at(0)!, entry) === 0) this.#start++;
    else {
      const index = this.#find(entry);
      const found = this.#read(index);
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
    return this.complete || this.#isWithin(entry);
  }

  /** What follows `reach`, in order. */
  refill(entries: readonly (Entry | Unread<Entry>)[], complete: boolean): void {
    for (const entry of entries) this.#entries.push(entry);
    if (entries.length > 0) this.#reach = this.#read(this.#entries.length - 1);
    this.complete = complete;
  }

  #isWithin(entry: Entry): boolean {
    return this.#reach !== undefined && this.#compare(entry, this.#reach) <= 0;
  }

  #find(entry: Entry): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#read(middle)!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #read(index: number): Entry | undefined {
    const entry = this.#entries[index];
    if (!(entry instanceof Unread)) return entry;
    const read = entry.read();
    this.#entries[index] = read;
    return read;
  }
}
