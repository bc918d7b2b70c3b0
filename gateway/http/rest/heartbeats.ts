import { limits } from "#base";

const tickMs = 1_000;

/** One timer for all that are open on a thread: each has its second of the period, so that they do not all speak at once. */
class Heartbeats {
  readonly #slots = Array.from({ length: limits.sseHeartbeatMs / tickMs }, () => new Set<() => void>());
  #at = 0;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `beat` is called every `sseHeartbeatMs`, the first time after as long. Returns what ends it. */
  add(beat: () => void): () => void {
    const slot = this.#slots[this.#at]!;
    slot.add(beat);
    this.#open++;
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref();
    return () => {
      if (!slot.delete(beat)) return;
      if (--this.#open > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #tick(): void {
    this.#at = (this.#at + 1) % this.#slots.length;
    for (const beat of this.#slots[this.#at]!) beat();
  }
}

export const heartbeats = new Heartbeats();
