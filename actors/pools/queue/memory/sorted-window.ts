/** Rows that were brought, in order; from `next` on they are not read yet, and only those are kept. */
interface Unread<Row, Entry> {
  readonly rows: (Row | undefined)[];
  readonly read: (row: Row) => Entry;
  next: number;
}

/** A reader of an entry mostly reads the next ones too, and several at once are read in half the time. */
const runLength = 16;

/**
 * The first entries of an ordered collection of rows, bounded. Everything up to `reach` is here; `complete` says that
 * nothing comes after it. What lies beyond is only in the rows until `refill` brings it. Hundreds come at once and are
 * looked at a few at a time: until then they stay what they came as.
 */
export class SortedWindow<Entry> {
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #max: number;
  #entries: (Entry | undefined)[] = [];
  /** Entries before this index were removed; they are cut off now and then. */
  #start = 0;
  /** What follows the entries. */
  readonly #unread: Unread<unknown, Entry>[] = [];
  #unreadCount = 0;
  #reach: Entry | undefined;
  complete: boolean;

  constructor(compare: (a: Entry, b: Entry) => number, max: number, complete: boolean) {
    this.#compare = compare;
    this.#max = max;
    this.complete = complete;
  }

  get length(): number {
    return this.#entries.length - this.#start + this.#unreadCount;
  }

  at(index: number): Entry | undefined {
    const place = this.#start + index;
    while (place >= this.#entries.length && this.#unreadCount > 0) this.#readRun();
    return this.#entries[place];
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
      this.#readPast(entry);
      this.#entries.push(entry);
      this.#reach = entry;
      return true;
    }
    this.#entries.splice(this.#find(entry), 0, entry);
    if (this.length > this.#max) {
      this.complete = false;
      const cut = this.at(this.length - 1)!;
      this.#entries.pop();
      this.#reach = this.#entries.at(-1);
      dropped?.(cut);
      return cut !== entry;
    }
    return true;
  }

  remove(entry: Entry): boolean {
    if (!this.#isWithin(entry)) return false;
    // Mostly it is the first: lines are left at their head.
    if (this.length > 0 && this.#compare(this.at(0)!, entry) === 0)
      // Nothing is kept of it: what outlives a collection of garbage by chance costs as if it were there to stay.
      this.#entries[this.#start++] = undefined;
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
    return this.complete || this.#isWithin(entry);
  }

  /** What follows `reach`, in order. */
  refill<Row>(rows: readonly Row[], read: (row: Row) => Entry, complete: boolean): void {
    this.complete = complete;
    if (rows.length === 0) return;
    this.#unread.push({ rows: [...rows], read, next: 0 } as Unread<unknown, Entry>);
    this.#unreadCount += rows.length;
    this.#reach = read(rows.at(-1)!);
  }

  #isWithin(entry: Entry): boolean {
    return this.#reach !== undefined && this.#compare(entry, this.#reach) <= 0;
  }

  #find(entry: Entry): number {
    this.#readPast(entry);
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#entries[middle]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Reads as far as an entry could stand. */
  #readPast(entry: Entry): void {
    while (this.#unreadCount > 0) {
      const last = this.#entries.at(-1);
      if (last !== undefined && this.#compare(last, entry) > 0) return;
      this.#readRun();
    }
  }

  #readRun(): void {
    const unread = this.#unread[0]!;
    const { rows, read } = unread;
    const end = Math.min(unread.next + runLength, rows.length);
    this.#unreadCount -= end - unread.next;
    for (; unread.next < end; unread.next++) {
      this.#entries.push(read(rows[unread.next]));
      rows[unread.next] = undefined;
    }
    if (end === rows.length) this.#unread.shift();
  }
}
