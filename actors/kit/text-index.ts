import { limits } from "#base";
import { type Context, type Rows, type RowWriter, rowsOf } from "#runtime";
import type { Bounds, Found, Position } from "./list.ts";

/** A text, or what one begins with. */
export interface AskedText {
  readonly text: string;
  readonly whole: boolean;
}

/** The values of a collection by a text that several may share: in order of the text, then of the id. */
export class TextIndex<Value extends { readonly id: string }> {
  readonly rows: Rows<Value, readonly [text: string, id: string]>;
  readonly #textOf: (value: Value) => string;

  constructor(name: string, textOf: (value: Value) => string) {
    this.rows = rowsOf(name);
    this.#textOf = textOf;
  }

  put(before: Value | null, after: Value, rows: RowWriter): void {
    if (before && this.#textOf(before) !== this.#textOf(after)) this.remove(before, rows);
    rows.put(this.rows, this.keyOf(after), after);
  }

  remove(value: Value, rows: RowWriter): void {
    rows.delete(this.rows, this.keyOf(value));
  }

  keyOf(value: Value): readonly [string, string] {
    return [this.#textOf(value), value.id];
  }

  /** Values that pass, of one bounded look: where that ends before there are enough, the next page goes on from there. */
  find(
    { text, whole }: AskedText,
    { after, limit }: Pick<Bounds, "after" | "limit">,
    passes: (value: Value) => boolean,
    context: Context,
  ): Found<Value> {
    const looked = Math.max(limit, limits.collectionLookMax);
    const from = after === undefined ? [text] : [String(after[0]), `${after[1]}\0`];
    // The last code point: no name has it.
    const range = whole ? { prefix: [text] } : { to: [`${text}\u{10ffff}`] };
    const found = context.scan(this.rows, { ...range, from, limit: looked });
    const values = found.map(({ value }) => value).filter(passes);
    const end = found.length === looked ? (found.at(-1)!.key as Position) : undefined;
    return { values: values.slice(0, limit), ...(end && values.length < limit && { end }) };
  }
}
