/** An iterable that is written to from outside. */
export class Channel implements AsyncIterable<unknown> {
  readonly #waiting: unknown[] = [];
  #wake: () => void = () => {};
  #ended = false;

  send(...messages: readonly unknown[]): void {
    this.#waiting.push(...messages);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
