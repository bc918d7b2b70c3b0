import { RefusalError } from "#base";
import { drainingRefusal } from "#runtime";
import type { ContractMethod } from "../contract/method.ts";
import type { Lifetime } from "./lifetime.ts";

/** A stream has no end of its own, and a server does not stop while one is open: when the server does, each is told. */
export class Stopping {
  readonly #streams = new Set<(refusal: RefusalError) => void>();
  #begun = false;

  begin(): void {
    this.#begun = true;
    for (const cut of [...this.#streams]) cut(stopped());
  }

  /**
   * What a stream is sent, until the server stops. Who sends no more than its request is cut: it has a cursor to go on with.
   * Another's messages end as if their sender had failed, so that those before are answered first.
   */
  messages<T>({ kind }: ContractMethod, sent: AsyncIterable<T>, lifetime: Lifetime): AsyncIterable<T> {
    const endless = new Endless(sent);
    const cut = (refusal: RefusalError) => {
      if (kind === "server_streaming") lifetime.cut(refusal);
      else endless.cut(refusal);
      lifetime.hurry(refusal);
    };
    if (lifetime.signal.aborted) return endless;
    this.#streams.add(cut);
    lifetime.signal.addEventListener("abort", () => this.#streams.delete(cut), { once: true });
    if (this.#begun) cut(stopped());
    return endless;
  }
}

/** Messages whose wait for the next one can be cut short. By hand: a generator costs every message more. */
class Endless<T> implements AsyncIterable<T>, AsyncIterator<T> {
  readonly #messages: AsyncIterator<T>;
  #refusal: RefusalError | undefined;
  #wake: ((refusal: RefusalError) => void) | undefined;

  constructor(messages: AsyncIterable<T>) {
    this.#messages = messages[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  cut(refusal: RefusalError): void {
    this.#refusal ??= refusal;
    this.#wake?.(refusal);
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      this.#wake = reject;
      this.#messages.next().then(resolve, reject);
    });
  }

  async return(): Promise<IteratorResult<T>> {
    return (await this.#messages.return?.()) ?? { done: true, value: undefined };
  }
}

function stopped(): RefusalError {
  return new RefusalError(drainingRefusal());
}
