import { opened } from "#actors";
import { limits, type Refusal, RefusalError } from "#base";
import { type EventWriter, errorEvent } from "./event-text.ts";
import { heartbeats } from "./heartbeats.ts";

interface BodyParts {
  readonly writer: EventWriter;
  /** What an error after the first event says. */
  readonly problemOf: (refusal: Refusal) => unknown;
  /** For what is thrown and is no refusal. */
  readonly refusalOf: (thrown: unknown) => Refusal;
}

/** How a stream begins. */
export type Opening = { readonly refusal: Refusal } | { readonly isLast: boolean };

type Settled = { readonly result: IteratorResult<unknown> } | { readonly thrown: unknown };

/**
 * The answers of a stream as the body of text/event-stream. The next answer is asked for when the one before has been written: a
 * slow client holds back only itself. While it waits for an answer it says something now and then.
 */
export class EventBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #answers: AsyncIterator<unknown>;
  readonly #parts: BodyParts;
  readonly #ready: Uint8Array[] = [preamble];
  readonly #stopBeats: () => void;
  #settled: Settled | undefined;
  #asked = false;
  #ended = false;
  #waiter: ((result: IteratorResult<Uint8Array>) => void) | undefined;
  #opening: ((opening: Opening) => void) | undefined;

  constructor(answers: AsyncIterable<unknown>, parts: BodyParts) {
    this.#answers = answers[Symbol.asyncIterator]();
    this.#parts = parts;
    this.#stopBeats = heartbeats.add(() => this.#beat());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** When the first answer or refusal is there, or the stream has said that it will answer, or it is time to say something. */
  open(opening: (opening: Opening) => void): void {
    this.#opening = opening;
    this.#ask();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const bytes = this.#ready.shift();
    if (bytes !== undefined) return { done: false, value: bytes };
    if (this.#settled !== undefined) return this.#take(this.#settled);
    if (this.#ended) return over;
    this.#ask();
    return new Promise((resolve) => {
      this.#waiter = resolve;
    });
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#end();
    await this.#answers.return?.().catch(() => undefined);
    return over;
  }

  #ask(): void {
    if (this.#asked || this.#settled !== undefined) return;
    this.#asked = true;
    this.#answers.next().then(
      (result) => this.#settle({ result }),
      (thrown: unknown) => this.#settle({ thrown }),
    );
  }

  #settle(settled: Settled): void {
    this.#asked = false;
    const isOpened = "result" in settled && settled.result.value === opened;
    if (!isOpened) this.#settled = settled;
    if (this.#opening !== undefined) this.#begin(settled);
    else if (isOpened) this.#ask();
    else if (this.#waiter !== undefined) {
      const waiter = this.#waiter;
      this.#waiter = undefined;
      waiter(this.#take(settled));
    }
  }

  #begin(settled: Settled): void {
    const opening = this.#opening!;
    this.#opening = undefined;
    if ("thrown" in settled) {
      this.#end();
      opening({ refusal: this.#parts.refusalOf(settled.thrown) });
      return;
    }
    const { value } = settled.result;
    opening({ isLast: typeof value === "object" && value !== null && this.#parts.writer.isLast(value) });
  }

  #take(settled: Settled): IteratorResult<Uint8Array> {
    this.#settled = undefined;
    if ("thrown" in settled) {
      this.#end();
      const problem = this.#parts.problemOf(this.#parts.refusalOf(settled.thrown));
      return { done: false, value: errorEvent(problem) };
    }
    if (!settled.result.done)
      return { done: false, value: this.#parts.writer.write(settled.result.value as object) };
    this.#end();
    return over;
  }

  #beat(): void {
    if (this.#opening !== undefined) {
      const opening = this.#opening;
      this.#opening = undefined;
      opening({ isLast: false });
    } else if (this.#waiter !== undefined) this.#tell({ done: false, value: heartbeat });
  }

  #tell(result: IteratorResult<Uint8Array>): void {
    const waiter = this.#waiter!;
    this.#waiter = undefined;
    waiter(result);
  }

  #end(): void {
    this.#ended = true;
    this.#stopBeats();
    if (this.#waiter !== undefined) this.#tell(over);
  }
}

/** A stream of one message, or of the reason why there is none. */
export async function* oneMessage(message: Record<string, unknown> | RefusalError) {
  if (message instanceof RefusalError) throw message;
  yield message;
}

const preamble = Buffer.from(`retry: ${limits.sseRetryMs}\n\n`);
const heartbeat = Buffer.from(":\n\n");
const over: IteratorResult<Uint8Array> = { done: true, value: undefined };
