import type { TuplePart } from "#base";
import type { Context } from "#runtime";

/**
 * A bounded part of a collection in memory. While all of it fits, a key that is not here is known to be absent and costs
 * no read; beyond that, keys are asked for one by one. Only what rows already say is kept, so anything may be forgotten.
 */
export class HotRows<Value> {
  readonly #collection: string;
  readonly #max: number;
  readonly #fromRow: (row: unknown) => Value;
  readonly #values = new Map<string, Value | null>();
  /** "all": what is not here does not exist; "unread": nothing has been read yet; "part": ask for each key. */
  #holds: "all" | "unread" | "part" = "all";

  constructor(collection: string, max: number, fromRow: (row: unknown) => Value = (row) => row as Value) {
    this.#collection = collection;
    this.#max = max;
    this.#fromRow = fromRow;
  }

  /** Keys in memory. */
  get size(): number {
    return this.#values.size;
  }

  /** There are rows that memory does not know. */
  forget(): void {
    this.#values.clear();
    this.#holds = "unread";
  }

  /** There is no row at all: then a key need not even be put together and hashed. */
  get isEmpty(): boolean {
    return this.#holds === "all" && this.#values.size === 0;
  }

  /** The value, `null` where there is none, `undefined` where it has to be read first: then the decision runs again. */
  get(key: string, context: Context): Value | null | undefined {
    if (this.#holds === "unread" && !this.#values.has(key) && !this.#readAll(context)) return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    return this.#holds === "all" ? null : this.#readOne(key, context);
  }

  peek(key: string): Value | null | undefined {
    const known = this.#values.get(key);
    return known === undefined && this.#holds === "all" ? null : known;
  }

  set(key: string, value: Value | null): void {
    if (value === null && this.#holds === "all") {
      this.#values.delete(key);
      return;
    }
    this.#values.set(key, value);
    if (this.#values.size <= this.#max) return;
    this.#dropFirst();
    this.#holds = "part";
  }

  #dropFirst(): void {
    this.#values.delete(this.#values.keys().next().value!);
  }

  #readAll(context: Context): boolean {
    const rows = context.range({ collection: this.#collection, limit: this.#max });
    if (rows === undefined) return false;
    for (const row of rows) {
      const key = textOf(row.key);
      if (!this.#values.has(key)) this.#values.set(key, this.#fromRow(row.value));
    }
    this.#holds = rows.length < this.#max ? "all" : "part";
    return true;
  }

  #readOne(key: string, context: Context): Value | null | undefined {
    const row = context.row({ collection: this.#collection, key: partsOf(key) });
    if (row === undefined) {
      // Room is made for it now and not when it comes: what a run of a command found, its answer has to find as well.
      if (this.#values.size >= this.#max) this.#dropFirst();
      return undefined;
    }
    const value = row === null ? null : this.#fromRow(row);
    this.#values.set(key, value);
    return value;
  }
}

/** Keys in memory are the parts of the row's key with a colon between the first and the rest. */
export function partsOf(key: string): TuplePart[] {
  const colon = key.indexOf(":");
  return [key.slice(0, colon), key.slice(colon + 1)];
}

function textOf(key: readonly TuplePart[]): string {
  return `${key[0]}:${key[1]}`;
}
