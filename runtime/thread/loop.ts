import type { Cell } from "../shard/cell.ts";
import type { Shard } from "../shard/shard.ts";
import type { ThreadParts } from "../shard/thread-parts.ts";
import { RunQueue } from "./run-queue.ts";

/** Commands run before input and output are looked at. */
const stepWorksMax = 1_024;

/** The steps of a thread: commands of ready cells up to a budget, then the appends they led to. A step never waits. */
export class Loop {
  readonly #thread: ThreadParts;
  readonly #queue = new RunQueue();
  readonly #dirty = new Set<Shard>();
  #scheduled = false;
  #running = false;

  constructor(thread: ThreadParts) {
    this.#thread = thread;
  }

  schedule(cell: Cell): void {
    this.#queue.push(cell);
    this.#wakeUp();
  }

  markDirty(shard: Shard): void {
    this.#dirty.add(shard);
    this.#wakeUp();
  }

  /**
   * A step comes after all input of this iteration of the event loop: the interfaces read many requests in a row, then their commands run
   * in a row and share an append. One after the other, each would find the processor's caches full of the other's code.
   */
  #wakeUp(): void {
    if (this.#scheduled || this.#running) return;
    this.#scheduled = true;
    this.#thread.world.later(this.#step);
  }

  readonly #step = () => {
    this.#scheduled = false;
    if (!this.#thread.stopped) this.#run();
  };

  #run(): void {
    const { clock, world } = this.#thread;
    this.#running = true;
    clock.freeze();
    let budget = stepWorksMax;
    while (budget > 0) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      budget -= this.#turn(next) + 1;
    }
    clock.release();
    for (const shard of this.#dirty) {
      this.#dirty.delete(shard);
      this.#pump(shard);
    }
    this.#running = false;
    if (!this.#queue.empty || this.#dirty.size > 0) {
      this.#scheduled = true;
      world.later(this.#step);
    }
  }

  #turn(cell: Cell): number {
    try {
      return cell.shard.run(cell);
    } catch (error) {
      cell.shard.failed(error);
      return 1;
    }
  }

  #pump(shard: Shard): void {
    try {
      shard.pump();
    } catch (error) {
      shard.failed(error);
    }
  }
}
