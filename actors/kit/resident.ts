import { isRowOf, type Rows, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { Store } from "./resource.ts";

/** Records that are all in memory with their entity: few, or the one that the entity is. By id, unless `keyOf` says otherwise. */
export class Resident<Value extends { readonly id: string }> implements Store<Value, Map<string, Value>> {
  readonly filters = [];
  readonly resident: Rows<Value>;
  readonly #keyOf: (value: Value) => string;

  constructor(name: string, keyOf: (value: Value) => string = ({ id }) => id) {
    this.resident = rowsOf(name);
    this.#keyOf = keyOf;
  }

  restore(held: Map<string, Value>, row: StoredRow): boolean {
    if (!isRowOf(row, this.resident)) return false;
    held.set(row.key[0], row.value);
    return true;
  }

  find(held: Map<string, Value>, key: string): Value | null {
    return held.get(key) ?? null;
  }

  conflict(): undefined {}

  put(held: Map<string, Value>, _before: Value | null, after: Value, rows: RowWriter): void {
    held.set(this.#keyOf(after), after);
    rows.put<string>(this.resident, [this.#keyOf(after)], after);
  }

  remove(held: Map<string, Value>, value: Value, rows: RowWriter): void {
    held.delete(this.#keyOf(value));
    rows.delete<string>(this.resident, [this.#keyOf(value)]);
  }

  clear(held: Map<string, Value>, rows: RowWriter): void {
    held.clear();
    rows.deletePrefix(this.resident, []);
  }

  total(held: Map<string, Value>): number {
    return held.size;
  }
}
