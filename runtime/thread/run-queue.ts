import { Fifo } from "../fifo.ts";
import type { Cell, TenantShare } from "../shard/cell.ts";

/** Cells with messages or timers that may run while a tenant waits: then it has its turn, however many there are. */
const systemTurnsMax = 8;

/** Which cell runs next: those with messages or timers first, then the tenants in turn, however much one of them has waiting. */
export class RunQueue {
  readonly #system = new Fifo<Cell>();
  readonly #turns = new Fifo<TenantShare>();
  #systemTurns = 0;

  get empty(): boolean {
    return this.#system.length === 0 && this.#turns.length === 0;
  }

  push(cell: Cell): void {
    if (cell.scheduled) return;
    cell.scheduled = true;
    const first = cell.system.peek();
    // What a caller asks, and has its rows now, is still in its tenant's turn.
    if (first !== undefined && first.origin.type !== "ask") {
      this.#system.push(cell);
      return;
    }
    const { share } = cell;
    if (share.ready.length === 0) this.#turns.push(share);
    share.ready.push(cell);
  }

  shift(): Cell | undefined {
    const cell = this.#nextOfSystem() ?? this.#nextOfTenants();
    if (cell !== undefined) cell.scheduled = false;
    return cell;
  }

  #nextOfSystem(): Cell | undefined {
    if (this.#turns.length > 0 && ++this.#systemTurns > systemTurnsMax) return undefined;
    return this.#system.shift();
  }

  #nextOfTenants(): Cell | undefined {
    this.#systemTurns = 0;
    const share = this.#turns.shift();
    if (share === undefined) return undefined;
    const cell = share.ready.shift();
    if (share.ready.length > 0) this.#turns.push(share);
    return cell;
  }
}
