import { RefusalError } from "#base";
import type { Call } from "./call.ts";
import { cancelled, timedOut } from "./stages/status-mapping.ts";

/** The caller gets its answer or, at the deadline, the news that there is none. */
export function withinDeadline(call: Call, work: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RefusalError(timedOut)), leftMs(call));
    work.then(
      (response) => {
        clearTimeout(timer);
        resolve(response);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * For work that is more than one question to an entity: a signal that fires when the caller goes away or the deadline
 * passes, and waits that end when it does. Whoever makes one ends it.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #refusal: RefusalError | undefined;
  #wake: ((error: RefusalError) => void) | undefined;

  constructor(call: Call) {
    this.#caller = call.signal;
    this.#timer = setTimeout(() => this.#over(new RefusalError(timedOut)), leftMs(call));
    if (this.#caller.aborted) this.#gone();
    else this.#caller.addEventListener("abort", this.#gone);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** One wait at a time: a stream waits for one message after another, and must not pile up listeners. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject);
      if (this.#refusal !== undefined) reject(this.#refusal);
      this.#wake = reject;
    });
  }

  /** What `source` yields, until the lifetime is over; then `source` is told to stop and nobody waits for it. */
  async *each<T>(source: AsyncIterable<T>): AsyncIterable<T> {
    const items = source[Symbol.asyncIterator]();
    let done = false;
    try {
      for (;;) {
        const next = await this.wait(items.next());
        if (next.done) {
          done = true;
          return;
        }
        yield next.value;
      }
    } finally {
      this.end();
      if (!done) items.return?.().catch(() => undefined);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#gone);
    this.#controller.abort();
  }

  readonly #gone = () => this.#over(new RefusalError(cancelled));

  #over(refusal: RefusalError): void {
    this.#refusal ??= refusal;
    this.end();
    this.#wake?.(this.#refusal);
  }
}

function leftMs(call: Call): number {
  return Math.max(0, call.deadlineMs - Date.now());
}
