import type { Requirements } from "../../eligibility.ts";

/** What an item asks of its recipient, folded once at enqueue: items that ask the same are one class. */
export interface ClassSpec {
  readonly no: number;
  readonly requirements: Requirements;
}

interface Entry {
  readonly spec: ClassSpec;
  readonly key: string;
  /** Items that are not over; a class without any is forgotten. */
  items: number;
}

/** The live classes of a queue. Class 0 asks for nothing and is always there. */
export class Classes {
  readonly #byNo = new Map<number, Entry>();
  readonly #byKey = new Map<string, number>();
  /** As they were stored; absent until they are read. */
  #restored: Map<number, number> | undefined;

  constructor() {
    this.put({ no: 0, requirements: { restrictions: [], preferences: [] } });
  }

  get size(): number {
    return this.#byNo.size;
  }

  /** The number of the class that asks exactly this, or `undefined`. */
  find(requirements: Requirements): number | undefined {
    return this.#byKey.get(classKey(requirements));
  }

  get(no: number): ClassSpec | undefined {
    return this.#byNo.get(no)?.spec;
  }

  /** The smallest number that is not taken. */
  nextNo(alsoTaken: readonly number[]): number {
    let no = 1;
    while (this.#byNo.has(no) || alsoTaken.includes(no)) no++;
    return no;
  }

  put(spec: ClassSpec): void {
    const key = classKey(spec.requirements);
    const items = this.#byNo.get(spec.no)?.items ?? this.#restored?.get(spec.no) ?? 0;
    this.#byNo.set(spec.no, { spec, key, items });
    this.#byKey.set(key, spec.no);
  }

  /** True: it was the last item, and the class is gone. */
  count(no: number, by: number): boolean {
    const entry = this.#byNo.get(no);
    if (entry === undefined || no === 0) return false;
    entry.items += by;
    if (entry.items > 0) return false;
    this.#drop(no, entry);
    return true;
  }

  #drop(no: number, { key }: Entry): void {
    this.#restored?.delete(no);
    this.#byNo.delete(no);
    this.#byKey.delete(key);
  }

  *[Symbol.iterator](): IterableIterator<ClassSpec> {
    for (const { spec } of this.#byNo.values()) yield spec;
  }

  countsRow(): number[] {
    const row: number[] = [];
    for (const [no, { items }] of this.#byNo) if (no !== 0) row.push(no, items);
    return row;
  }

  /** Counts may come before or after the classes they belong to. */
  restoreCounts(row: readonly number[]): void {
    this.#restored = new Map();
    for (let i = 0; i < row.length; i += 2) this.#restored.set(row[i]!, row[i + 1]!);
    for (const entry of this.#byNo.values()) entry.items = this.#restored.get(entry.spec.no) ?? 0;
  }
}

function classKey(requirements: Requirements): string {
  return JSON.stringify(requirements, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
