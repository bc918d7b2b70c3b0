/** What a client sends on a stream: written from outside, read by the handler as it comes. */
export class Frames implements AsyncIterable<unknown> {
  readonly #waiting: unknown[] = [];
  #ended = false;
  #arrived: () => void = () => {};

  send(...frames: readonly unknown[]): void {
    this.#waiting.push(...frames);
    this.#arrived();
  }

  end(): void {
    this.#ended = true;
    this.#arrived();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<unknown> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }
}
