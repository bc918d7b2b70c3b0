import { assert, limits, type Refusal } from "#base";
import {
  type Caller,
  type Context,
  isRowOf,
  type Range,
  type RowKey,
  type RowRef,
  type Rows,
  type RowWriter,
  rowsOf,
  type StoredRow,
} from "#runtime";
import { isInMode } from "./environment.ts";
import { type Bounds, cursorOf, type Found, type List, type Page, type PageRequest, pageOf } from "./list.ts";
import { type AskedText, TextIndex } from "./text-index.ts";

export interface CollectionSpec<Value> {
  /** Part of the names of its rows. Absent: the entity has no other collection. */
  readonly name?: string;
  /**
   * Fields of a value that lists filter by, at most `collectionFiltersMax`. For fields with few values: a list reads the first
   * rows of every combination that its filter lets through. They and unique texts are keys of rows: the contract bounds them.
   */
  readonly filters: readonly string[];
  /** By id: oldest or newest first. */
  readonly order?: Order;
  /** What no two values share: the collection that has its rows, and the text that must be unique. */
  readonly unique?: Readonly<Record<string, (value: Value) => string>>;
  /** What lists find values by, whole or by its beginning: the collection that has its rows, and the text. */
  readonly text?: { readonly name: string; readonly of: (value: Value) => string };
}

export type Order = "ascending" | "descending";
export type Filter = Readonly<Record<string, string | number | boolean | undefined>>;

/** How many values each combination of filter fields has; in memory with the entity. */
export type Counts = Map<string, { readonly group: Group; count: number }>;

/** Values that no filter tells apart: their filter fields in order, flags as 1 and 0. */
type Group = readonly (string | number)[];

/**
 * The rows of one kind that an entity has, however many: only their counters are in memory.
 *
 * 1. Counters equal the rows: for every filter, `total` is the number of values that a walk returns.
 * 2. A walk over the pages returns every value that was there throughout once, in order of id.
 * 3. A cursor opens only the list it was made for.
 */
export class Collection<Value extends { readonly id: string }> {
  readonly filters: readonly string[];
  /** For `resident` of the entity. */
  readonly countsName: Rows<number, Group>;
  readonly resident: string;
  readonly #spec: CollectionSpec<Value>;
  readonly #entries: Rows<Value>;
  readonly #index: Rows<Value, RowKey>;
  readonly #unique: readonly Unique<Value>[];
  readonly #texts: TextIndex<Value> | undefined;

