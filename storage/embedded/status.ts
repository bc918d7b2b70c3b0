/** Words shared by all threads: what readers and the health check need to see at once. */
export class Status {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer = new SharedArrayBuffer(12)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** Counts committed table transactions, so that a reader knows when its snapshot is old. */
  get tablesVersion(): number {
    return Atomics.load(this.#words, 0);
  }

  tablesChanged(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** The last append met a full disk. */
  get journalFull(): boolean {
    return Atomics.load(this.#words, 1) !== 0;
  }

  set journalFull(full: boolean) {
    this.#set(1, full);
  }

  /** The last table transaction did not find the room it needs. */
  get tablesFull(): boolean {
    return Atomics.load(this.#words, 2) !== 0;
  }

  set tablesFull(full: boolean) {
    this.#set(2, full);
  }

  #set(word: number, value: boolean): void {
    const next = value ? 1 : 0;
    if (Atomics.load(this.#words, word) !== next) Atomics.store(this.#words, word, next);
  }
}
