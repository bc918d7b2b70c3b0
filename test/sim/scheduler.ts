import { hash32, type Random } from "#base";

interface Step {
  readonly atMs: number;
  readonly tie: number;
  readonly label: string;
  readonly owner: Owner;
  readonly run: () => void;
  cancelled: boolean;
}

/** Whose steps they are: a killed owner's never run, a paused one's run when it goes on. */
export interface Owner {
  readonly name: string;
  state: "running" | "paused" | "dead";
  /** Steps that came up while paused. */
  readonly missed: (() => void)[];
}

/**
 * Virtual time and the order of everything. Steps of one moment run in an order drawn from the seed; after each, every
 * promise that can settle does. The trace hash covers what ran, when, and what the run noted.
 */
export class Scheduler {
  nowMs = 0;
  steps = 0;
  readonly random: Random;
  #trace = 0;
  readonly #heap: Step[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  get trace(): string {
    return this.#trace.toString(16).padStart(8, "0");
  }

  note(text: string): void {
    this.#trace = hash32(`${this.#trace}:${text}`);
  }

  schedule(owner: Owner, delayMs: number, label: string, run: () => void): () => void {
    const step: Step = {
      atMs: this.nowMs + Math.max(0, delayMs),
      tie: this.random.uint32(),
      label,
      owner,
      run,
      cancelled: false,
    };
    push(this.#heap, step);
    return () => {
      step.cancelled = true;
    };
  }

  /** A promise that settles after a drawn delay; held for ever if its owner dies first. */
  delay(owner: Owner, delayMs: number, label: string): Promise<void> {
    return new Promise((resolve) => this.schedule(owner, delayMs, label, resolve));
  }

  /** Runs until `done` says so or nothing is left before `untilMs`. */
  async runUntil(untilMs: number, done: () => boolean = () => false): Promise<void> {
    while (!done()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) {
        this.nowMs = Math.max(this.nowMs, untilMs);
        return;
      }
      pop(this.#heap);
      if (!next.cancelled) await this.#take(next);
    }
  }

  async #take(step: Step): Promise<void> {
    this.nowMs = Math.max(this.nowMs, step.atMs);
    const { owner } = step;
    if (owner.state === "dead") return;
    if (owner.state === "paused") {
      owner.missed.push(step.run);
      return;
    }
    this.steps++;
    this.note(`${this.nowMs.toFixed(3)} ${owner.name} ${step.label}`);
    step.run();
    await settled();
  }
}

export function newOwner(name: string): Owner {
  return { name, state: "running", missed: [] };
}

/** Every promise that can settle without another step has settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function before(a: Step, b: Step): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.tie < b.tie);
}

function push(heap: Step[], step: Step): void {
  let at = heap.push(step) - 1;
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (!before(step, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = step;
}

function pop(heap: Step[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
