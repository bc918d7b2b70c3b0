import { readinessTimeoutMs } from "../ops/index.ts";
import type { Questions } from "./thread-messages.ts";

/** Longer than the main thread waits for any of its own parts: past it, the main thread itself does not answer. */
const answerMsMax = 2 * readinessTimeoutMs;

/** What a worker asks the main thread. A question that gets no answer ends with an error, and not later than in two seconds. */
export class MainQuestions {
  readonly #ask: (question: { readonly id: number; readonly what: keyof Questions }) => void;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #last = 0;

  constructor(ask: (question: { readonly id: number; readonly what: keyof Questions }) => void) {
    this.#ask = ask;
  }

  ask<What extends keyof Questions>(what: What): Promise<Questions[What]> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.answered(id, undefined), answerMsMax);
      this.#waiting.set(id, (value) => {
        clearTimeout(timer);
        if (value === undefined) reject(new Error(`the main thread did not answer: ${what}`));
        else resolve(value as Questions[What]);
      });
      this.#ask({ id, what });
    });
  }

  answered(id: number, value: unknown): void {
    this.#waiting.get(id)?.(value);
    this.#waiting.delete(id);
  }
}
