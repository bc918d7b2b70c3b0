/** Open connections of the process: every thread counts its own, and each looks at the sum. */
export class ConnectionCount {
  readonly #max: number;
  readonly #counts: Int32Array;
  readonly #own: number;

  /** `counts` is shared by all threads; a thread that replaces another begins at 0 in its place. */
  constructor(options: { max: number; counts: SharedArrayBuffer; own: number }) {
    this.#max = options.max;
    this.#counts = new Int32Array(options.counts);
    this.#own = options.own;
    Atomics.store(this.#counts, this.#own, 0);
  }

  get own(): number {
    return Atomics.load(this.#counts, this.#own);
  }

  /** False: there are as many as may be; this one is to be closed at once, and is counted nevertheless until it is. */
  open(): boolean {
    Atomics.add(this.#counts, this.#own, 1);
    let all = 0;
    for (let thread = 0; thread < this.#counts.length; thread++) all += Atomics.load(this.#counts, thread);
    return all <= this.#max;
  }

  close(): void {
    Atomics.sub(this.#counts, this.#own, 1);
  }
}
