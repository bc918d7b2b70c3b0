/**
 * What the main thread knows from its heartbeats and every worker needs for each read: memory they share. The clock is
 * `process.hrtime`, which all threads of a process have in common.
 */
export class ProofWriter {
  readonly buffer = new SharedArrayBuffer(16);
  readonly #values = new Float64Array(this.buffer);

  constructor() {
    this.write(Number.POSITIVE_INFINITY, true);
  }

  /** `ageMs`: since the last heartbeat began that proves this node's part in the cluster. */
  write(ageMs: number, reachesStore: boolean): void {
    this.#values[0] = hrtimeMs() - ageMs;
    this.#values[1] = reachesStore ? 1 : 0;
  }
}

export class ProofReader {
  readonly #values: Float64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#values = new Float64Array(buffer);
  }

  get reachesStore(): boolean {
    return this.#values[1] === 1;
  }

  /** On the monotonic clock of this thread. */
  provenMs(nowMs: number): number {
    return nowMs - (hrtimeMs() - this.#values[0]!);
  }
}

function hrtimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
