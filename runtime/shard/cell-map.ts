import type { Kind } from "../placement.ts";
import type { Cell } from "./cell.ts";

/**
 * The cells of a shard by kind, tenant and key. Looked up by the number that placement has already computed, so that
 * an ask builds no string; the few cells that share a number are chained.
 */
export class CellMap {
  readonly #chains = new Map<number, Cell>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(hash: number, kind: Kind, tenant: string, key: string): Cell | undefined {
    let cell = this.#chains.get(hash);
    while (cell !== undefined && (cell.key !== key || cell.tenant !== tenant || cell.family !== kind.family))
      cell = cell.next;
    return cell;
  }

  add(cell: Cell): void {
    cell.next = this.#chains.get(cell.hash);
    this.#chains.set(cell.hash, cell);
    this.#size++;
  }

  /** False: it was not there any more. */
  delete(cell: Cell): boolean {
    let before: Cell | undefined;
    for (let one = this.#chains.get(cell.hash); one !== undefined; before = one, one = one.next) {
      if (one !== cell) continue;
      if (before !== undefined) before.next = one.next;
      else if (one.next !== undefined) this.#chains.set(cell.hash, one.next);
      else this.#chains.delete(cell.hash);
      one.next = undefined;
      this.#size--;
      return true;
    }
    return false;
  }

  clear(): void {
    this.#chains.clear();
    this.#size = 0;
  }

  *values(): IterableIterator<Cell> {
    for (const first of this.#chains.values())
      for (let cell: Cell | undefined = first; cell !== undefined; cell = cell.next) yield cell;
  }
}
