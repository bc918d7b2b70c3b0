/** Time as the SDK sees it; tests have one of their own. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Calls `run` once; what it returns takes that back. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` when the events of this moment have been handled. */
  soon(run: () => void): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  // Browsers have no setImmediate.
  soon:
    typeof setImmediate === "function" ? (run) => void setImmediate(run) : (run) => void setTimeout(run, 0),
};

/** Resolves after so long, or as soon as the signal is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
