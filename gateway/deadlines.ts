import { limits } from "#base";

/**
 * What ends at a time unless it ends before, which nearly everything does. A timer for each costs more than what most
 * calls do: those that have long to go are kept in one set and looked through once a tick.
 */
export class Deadline {
  readonly #atMs: number;
  readonly #passed: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(atMs: number, passed: () => void) {
    this.#atMs = atMs;
    this.#passed = passed;
    const leftMs = atMs - Date.now();
    // The end of a long wait may be a tick late; that of a short one is what its caller chose.
    if (leftMs <= limits.deadlineTickMs * 10) this.#timer = setTimeout(passed, Math.max(0, leftMs));
    else watch(this);
  }

  /** It ended before. */
  clear(): void {
    if (this.#timer === undefined) watched.delete(this);
    else clearTimeout(this.#timer);
  }

  /** For the tick: close to its time it gets a timer of its own. */
  look(nowMs: number): void {
    const leftMs = this.#atMs - nowMs;
    if (leftMs > limits.deadlineTickMs) return;
    watched.delete(this);
    this.#timer = setTimeout(this.#passed, Math.max(0, leftMs));
  }
}

const watched = new Set<Deadline>();
let ticking: NodeJS.Timeout | undefined;

function watch(deadline: Deadline): void {
  watched.add(deadline);
  ticking ??= setInterval(tick, limits.deadlineTickMs);
}

function tick(): void {
  const nowMs = Date.now();
  for (const deadline of watched) deadline.look(nowMs);
  if (watched.size > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}
