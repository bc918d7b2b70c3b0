import { limits } from "#base";

/**
 * What ends at a time unless it ends before, which nearly everything does. A timer for each costs more than what most
 * calls do: those that have long to go are kept in one list and looked through once a tick. A list, not a set: each time
 * a set grows or shrinks, the table it leaves behind holds on to the calls of that moment until a full collection.
 */
export abstract class Deadline {
  #atMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** In the list; -1: not there. */
  at = -1;

  constructor(leftMs: number) {
    // The end of a long wait may be a tick late; that of a short one is what its caller chose.
    if (leftMs <= limits.deadlineTickMs * 10) {
      this.#startTimer(leftMs);
      return;
    }
    this.#atMs = performance.now() + leftMs;
    watch(this);
  }

  /** Told once, unless it was cleared. */
  abstract passed(): void;

  /** It ended before. */
  clear(): void {
    if (this.at >= 0) unwatch(this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  /** For the tick: close to its time it gets a timer of its own. */
  look(nowMs: number): void {
    const leftMs = this.#atMs - nowMs;
    if (leftMs > limits.deadlineTickMs) return;
    unwatch(this);
    this.#startTimer(leftMs);
  }

  #startTimer(leftMs: number): void {
    this.#timer = setTimeout(() => this.passed(), Math.max(0, leftMs));
  }
}

/** A deadline that is told by calling a function. */
export class Timeout extends Deadline {
  readonly #told: () => void;

  constructor(leftMs: number, told: () => void) {
    super(leftMs);
    this.#told = told;
  }

  override passed(): void {
    this.#told();
  }
}

const watched: Deadline[] = [];
let ticking: NodeJS.Timeout | undefined;

function watch(deadline: Deadline): void {
  deadline.at = watched.push(deadline) - 1;
  ticking ??= setInterval(tick, limits.deadlineTickMs);
}

/** The last one takes its place. */
function unwatch(deadline: Deadline): void {
  const last = watched.pop()!;
  if (last !== deadline) {
    watched[deadline.at] = last;
    last.at = deadline.at;
  }
  deadline.at = -1;
}

function tick(): void {
  const nowMs = performance.now();
  // From the end, so that the entry that takes the place of one that left has been looked at.
  for (let i = watched.length - 1; i >= 0; i--) watched[i]!.look(nowMs);
  if (watched.length > 0) return;
  clearInterval(ticking);
  ticking = undefined;
}
