/** Words shared by all threads: what readers and the health check need to see at once. */
export class Status {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer = new SharedArrayBuffer(8)) {
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

  /** The last write met a full disk. */
  get full(): boolean {
    return Atomics.load(this.#words, 1) !== 0;
  }

  set full(full: boolean) {
    if (this.full !== full) Atomics.store(this.#words, 1, full ? 1 : 0);
  }
}
