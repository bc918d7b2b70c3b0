import { Fifo } from "../fifo.ts";
import type { Cell } from "../shard/cell.ts";

/** What a thread keeps of one tenant while it has cells of it: what waits, and which cells are ready to run. */
export interface TenantShare {
  readonly tenant: string;
  depth: number;
  bytes: number;
  /** Commands that wait inside its entities, and what they carry. */
  readonly waiting: { count: number; bytes: number };
  cells: number;
  readonly ready: Fifo<Cell>;
}

/** The tenants of a thread; one without cells is forgotten. */
export class Tenants {
  readonly #shares = new Map<string, TenantShare>();

  enter(tenant: string): TenantShare {
    let share = this.#shares.get(tenant);
    if (share === undefined) {
      share = { tenant, depth: 0, bytes: 0, waiting: { count: 0, bytes: 0 }, cells: 0, ready: new Fifo() };
      this.#shares.set(tenant, share);
    }
    share.cells++;
    return share;
  }

  leave(share: TenantShare): void {
    if (--share.cells === 0) this.#shares.delete(share.tenant);
  }
}
