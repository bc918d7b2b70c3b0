import { unreachable } from "#base";
import { StorageError } from "../error.ts";
import type { Interference, Leftover, Operation } from "./interference.ts";
import { commit, type MemoryShard, type MemoryStore } from "./store.ts";

/** One owner's connection to a shared store. Every operation passes the interference, and the handle can crash. */
export class MemoryHandle {
  readonly store: MemoryStore;
  readonly interference: Interference;
  #dead: string | undefined;

  constructor(store: MemoryStore, interference: Interference) {
    this.store = store;
    this.interference = interference;
  }

  /** `part` stores a part of a tables write; other operations do not have it. */
  async run<T>(
    operation: Operation,
    effect: () => T | Promise<T>,
    part?: (stored: (change: number) => boolean) => void,
  ): Promise<T> {
    this.checkAlive();
    const verdict = (await this.interference.before?.(operation)) ?? "proceed";
    this.checkAlive();
    if (verdict === "proceed") {
      const result = await effect();
      await this.interference.after?.(operation);
      this.checkAlive();
      return result;
    }
    switch (verdict.type) {
      case "fail":
        throw new StorageError(verdict.kind, `${operation.type} failed: ${verdict.kind}`);
      case "unknown":
        await this.#applyUnknown(verdict.applied, effect);
        throw new StorageError("unknown", `${operation.type} timed out`);
      case "part":
        part?.(verdict.stored);
        throw new StorageError("unavailable", `${operation.type} was interrupted`);
      default:
        return unreachable(verdict);
    }
  }

  async #applyUnknown(applied: boolean | Promise<void>, effect: () => unknown): Promise<void> {
    // The caller must not learn whether a late effect was fenced.
    const unheard = () => undefined;
    if (applied === true) await Promise.resolve(effect()).catch(unheard);
    else if (applied instanceof Promise) applied.then(effect).catch(unheard);
  }

  checkAlive(): void {
    if (this.#dead !== undefined) throw new StorageError("closed", this.#dead);
  }

  stop(reason: string): void {
    this.crash();
    this.interference.stopped?.(reason);
  }

  close(): void {
    this.#dead ??= "closed";
  }

  /**
   * Kill -9 or power loss: this handle answers nothing more, and the interference decides about its unsynced batches.
   */
  crash(fate?: (operation: Operation) => Leftover): void {
    this.#dead ??= "crashed";
    for (const shard of this.store.shards.values())
      if (shard.unsynced?.owner === this) this.decideLeftover(shard, fate);
  }

  decideLeftover(shard: MemoryShard, fate = this.interference.leftover): void {
    const batch = shard.unsynced;
    if (!batch) return;
    shard.unsynced = undefined;
    const leftover = fate?.(batch.operation) ?? "lost";
    batch.kept = leftover === "kept";
    if (batch.kept) commit(shard, batch);
    if (leftover === "torn") this.store.tornTails++;
  }
}
