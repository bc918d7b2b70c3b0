/** Values shared by all threads: what readers, writers and the health check need to see at once. */
export class Status {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** Counts committed transactions of the tables, so that a reader knows when its snapshot is old. */
  get tablesVersion(): number {
    return Atomics.load(this.#words, 0);
  }

  tablesChanged(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** One of the three below. */
  get full(): boolean {
    return Atomics.load(this.#words, 1) !== 0;
  }

  /** The last append met a full disk. */
  get journalFull(): boolean {
    return this.#has(journalFullBit);
  }

  set journalFull(full: boolean) {
    this.#set(journalFullBit, full);
  }

  /** The last transaction of the tables did not find the room it needs. */
  get tablesFull(): boolean {
    return this.#has(tablesFullBit);
  }

  set tablesFull(full: boolean) {
    this.#set(tablesFullBit, full);
  }

  /** The reserve was removed for writes that make room, and does not exist again yet. */
  get reserveInUse(): boolean {
    return this.#has(reserveInUseBit);
  }

  set reserveInUse(inUse: boolean) {
    this.#set(reserveInUseBit, inUse);
  }

  /** Pages of the tables' file that no row uses. The file never becomes shorter; writes reuse these pages. */
  get tablesFreePages(): number {
    return Atomics.load(this.#words, 2);
  }

  set tablesFreePages(pages: number) {
    Atomics.store(this.#words, 2, pages);
  }

  #has(bit: number): boolean {
    return (Atomics.load(this.#words, 1) & bit) !== 0;
  }

  #set(bit: number, value: boolean): void {
    if (this.#has(bit) === value) return;
    if (value) Atomics.or(this.#words, 1, bit);
    else Atomics.and(this.#words, 1, ~bit);
  }
}

const journalFullBit = 1;
const tablesFullBit = 2;
const reserveInUseBit = 4;
