import { limits } from "#base";
import type { RangeRef, StoredRow } from "#runtime";
import type { Draft } from "./draft.ts";
import { type Item, isWaiting } from "./item.ts";
import { fromRow } from "./item-row.ts";

/**
 * The item that has waited longest. Leased items are in the same collection, up to a hundred thousand of them before the
 * first that waits: it is looked for once, and followed from there on. Only in memory, found again after a restart.
 */
export class Oldest {
  /** Nobody with a smaller id waits. */
  #id = "";
  /** 0: it has to be looked for, from its id on. */
  #createdAt = 0;

  get id(): string {
    return this.#id;
  }

  get createdAt(): number {
    return this.#createdAt;
  }

  found({ id, createdAt }: Item): void {
    this.#id = id;
    this.#createdAt = createdAt;
  }

  /** Call with every change of an item. */
  follow(item: Item, waits: boolean): void {
    if (item.id > this.#id) return;
    if (waits) this.found(item);
    else if (item.id === this.#id) this.#createdAt = 0;
  }
}

/** When the oldest item that waits was made; 0 where none does, or where rows have to be read first. */
export function oldestCreatedAt(draft: Draft): number {
  const { counts, oldest } = draft.state;
  if (counts.scheduled + counts.ready + counts.retry_wait === 0) return 0;
  return oldest.createdAt || (oldestWaiting(draft, 1)[0]?.createdAt ?? 0);
}

/** Items that wait, oldest first. Ids are in order of creation, and only live items are in this collection. */
export function oldestWaiting(draft: Draft, most: number): Item[] {
  const { state, context } = draft;
  if (state.counts.scheduled + state.counts.ready + state.counts.retry_wait === 0) return [];
  const found: Item[] = [];
  let from = state.oldest.id;
  for (let look = limits.queueWindowRefill; ; look *= 4) {
    const ref: RangeRef = {
      collection: "item",
      prefix: [],
      ...(from && { from: [from] }),
      limit: Math.min(limits.queueScanMax, most + Math.min(look, state.leases.size)),
    };
    const rows: readonly StoredRow[] | undefined = context.range(ref);
    if (rows === undefined) {
      draft.missing.push(ref);
      return found;
    }
    for (const row of rows) {
      const id = row.key[0] as string;
      const item = state.leases.get(id) ?? state.recent.find(id) ?? fromRow(row.value);
      if (!isWaiting(item.state)) continue;
      if (found.push(item) === most) break;
    }
    if (found.length === most || rows.length < ref.limit) break;
    from = `${rows.at(-1)!.key[0]}\0`;
  }
  if (found.length > 0) state.oldest.found(found[0]!);
  return found;
}
