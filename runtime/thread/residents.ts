import type { Cell } from "../shard/cell.ts";
import type { Shard } from "../shard/shard.ts";
import type { RuntimeLimits } from "./limits.ts";

interface Resident {
  readonly shard: Shard;
  readonly cell: Cell;
  touchedMs: number;
}

/**
 * The cells in memory. Over the cap, the first one found idle that nobody used since the last round goes (a clock with
 * one second chance); after a while without use they all do. Nothing is lost: what they are is in their rows.
 */
export class Residents {
  readonly #limits: RuntimeLimits;
  readonly #all: Resident[] = [];
  #hand = 0;
  passivations = 0;

  constructor(limits: RuntimeLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.length;
  }

  add(shard: Shard, cell: Cell): void {
    if (cell.residentAt >= 0) return;
    cell.residentAt = this.#all.length;
    this.#all.push({ shard, cell, touchedMs: cell.touchedMs });
    if (this.#all.length > this.#limits.residentEntitiesMax) this.#makeRoom();
  }

  remove(cell: Cell): void {
    const at = cell.residentAt;
    if (at < 0) return;
    cell.residentAt = -1;
    const last = this.#all.pop()!;
    if (last.cell === cell) return;
    this.#all[at] = last;
    last.cell.residentAt = at;
  }

  /** Puts away what has not been used for long; looks at a part of the cells each time. Time is monotonic. */
  sweep(nowMs: number): void {
    const count = Math.min(this.#all.length, 1_000);
    for (let i = 0; i < count; i++) {
      if (this.#hand >= this.#all.length) this.#hand = 0;
      const resident = this.#all[this.#hand]!;
      if (nowMs - resident.cell.touchedMs >= this.#limits.entityIdleMs && this.#putAway(resident)) continue;
      this.#hand++;
    }
  }

  #makeRoom(): void {
    for (let tries = 0; tries < 64; tries++) {
      if (this.#hand >= this.#all.length) this.#hand = 0;
      const resident = this.#all[this.#hand]!;
      const used = resident.cell.touchedMs !== resident.touchedMs;
      resident.touchedMs = resident.cell.touchedMs;
      if (!used && this.#putAway(resident)) return;
      this.#hand++;
    }
  }

  #putAway({ shard, cell }: Resident): boolean {
    if (!cell.idle || cell.lastSeq > shard.commit.durableSeq) return false;
    this.remove(cell);
    shard.forget(cell);
    this.passivations++;
    return true;
  }
}
