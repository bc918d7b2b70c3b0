/** Runs one task after the other; a task that fails does not keep the next. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks so far have ended. */
  async ended(): Promise<void> {
    await this.#last;
  }
}
