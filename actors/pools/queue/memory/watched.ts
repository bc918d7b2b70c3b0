import { limits } from "#base";

/** Items that were handed out or ended since the callers that wait for that were last looked at; noted only while there are any. */
export class Watched {
  #watched = false;
  #moved = new Set<string>();

  get isOpen(): boolean {
    return this.#watched;
  }

  /** A caller waits. */
  open(): void {
    this.#watched = true;
  }

  note(id: string): void {
    // The callers went meanwhile: those that wait are looked at after every commit.
    if (this.#moved.size > limits.watchingMax) {
      this.#watched = false;
      this.#moved.clear();
    } else this.#moved.add(id);
  }

  /** What was noted since it was last asked for; `undefined`: nothing. */
  take(): ReadonlySet<string> | undefined {
    if (this.#moved.size === 0) return undefined;
    const moved = this.#moved;
    this.#moved = new Set();
    return moved;
  }
}
