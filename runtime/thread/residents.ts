import type { Cell } from "../shard/cell.ts";
import type { Heap } from "../world.ts";
import type { RuntimeLimits } from "./limits.ts";

interface Resident {
  readonly cell: Cell;
  /** It is evicted after so long without use. */
  readonly restMs: number;
  touchedMs: number;
  /** Its estimated size when it was last looked at. */
  bytes: number;
}

/** Cells looked at when one is added, and once a second: few enough not to delay the commands. */
const triesAtOnce = 64;
const sweptAtOnce = 1_000;
/** Every resident is looked at within so many sweeps, however many there are. */
const sweepsPerRound = 30;
/** And so many for each that was added since the last sweep: those that rest soon go as fast as they come. */
const looksPerAdded = 4;
/**
 * From here on the heap is near its limit. V8 collects at the latest half way between what was alive and the limit, so
 * that a heap this full was at least half full of living objects after its last collection: it is not garbage only.
 */
const pressedShare = 0.75;
const relievedShare = 0.5;
/** What a sweep under pressure leaves of the residents. The garbage collection that shows it may come some sweeps later. */
const keptShare = 0.75;

/** Rows as objects, against the same rows as bytes. */
const objectsPerByte = 3;

/**
 * The cells in memory, bounded by number and by estimated bytes. Over a bound, idle cells that were not used since the
 * last round are evicted (a clock with one second chance); after a while without use they all are. While the heap is
 * near its limit the bound in bytes is lowered. Nothing is lost: what they are is in their rows.
 */
export class Residents {
  readonly #limits: RuntimeLimits;
  readonly #heap: (() => Heap) | undefined;
  readonly #all: Resident[] = [];
  #hand = 0;
  #added = 0;
  #bytes = 0;
  #bytesMax: number;
  passivations = 0;

  constructor(limits: RuntimeLimits, heap: (() => Heap) | undefined) {
    this.#limits = limits;
    this.#heap = heap;
    this.#bytesMax = this.#share(heap?.().limitBytes);
  }

  get size(): number {
    return this.#all.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(cell: Cell): void {
    if (cell.residentAt >= 0) return;
    cell.residentAt = this.#all.length;
    const resident = { cell, restMs: this.#restOf(cell), touchedMs: cell.touchedMs, bytes: 0 };
    this.#all.push(resident);
    this.#added++;
    this.#weigh(resident);
    if (this.#isOver) this.#makeRoom(triesAtOnce);
  }

  remove(cell: Cell): void {
    const at = cell.residentAt;
    if (at < 0) return;
    this.#bytes -= this.#all[at]!.bytes;
    cell.residentAt = -1;
    const last = this.#all.pop()!;
    if (last.cell === cell) return;
    this.#all[at] = last;
    last.cell.residentAt = at;
  }

  /** Puts away what has not been used for long; looks at a part of the cells each time. Time is monotonic. */
  sweep(nowMs: number): void {
    const { length } = this.#all;
    const share = Math.max(sweptAtOnce, Math.ceil(length / sweepsPerRound), this.#added * looksPerAdded);
    const count = Math.min(length, share);
    this.#added = 0;
    for (let i = 0; i < count && this.#all.length > 0; i++) {
      const resident = this.#next();
      if (nowMs - resident.cell.touchedMs >= resident.restMs && this.#putAway(resident)) continue;
      this.#weigh(resident);
      this.#hand++;
    }
    this.#lookAtHeap();
    if (this.#isOver) this.#makeRoom(Math.max(sweptAtOnce, this.#all.length));
  }

  /** Twins are evicted together: the one that stays longest decides. */
  #restOf({ family }: Cell): number {
    const { entityIdleMs } = this.#limits;
    return Math.max(...family.map(({ restMs = entityIdleMs }) => Math.min(restMs, entityIdleMs)));
  }

  get #isOver(): boolean {
    return this.#all.length > this.#limits.residentEntitiesMax || this.#bytes > this.#bytesMax;
  }

  #lookAtHeap(): void {
    if (this.#heap === undefined) return;
    const { usedBytes, limitBytes } = this.#heap();
    if (usedBytes > limitBytes * pressedShare)
      this.#bytesMax = Math.min(this.#bytesMax, this.#bytes) * keptShare;
    else if (usedBytes < limitBytes * relievedShare) this.#bytesMax = this.#share(limitBytes);
  }

  #share(limitBytes: number | undefined): number {
    const { residentBytesMax, residentHeapShareMax } = this.#limits;
    return Math.min(residentBytesMax, (limitBytes ?? Number.POSITIVE_INFINITY) * residentHeapShareMax);
  }

  #makeRoom(triesMax: number): void {
    for (let tries = 0; tries < triesMax && this.#isOver; tries++) {
      const resident = this.#next();
      const used = resident.cell.touchedMs !== resident.touchedMs;
      resident.touchedMs = resident.cell.touchedMs;
      if (!used && this.#putAway(resident)) continue;
      this.#weigh(resident);
      this.#hand++;
    }
  }

  #next(): Resident {
    if (this.#hand >= this.#all.length) this.#hand = 0;
    return this.#all[this.#hand]!;
  }

  #weigh(resident: Resident): void {
    const { entities, loadedBytes } = resident.cell;
    let stateBytes = 0;
    for (const { definition, state } of entities) stateBytes += definition.bytesOf?.(state) ?? 0;
    const bytes =
      entities.length * this.#limits.residentEntityBytes + Math.max(stateBytes, loadedBytes * objectsPerByte);
    this.#bytes += bytes - resident.bytes;
    resident.bytes = bytes;
  }

  #putAway({ cell }: Resident): boolean {
    const { shard } = cell;
    if (!cell.idle || cell.lastSeq > shard.commit.durableSeq) return false;
    this.remove(cell);
    shard.forget(cell);
    this.passivations++;
    return true;
  }
}
