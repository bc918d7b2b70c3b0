import { limits, type Refusal, refuse } from "#base";

/** What one thread takes of clients at most, whichever of its listeners and tenants they come by. */
export interface ThreadBounds {
  /** Of bodies and messages that are not complete. */
  readonly requests: HeldBytes;
  /** Of answers that their clients have not read. */
  readonly answers: HeldBytes;
  /** One connection with more than this unread gets no further request answered. */
  readonly connectionUnreadMax: number;
  readonly connections: ConnectionCount;
}

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

/** Open connections of the process: every thread counts its own, and each looks at the sum. */
export class ConnectionCount {
  readonly #max: number;
  readonly #counts: Int32Array;
  readonly #own: number;

  /** `counts` is shared by all threads; a thread that replaces another begins at 0 in its place. */
  constructor(options: { max: number; counts: SharedArrayBuffer; own: number }) {
    this.#max = options.max;
    this.#counts = new Int32Array(options.counts);
    this.#own = options.own;
    Atomics.store(this.#counts, this.#own, 0);
  }

  get own(): number {
    return Atomics.load(this.#counts, this.#own);
  }

  /** False: there are as many as may be; this one is to be closed at once, and is counted nevertheless until it is. */
  open(): boolean {
    Atomics.add(this.#counts, this.#own, 1);
    let all = 0;
    for (let thread = 0; thread < this.#counts.length; thread++) all += Atomics.load(this.#counts, thread);
    return all <= this.#max;
  }

  close(): void {
    Atomics.sub(this.#counts, this.#own, 1);
  }
}
