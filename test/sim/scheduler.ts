import { hash32, type Random } from "#base";

/**
 * Node settles every promise it can between two immediates. This many steps share one iteration of its event loop: one turn
 * per step took a tenth of a run.
 */
const stepsPerLoop = 64;

interface Step {
  readonly atMs: number;
  readonly tie: number;
  readonly label: string;
  readonly owner: Owner;
  readonly run: () => void;
  cancelled: boolean;
}

/** The owner of steps: those of a killed owner never run, those of a paused one run when it goes on. */
export interface Owner {
  readonly name: string;
  state: "running" | "paused" | "dead";
  /** Steps that came up during a pause. */
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
  readonly #labels = new Map<string, number>();
  readonly #heap: Step[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  get trace(): string {
    return this.#trace.toString(16).padStart(8, "0");
  }

  note(text: string): void {
    this.#mix(hash32(text));
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

  /** A promise that settles after a random delay, and never if its owner dies first. */
  delay(owner: Owner, delayMs: number, label: string): Promise<void> {
    return new Promise((resolve) => this.schedule(owner, delayMs, label, resolve));
  }

  /** Runs until `done` returns true or nothing is left before `untilMs`. */
  runUntil(untilMs: number, done: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false;
      const one = () => {
        if (over) return;
        try {
          over = done() || !this.#takeNext(untilMs);
          if (over) resolve();
        } catch (error) {
          over = true;
          reject(error);
        }
      };
      const loop = () => {
        for (let step = 0; step < stepsPerLoop; step++) setImmediate(one);
        setImmediate(() => {
          if (!over) loop();
        });
      };
      loop();
    });
  }

  /** Runs one step. False: there is none before `untilMs`. */
  #takeNext(untilMs: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) {
        this.nowMs = Math.max(this.nowMs, untilMs);
        return false;
      }
      pop(this.#heap);
      if (!next.cancelled && this.#take(next)) return true;
    }
  }

  #take(step: Step): boolean {
    this.nowMs = Math.max(this.nowMs, step.atMs);
    const { owner } = step;
    if (owner.state === "dead") return false;
    if (owner.state === "paused") {
      owner.missed.push(step.run);
      return false;
    }
    this.steps++;
    this.#mix(this.nowMs * 1_000);
    this.#mix(this.#labelHash(owner.name));
    this.#mix(this.#labelHash(step.label));
    step.run();
    return true;
  }

  #mix(number: number): void {
    const h = Math.imul(this.#trace ^ number, 0x85ebca6b);
    this.#trace = (h ^ (h >>> 15)) >>> 0;
  }

  /** There are few different texts, and they are noted often. */
  #labelHash(text: string): number {
    let hash = this.#labels.get(text);
    if (hash === undefined) {
      hash = hash32(text);
      this.#labels.set(text, hash);
    }
    return hash;
  }
}

export function newOwner(name: string): Owner {
  return { name, state: "running", missed: [] };
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
