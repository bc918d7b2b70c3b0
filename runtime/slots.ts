/**
 * Values by a number that is given out and taken back, the lowest free ones first used again. A map with as much coming
 * and going leaves a table behind each time it grows or shrinks; one that has grown old keeps what it held, and the next
 * table, until a full collection. So every call that passed would be copied by the collector twice.
 */
export class Slots<T> {
  #values: (T | undefined)[] = [];
  #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  add(value: T): number {
    const free = this.#free.pop();
    if (free === undefined) return this.#values.push(value);
    this.#values[free - 1] = value;
    return free;
  }

  get(number: number): T | undefined {
    return this.#values[number - 1];
  }

  take(number: number): T | undefined {
    const value = this.#values[number - 1];
    if (value === undefined) return undefined;
    this.#values[number - 1] = undefined;
    this.#free.push(number);
    return value;
  }

  takeAll(): T[] {
    const values = this.#values.filter((value) => value !== undefined);
    this.#values = [];
    this.#free = [];
    return values;
  }
}
