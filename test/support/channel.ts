/** An iterable that is written to from outside, with messages of any type. */
export class Channel implements AsyncIterable<never> {
  readonly #waiting: never[] = [];
  #wake: () => void = () => {};
  #ended = false;

  send(...messages: readonly unknown[]): void {
    this.#waiting.push(...(messages as never[]));
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<never> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
