import { RefusalError } from "#base";
import type { Cancellation } from "#runtime";
import type { Call, Settle } from "./call.ts";
import { CallerGone } from "./cancellation.ts";
import { Deadline, Timeout } from "./deadlines.ts";
import { cancelled, timedOut } from "./stages/status-mapping.ts";

/** The caller gets its answer or, at the deadline, the news that there is none: what comes first. `signal` ends with it. */
export class Wait extends Deadline {
  readonly #signal: CallerSignal | undefined;
  #settle: Settle | undefined;

  constructor(call: Call, settle: Settle, signal?: CallerSignal) {
    super(call.deadlineMs - Date.now());
    this.#settle = settle;
    this.#signal = signal;
  }

  answer(response: unknown): void {
    this.#end(undefined, response);
  }

  fail(thrown: unknown): void {
    this.#end(thrown, undefined);
  }

  /** The end of some work is the end of the wait. */
  for(work: Promise<unknown>): void {
    work.then(
      (response) => this.answer(response),
      (thrown) => this.fail(thrown),
    );
  }

  override passed(): void {
    this.fail(new RefusalError(timedOut));
  }

  #end(thrown: unknown, response: unknown): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    this.clear();
    this.#signal?.end();
    settle(thrown, response);
  }
}

/**
 * For work that is more than one question to an entity: a signal that fires when the caller goes away or the deadline
 * passes, and waits that end when it does. Its maker ends it.
 */
export class Lifetime {
  /** An orchestration may ask a thousand entities under it; Node warns of an AbortSignal with eleven listeners. */
  readonly #ended = new CallerGone();
  readonly #call: Call;
  readonly #caller: AbortSignal;
  readonly #deadline: Timeout;
  #refusal: RefusalError | undefined;
  #last: RefusalError | undefined;
  #wake: ((error: RefusalError) => void) | undefined;

  constructor(call: Call) {
    this.#call = call;
    this.#caller = call.signal;
    this.#deadline = new Timeout(call.deadlineMs - Date.now(), () => this.#over(new RefusalError(timedOut)));
    if (this.#caller.aborted) this.#gone();
    else this.#caller.addEventListener("abort", this.#gone);
  }

  get signal(): Cancellation {
    return this.#ended;
  }

  /** One wait at a time: a stream waits for one message after another, and must not pile up listeners. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject);
      if (this.#refusal !== undefined) reject(this.#refusal);
      this.#wake = reject;
    });
  }

  /**
   * What `source` yields, until the lifetime is over; then `source` is told to stop, and is not waited for. Who leaves
   * before the end is told why it would have ended.
   */
  each<T>(source: AsyncIterable<T>): AsyncIterable<T> {
    const items = source[Symbol.asyncIterator]();
    let isOver = false;
    const stop = () => {
      isOver = true;
      this.end();
      items.return?.().catch(() => undefined);
    };
    const next = async (): Promise<IteratorResult<T>> => {
      if (isOver) return { done: true, value: undefined };
      try {
        // The caller has left: what the handler yields now is dropped.
        if (this.#refusal !== undefined) throw this.#refusal;
        const result = await this.wait(items.next());
        if (!result.done) return result;
      } catch (thrown) {
        stop();
        throw thrown;
      }
      isOver = true;
      this.end();
      return { done: true, value: undefined };
    };
    const leave = async (): Promise<IteratorResult<T>> => {
      if (isOver) return { done: true, value: undefined };
      stop();
      throw this.#last ?? new RefusalError(cancelled);
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  }

  /** It will end soon, with this: the rest of its answer is for a client that reads it. */
  hurry(last: RefusalError): void {
    this.#last ??= last;
    this.#call.hurry();
  }

  /** Over before its time. */
  cut(refusal: RefusalError): void {
    this.#over(refusal);
  }

  end(): void {
    this.#deadline.clear();
    this.#caller.removeEventListener("abort", this.#gone);
    this.#ended.abort();
  }

  /** A server may end the call at its deadline, too, and be a moment before us. */
  readonly #gone = () =>
    this.#over(new RefusalError(Date.now() < this.#call.deadlineMs ? cancelled : timedOut));

  #over(refusal: RefusalError): void {
    this.#refusal ??= refusal;
    this.end();
    this.hurry(this.#refusal);
    this.#wake?.(this.#refusal);
  }
}

/** Says when the caller no longer waits. Most work never listens: what costs is made for the first listener. */
export class CallerSignal implements Cancellation {
  readonly #call: Call;
  #lifetime: Lifetime | undefined;
  #ended = false;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Every entity looks at this before it runs what it was asked. */
  get aborted(): boolean {
    return this.#ended || (this.#lifetime?.signal ?? this.#call.cancellation).aborted;
  }

  addEventListener(type: "abort", listener: () => void): void {
    this.#made().addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    this.#made().removeEventListener(type, listener);
  }

  end(): void {
    this.#ended = true;
    this.#lifetime?.end();
  }

  #made(): Cancellation {
    this.#lifetime ??= new Lifetime(this.#call);
    return this.#lifetime.signal;
  }
}
