import { limits } from "#base";

/** Tokens of what a stream was assigned and has not settled, by item; the oldest first, and not more than `workHeldMax`. */
export class HeldLeases {
  readonly #tokens = new Map<string, unknown>();

  get isEmpty(): boolean {
    return this.#tokens.size === 0;
  }

  add(itemId: string, token: unknown): void {
    this.#tokens.delete(itemId);
    this.#tokens.set(itemId, token);
    if (this.#tokens.size > limits.workHeldMax) this.#tokens.delete(this.#tokens.keys().next().value!);
  }

  /** False where it is not held with this token: an old one says nothing of a lease that the stream was given since. */
  letGo(itemId: string, token: unknown): boolean {
    return this.#tokens.get(itemId) === token && this.#tokens.delete(itemId);
  }
}
