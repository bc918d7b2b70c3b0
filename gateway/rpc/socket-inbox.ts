import { limits, RefusalError } from "#base";
import { type HeldBytes, noRequestMemory } from "../http/bounds.ts";

/** Messages of a client that wait to be taken. Its credit bounds how many, and the thread's memory how large they are. */
export class SocketInbox implements AsyncIterable<unknown>, AsyncIterator<unknown> {
  readonly #memory: HeldBytes;
  readonly #grant: (messages: number) => void;
  readonly #waiting: { readonly message: unknown; readonly bytes: number }[] = [];
  #credit = limits.socketCredit;
  #taken = 0;
  #failure: RefusalError | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  /** `grant`: the client may send so many more. */
  constructor(memory: HeldBytes, grant: (messages: number) => void) {
    this.#memory = memory;
    this.#grant = grant;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** False: the client has no credit for it. */
  add(message: unknown, bytes: number): boolean {
    if (--this.#credit < 0) return false;
    if (this.#ended) return true;
    if (!this.#memory.take(bytes)) this.fail(new RefusalError(noRequestMemory));
    else if (message instanceof RefusalError) this.fail(message);
    else this.#waiting.push({ message, bytes });
    this.#wake?.();
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** After what has come before. */
  fail(failure: RefusalError): void {
    this.#failure ??= failure;
    this.end();
  }

  async next(): Promise<IteratorResult<unknown>> {
    while (this.#waiting.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const first = this.#waiting.shift();
    if (first === undefined) {
      if (this.#failure !== undefined) throw this.#failure;
      return { done: true, value: undefined };
    }
    this.#memory.give(first.bytes);
    this.#taken++;
    if (this.#taken >= limits.socketCredit / 2) {
      this.#credit += this.#taken;
      this.#grant(this.#taken);
      this.#taken = 0;
    }
    return { done: false, value: first.message };
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.clear();
    return { done: true, value: undefined };
  }

  clear(): void {
    this.end();
    for (const { bytes } of this.#waiting.splice(0)) this.#memory.give(bytes);
  }
}
