import { Fifo } from "../fifo.ts";
import type { Cell } from "../shard/cell.ts";
import type { Shard } from "../shard/shard.ts";

interface Ready {
  readonly shard: Shard;
  readonly cell: Cell;
}

interface TenantLane {
  readonly tenant: string;
  readonly ready: Fifo<Ready>;
}

/** Which cell runs next: those with messages or timers first, then the tenants in turn, whoever has much waiting. */
export class RunQueue {
  readonly #system = new Fifo<Ready>();
  readonly #lanes = new Map<string, TenantLane>();
  readonly #turns = new Fifo<TenantLane>();

  get empty(): boolean {
    return this.#system.length === 0 && this.#turns.length === 0;
  }

  push(shard: Shard, cell: Cell): void {
    if (cell.scheduled) return;
    cell.scheduled = true;
    if (cell.system.length > 0) {
      this.#system.push({ shard, cell });
      return;
    }
    let lane = this.#lanes.get(cell.tenant);
    if (lane === undefined) {
      lane = { tenant: cell.tenant, ready: new Fifo() };
      this.#lanes.set(cell.tenant, lane);
    }
    if (lane.ready.length === 0) this.#turns.push(lane);
    lane.ready.push({ shard, cell });
  }

  shift(): Ready | undefined {
    const system = this.#system.shift();
    if (system !== undefined) {
      system.cell.scheduled = false;
      return system;
    }
    const lane = this.#turns.shift();
    if (lane === undefined) return undefined;
    const next = lane.ready.shift()!;
    if (lane.ready.length > 0) this.#turns.push(lane);
    else this.#lanes.delete(lane.tenant);
    next.cell.scheduled = false;
    return next;
  }
}
