import { limits } from "#base";
import type { Candidate } from "./record.ts";

/**
 * Canaries that candidates of this thread run. Each is looked at by timer, so one that has not been heard of for two looks has
 * another owner by now, and counts there.
 */
export class ActiveCanaries {
  readonly #seenMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(candidate: Candidate | undefined): void {
    if (candidate?.state === "canary") this.#seenMs.set(candidate.id, this.#now());
    else if (candidate) this.#seenMs.delete(candidate.id);
  }

  count(): number {
    const oldestMs = this.#now() - 2 * limits.promotionLookMs;
    for (const [id, seenMs] of this.#seenMs) if (seenMs < oldestMs) this.#seenMs.delete(id);
    return this.#seenMs.size;
  }
}
