/** Values shared by all threads: what readers, writers and the health check need to see at once. */
export class Status {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer = new SharedArrayBuffer(20)) {
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

  /** Pages of the tables' file that no row uses. The file never becomes shorter; writes reuse these pages. */
  get tablesFreePages(): number {
    return Atomics.load(this.#words, 1);
  }

  set tablesFreePages(pages: number) {
    Atomics.store(this.#words, 1, pages);
  }

  /** One of the three below. */
  get full(): boolean {
    return this.journalFull || this.tablesFull || this.reserveInUse;
  }

  /** The last append met a full disk. */
  get journalFull(): boolean {
    return Atomics.load(this.#words, 2) !== 0;
  }

  set journalFull(full: boolean) {
    Atomics.store(this.#words, 2, Number(full));
  }

  /** The last transaction of the tables did not find the room it needs. */
  get tablesFull(): boolean {
    return Atomics.load(this.#words, 3) !== 0;
  }

  set tablesFull(full: boolean) {
    Atomics.store(this.#words, 3, Number(full));
  }

  /** The reserve was removed for writes that make room, and does not exist again yet. */
  get reserveInUse(): boolean {
    return Atomics.load(this.#words, 4) !== 0;
  }

  set reserveInUse(inUse: boolean) {
    Atomics.store(this.#words, 4, Number(inUse));
  }
}
