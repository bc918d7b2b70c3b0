/**
 * Bounds log lines of one kind: so many a second, then one that counts the rest. Under overload a line for every call would be
 * the next thing to wait for.
 */
export class LineLimit {
  readonly #perSecond: number;
  readonly #rest: (leftOut: number) => void;
  #lines = 0;
  #leftOut = 0;

  constructor(perSecond: number, rest: (leftOut: number) => void) {
    this.#perSecond = perSecond;
    this.#rest = rest;
  }

  /** Whether a line may be written now. */
  take(): boolean {
    if (this.#lines === 0) setTimeout(() => this.#endSecond(), 1_000).unref();
    if (this.#lines === this.#perSecond) {
      this.#leftOut++;
      return false;
    }
    this.#lines++;
    return true;
  }

  #endSecond(): void {
    if (this.#leftOut > 0) this.#rest(this.#leftOut);
    this.#lines = 0;
    this.#leftOut = 0;
  }
}
