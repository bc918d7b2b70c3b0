import { limits } from "#base";
import type { Context } from "#runtime";
import type { Place } from "../rows/change.ts";
import { type Item, isWaiting, itemRows } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { KnownItems } from "../rows/known-items.ts";
import { depthOf, type Stats } from "../rows/stats.ts";
import { SortedWindow } from "./sorted-window.ts";

type Entry = Pick<Item, "id" | "createdAt">;

/**
 * The items that have waited longest: the beginning of a range of rows, as the lines are. Leased items are in the same
 * collection, up to a hundred thousand of them before the first that waits: the one that is found is followed from there on.
 */
export class Oldest {
  readonly #window = new SortedWindow<Entry>(byId, limits.queueOldestMax, true);
  /** An item that waits and is not in the window has this id or a later one. */
  #beyond = afterAll;

  /** There are rows that memory does not know. */
  forget(): void {
    this.#window.complete = false;
    this.#beyond = "";
  }

  get first(): Entry | undefined {
    return this.#window.at(0);
  }

  get ids(): readonly string[] {
    return Array.from({ length: this.#window.length }, (_, index) => this.#window.at(index)!.id);
  }

  get beyond(): string {
    return this.#beyond;
  }

  /** Call with every change of an item. `from`: where it was, if it was anywhere. */
  follow(from: Place | null, item: Item, gone: boolean): void {
    const waited = from !== null && isWaiting(from.state);
    const waits = !gone && isWaiting(item.state);
    if (waited === waits) return;
    if (!waits) this.#window.remove(item);
    else if (!this.#window.insert(item, (cut) => this.#reachTo(cut.id))) this.#reachTo(item.id);
  }

  #reachTo(id: string): void {
    if (id < this.#beyond) this.#beyond = id;
  }

  /**
   * Brings the first of them into memory where none is there. This changes what memory holds, not what is true, so deciding may do it.
   */
  load(state: OldestState, context: Context): void {
    if (this.#window.length > 0 || this.#window.complete) return;
    const looked = lookFrom(state, context, this.#beyond, { least: 1, most: limits.queueOldestMax });
    this.#window.refill(looked.found, (item) => item, looked.end === afterAll);
    this.#beyond = looked.end;
  }
}

/** What a look for the oldest needs of a queue. */
interface OldestState extends KnownItems, Pick<Stats, "counts"> {
  readonly leases: KnownItems["leases"] & { readonly size: number };
  readonly oldest: Oldest;
}

/** Later than any id. */
const afterAll = "~";

function byId(a: Entry, b: Entry): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** When the oldest item that waits was made; 0 where none does. */
export function oldestCreatedAt(state: OldestState, context: Context): number {
  state.oldest.load(state, context);
  return state.oldest.first?.createdAt ?? 0;
}

/** Items that wait, oldest first. */
export function oldestWaiting(state: OldestState, context: Context, most: number): readonly Item[] {
  const { oldest } = state;
  if (depthOf(state) === 0) return [];
  return lookFrom(state, context, oldest.first?.id ?? oldest.beyond, { least: most, most }).found;
}

interface Looked {
  readonly found: readonly Item[];
  /** No other item that waits is before this. */
  readonly end: string;
}

/** Ids are in order of creation, and only live items are in this collection. */
function lookFrom(
  state: OldestState,
  context: Context,
  start: string,
  { least, most }: { least: number; most: number },
): Looked {
  const found: Item[] = [];
  let from = start;
  for (let look = limits.queueWindowRefill; ; look *= 4) {
    const limit = Math.min(limits.queueScanMax, most + Math.min(look, state.leases.size));
    const rows = context.scan(itemRows, { prefix: [], ...(from && { from: [from] }), limit });
    for (const row of rows) {
      const [id] = row.key;
      const item = state.leases.get(id) ?? state.recent.find(id) ?? fromRow(row.value);
      if (!isWaiting(item.state)) continue;
      if (found.push(item) === most) return { found, end: `${id}\0` };
    }
    if (rows.length < limit) return { found, end: afterAll };
    from = `${rows.at(-1)!.key[0]}\0`;
    if (found.length >= least) return { found, end: from };
  }
}
