import { limits, type Refusal, refuse } from "#base";

/** Bytes that one thread holds for its clients, over all connections. */
export class HeldBytes {
  readonly #max: number;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes > this.#max;
  }

  /** False: there is no room for so many more. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#max) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Where they are there anyway, room or not. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

export const noRequestMemory: Refusal = refuse(
  "UNAVAILABLE",
  "the bodies of other requests fill the memory that is kept for them: send this one again later",
  { reason: "REQUEST_MEMORY", retryAfterMs: limits.retryAfterMs },
);
