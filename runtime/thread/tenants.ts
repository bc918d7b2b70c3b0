import { Fifo } from "../fifo.ts";
import type { TenantShare } from "../shard/cell.ts";
import { Waiting } from "../shard/waiting.ts";

/** The tenants of a thread; one without cells is forgotten. */
export class Tenants {
  readonly #shares = new Map<string, TenantShare>();

  enter(tenant: string): TenantShare {
    let share = this.#shares.get(tenant);
    if (share === undefined) {
      share = { tenant, depth: 0, bytes: 0, waiting: new Waiting(), cells: 0, ready: new Fifo() };
      this.#shares.set(tenant, share);
    }
    share.cells++;
    return share;
  }

  leave(share: TenantShare): void {
    if (--share.cells === 0) this.#shares.delete(share.tenant);
  }
}