  constructor(spec: CollectionSpec<Value>) {
    assert(
      spec.filters.length <= limits.collectionFiltersMax,
      `a list has at most ${limits.collectionFiltersMax} filters`,
    );
    const prefix = spec.name === undefined ? "" : `${spec.name}.`;
    this.filters = spec.filters;
    this.countsName = rowsOf(`${prefix}counts`);
    this.resident = this.countsName;
    this.#spec = spec;
    this.#entries = rowsOf(`${prefix}entries`);
    this.#index = rowsOf(`${prefix}index`);
    this.#unique = Object.entries(spec.unique ?? {}).map(([name, of]) => ({
      rows: rowsOf(`${prefix}${name}`),
      of,
    }));
    this.#texts = spec.text && new TextIndex(`${prefix}${spec.text.name}`, spec.text.of);
  }

  /** False where the row is of another collection. */
  restore(counts: Counts, row: StoredRow): boolean {
    if (!isRowOf(row, this.countsName)) return false;
    const { key: group, value: count } = row;
    counts.set(JSON.stringify(group), { group, count });
    return true;
  }

  get(id: string, context: Context): Value | null {
    return context.get(this.#entries, [id]);
  }

  /** For `prefetch`. */
  ref(id: string): RowRef {
    return { collection: this.#entries, key: [id] };
  }

  find(_counts: Counts, id: string, context: Context): Value | null {
    return this.get(id, context);
  }

  getMany(ids: readonly string[], context: Context): readonly (Value | null)[] {
    return context.getMany(
      this.#entries,
      ids.map((id): [string] => [id]),
    );
  }

  /** The name of the unique text that another value has. */
  conflict(value: Value, context: Context): { readonly taken: string } | undefined {
    context.prefetch(this.#unique.map(({ rows, of }) => ({ collection: rows, key: [of(value)] })));
    for (const { rows, of } of this.#unique) {
      const owner = context.get(rows, [of(value)]);
      if (owner !== null && owner !== value.id) return { taken: rows };
    }
    return undefined;
  }

  /** The id of the value that has this unique text. */
  ownerOf(name: string, text: string, context: Context): string | null {
    return context.get(this.#uniqueRows(name), [text]);
  }

  /** For `prefetch`. */
  ownerRef(name: string, text: string): RowRef {
    return { collection: this.#uniqueRows(name), key: [text] };
  }

  #uniqueRows(name: string): Rows<string> {
    return this.#unique.find((unique) => unique.rows.endsWith(name))!.rows;
  }

  /** `before`: the value as it is stored, `null` for a new one. */
  put(counts: Counts, before: Value | null, after: Value, rows: RowWriter): void {
    const group = this.#groupOf(after);
    const old = before && this.#groupOf(before);
    const moved = old === null || JSON.stringify(old) !== JSON.stringify(group);
    if (old && moved) this.#leave(counts, old, after.id, rows);
    rows.put(this.#entries, [after.id], after);
    if (this.filters.length > 0) rows.put(this.#index, [...group, after.id], after);
    if (moved) this.#count(counts, group, 1, rows);
    this.#texts?.put(before, after, rows);
    for (const { rows: name, of } of this.#unique) {
      if (before && of(before) === of(after)) continue;
      if (before) rows.delete(name, [of(before)]);
      rows.put(name, [of(after)], after.id);
    }
  }

  remove(counts: Counts, value: Value, rows: RowWriter): void {
    rows.delete(this.#entries, [value.id]);
    this.#leave(counts, this.#groupOf(value), value.id, rows);
    this.#texts?.remove(value, rows);
    for (const { rows: name, of } of this.#unique) rows.delete(name, [of(value)]);
  }

  /** The first ones after an id, without a check of who may see them. */
  some(limit: number, after: string | undefined, context: Context): readonly Value[] {
    return context.scan(this.#entries, this.#range([], after, limit)).map(({ value }) => value);
  }

  /** Removes all there is. */
  clear(counts: Counts, rows: RowWriter): void {
    const further = [...this.#unique, ...(this.#texts ? [this.#texts] : [])].map((one) => one.rows);
    for (const name of [this.#entries, this.#index, this.countsName, ...further]) rows.deletePrefix(name, []);
    counts.clear();
  }

  /** One page for this caller. A collection with the filter field `environment` shows what the caller may see. */
  page<Shown>(
    counts: Counts,
    { request, filter = {} }: { readonly request: PageRequest; readonly filter?: Filter },
    show: (value: Value) => Shown,
    context: Context,
  ): Page<Shown> | Refusal {
    const read = ({ after, limit }: Bounds) =>
      this.after(counts, filter, context, after?.[0] as string | undefined, limit);
    return pageOf(request, { ...byIdIn(this.#scopeOf(filter, context)), read }, show);
  }

  /** As `page`, of the values with this text: in order of the text, then of the id. Their number is not known. */
  pageByText<Shown>(
    { request, filter = {}, asked }: TextPage,
    show: (value: Value) => Shown,
    context: Context,
  ): Page<Shown> | Refusal {
    const texts = this.#texts!;
    const list: List<Value> = {
      scope: this.#scopeOf(filter, context, asked),
      shape: ["string", "string"],
      positionOf: (value) => texts.keyOf(value),
    };
    const read = (bounds: Bounds) => this.#withText(asked, bounds, filter, context);
    return pageOf(request, { ...list, read }, show);
  }

  /** The first one with this text. */
  firstByText(text: string, filter: Filter, context: Context): Value | undefined {
    const asked = { text, whole: true };
    let found = this.#withText(asked, { limit: 1 }, filter, context);
    while (found.values.length === 0 && found.end !== undefined)
      found = this.#withText(asked, { after: found.end, limit: 1 }, filter, context);
    return found.values[0];
  }

  #withText(
    asked: AskedText,
    bounds: Pick<Bounds, "after" | "limit">,
    filter: Filter,
    context: Context,
  ): Found<Value> {
    const passes = (value: Value) => this.#passes(this.#groupOf(value), filter, context.caller);
    return this.#texts!.find(asked, bounds, passes, context);
  }

  /** The cursor of a page that was cut after this value, whatever has come or gone since. */
  cursorAfter(value: Value, filter: Filter, context: Context, asked?: AskedText): string {
    const position = asked === undefined ? [value.id] : this.#texts!.keyOf(value);
    return cursorOf(this.#scopeOf(filter, context, asked), [...position, 0]);
  }

  /** Up to `limit` values that come after an id, with the number of all. */
  after(
    counts: Counts,
    filter: Filter,
    context: Context,
    id: string | undefined,
    limit: number,
  ): { readonly values: readonly Value[]; readonly total: number } {
    const groups = [...counts.values()].filter(({ group }) => this.#passes(group, filter, context.caller));
    const values = this.#isWhole(filter, context.caller)
      ? [...this.some(limit, id, context)]
      : this.#valuesIn(groups, id, limit, context);
    values.sort(byId(this.#spec.order));
    return { values: values.slice(0, limit), total: groups.reduce((sum, { count }) => sum + count, 0) };
  }

  #valuesIn(
    groups: readonly { readonly group: Group }[],
    id: string | undefined,
    limit: number,
    context: Context,
  ): Value[] {
    const ranges = groups.map(({ group }) => this.#range(group, id, limit));
    context.prefetch(ranges.map((range) => ({ ...range, collection: this.#index })));
    return ranges.flatMap((range) => context.scan(this.#index, range).map(({ value }) => value));
  }

  /** Of all environments. */
  total(counts: Counts, filter: Filter = {}): number {
    let total = 0;
    for (const { group, count } of counts.values()) if (this.#fits(group, filter)) total += count;
    return total;
  }

  #range(prefix: Group, after: string | undefined, limit: number): Range {
    const range = { ...(prefix.length > 0 && { prefix }), limit };
    if (this.#spec.order === "descending")
      return { ...range, reverse: true, ...(after !== undefined && { to: [...prefix, after] }) };
    // The smallest key after this id.
    return { ...range, ...(after !== undefined && { from: [...prefix, `${after}\u0000`] }) };
  }

  #groupOf(value: Value): Group {
    const fields = value as Readonly<Record<string, unknown>>;
    return this.filters.map((name) => partOf(fields[name] as string | number | boolean));
  }

  #isWhole(filter: Filter, caller: Caller | undefined): boolean {
    if (this.filters.some((name) => filter[name] !== undefined)) return false;
    return (
      !this.filters.includes("environment") ||
      (headerOf(caller) === undefined && modeOf(caller) === undefined)
    );
  }

  #passes(group: Group, filter: Filter, caller: Caller | undefined): boolean {
    const environment = this.filters.indexOf("environment");
    return this.#fits(group, filter) && (environment < 0 || isVisible(String(group[environment]), caller));
  }

  #fits(group: Group, filter: Filter): boolean {
    return this.filters.every((name, index) => {
      const asked = filter[name];
      return asked === undefined || partOf(asked) === group[index];
    });
  }

  #scopeOf(filter: Filter, { address, caller }: Context, text?: AskedText): readonly unknown[] {
    const { name, order } = this.#spec;
    const list = name === undefined ? [address.key] : [address.key, name];
    const asked = this.filters.map((field) => filter[field]);
    const sorted = text ?? (order === "descending" ? "id descending" : "id");
    return [address.tenant, ...list, ...asked, headerOf(caller), modeOf(caller), sorted];
  }

  #leave(counts: Counts, group: Group, id: string, rows: RowWriter): void {
    if (this.filters.length > 0) rows.delete(this.#index, [...group, id]);
    this.#count(counts, group, -1, rows);
  }

  #count(counts: Counts, group: Group, change: 1 | -1, rows: RowWriter): void {
    const key = JSON.stringify(group);
    const counted = counts.get(key) ?? { group, count: 0 };
    counted.count += change;
    if (counted.count === 0) {
      counts.delete(key);
      rows.delete(this.countsName, group);
    } else {
      counts.set(key, counted);
      rows.put(this.countsName, group, counted.count);
    }
  }
}

interface TextPage {
  readonly request: PageRequest;
  readonly filter?: Filter;
  readonly asked: AskedText;
}

interface Unique<Value> {
  readonly rows: Rows<string>;
  readonly of: (value: Value) => string;
}

/** A list in order of id. */
export function byIdIn<Value extends { readonly id: string }>(scope: List<Value>["scope"]): List<Value> {
  return { scope, shape: ["string"], positionOf: ({ id }) => [id] };
}

export function byId(order: Order = "ascending"): (a: { id: string }, b: { id: string }) => number {
  const sign = order === "ascending" ? 1 : -1;
  return (a, b) => (a.id === b.id ? 0 : a.id < b.id ? -sign : sign);
}

function partOf(value: string | number | boolean): string | number {
  return typeof value === "boolean" ? Number(value) : value;
}

function headerOf(caller: Caller | undefined): string | undefined {
  return caller?.environment;
}

/** A principal bound to one side of the environments lists that side only. */
function modeOf(caller: Caller | undefined): Caller["environmentMode"] | undefined {
  return caller === undefined || caller.environmentMode === "any" ? undefined : caller.environmentMode;
}

function isVisible(environment: string, caller: Caller | undefined): boolean {
  const header = headerOf(caller);
  return (header === undefined || header === environment) && isInMode(environment, modeOf(caller) ?? "any");
}
