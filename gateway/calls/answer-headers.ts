export type HeaderPair = readonly [name: string, value: string];

/** Headers of an answer, in the order they were set. A list: there are a handful, and a map costs more than searching it. */
export class AnswerHeaders implements Iterable<HeaderPair> {
  readonly pairs: HeaderPair[] = [];

  get(name: string): string | undefined {
    const at = this.#find(name);
    return at < 0 ? undefined : this.pairs[at]![1];
  }

  set(name: string, value: string): void {
    const at = this.#find(name);
    if (at < 0) this.pairs.push([name, value]);
    else this.pairs[at] = [name, value];
  }

  delete(name: string): void {
    const at = this.#find(name);
    if (at >= 0) this.pairs.splice(at, 1);
  }

  [Symbol.iterator](): Iterator<HeaderPair> {
    return this.pairs[Symbol.iterator]();
  }

  #find(name: string): number {
    for (let i = 0; i < this.pairs.length; i++) if (this.pairs[i]![0] === name) return i;
    return -1;
  }
}
