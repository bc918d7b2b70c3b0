import { Fifo } from "../fifo.ts";
import type { Cell, TenantShare } from "../shard/cell.ts";

/** Cells with messages or timers that may run while a tenant waits: then it comes next, however many there are. */
const systemInARowMax = 8;

/** Which cell runs next: those with messages or timers first, then the tenants in turn, however much one of them has waiting. */
export class RunQueue {
  readonly #system = new Fifo<Cell>();
  readonly #tenants = new Fifo<TenantShare>();
  #systemInARow = 0;

  get empty(): boolean {
    return this.#system.length === 0 && this.#tenants.length === 0;
  }

  push(cell: Cell): void {
    if (cell.scheduled) return;
    cell.scheduled = true;
    const first = cell.system.peek();
    // What a caller asks, and has its rows now, still waits with its tenant's.
    if (first !== undefined && first.origin.type !== "ask") {
      this.#system.push(cell);
      return;
    }
    const { share } = cell;
    if (share.ready.length === 0) this.#tenants.push(share);
    share.ready.push(cell);
  }

  shift(): Cell | undefined {
    const cell = this.#nextOfSystem() ?? this.#nextOfTenants();
    if (cell !== undefined) cell.scheduled = false;
    return cell;
  }

  #nextOfSystem(): Cell | undefined {
    if (this.#tenants.length > 0 && ++this.#systemInARow > systemInARowMax) return undefined;
    return this.#system.shift();
  }

  #nextOfTenants(): Cell | undefined {
    this.#systemInARow = 0;
    const share = this.#tenants.shift();
    if (share === undefined) return undefined;
    const cell = share.ready.shift();
    if (share.ready.length > 0) this.#tenants.push(share);
    return cell;
  }
}
