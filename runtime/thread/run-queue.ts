import { Fifo } from "../fifo.ts";
import type { Cell } from "../shard/cell.ts";
import type { TenantShare } from "./tenants.ts";

/** Which cell runs next: those with messages or timers first, then the tenants in turn, whoever has much waiting. */
export class RunQueue {
  readonly #system = new Fifo<Cell>();
  readonly #turns = new Fifo<TenantShare>();

  get empty(): boolean {
    return this.#system.length === 0 && this.#turns.length === 0;
  }

  push(cell: Cell): void {
    if (cell.scheduled) return;
    cell.scheduled = true;
    if (cell.system.length > 0) {
      this.#system.push(cell);
      return;
    }
    const { share } = cell;
    if (share.ready.length === 0) this.#turns.push(share);
    share.ready.push(cell);
  }

  shift(): Cell | undefined {
    const cell = this.#system.shift() ?? this.#nextOfTenants();
    if (cell !== undefined) cell.scheduled = false;
    return cell;
  }

  #nextOfTenants(): Cell | undefined {
    const share = this.#turns.shift();
    if (share === undefined) return undefined;
    const cell = share.ready.shift();
    if (share.ready.length > 0) this.#turns.push(share);
    return cell;
  }
}
