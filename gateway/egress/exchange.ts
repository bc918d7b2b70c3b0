import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import { OutgoingError, type OutgoingResponse } from "#actors";

/** One request and its answer, as undici tells of them: all of the answer, or an error as soon as it is more than it may be. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** It was handed to a connection: bytes of it may have reached the other side. */
  sent = false;
  readonly answer: Promise<OutgoingResponse>;
  readonly #bytesMax: number;
  #resolve!: (answer: OutgoingResponse) => void;
  #reject!: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** Why it was stopped. */
  #stopped: Error | undefined;
  #status = 0;
  #headers: Headers = {};
  #inflated: Transform | undefined;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** No answer is wanted any more. A request that waits for a connection is not sent. */
  stop(error: Error): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#parts = [];
    this.#reject(error);
    this.#inflated?.destroy();
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped === undefined) this.sent = true;
    else controller.abort(this.#stopped);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Below 200 another one follows.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const encoding = textOf(this.#headers["content-encoding"])?.toLowerCase();
    if (encoding === undefined || encoding === "identity") this.#receive(chunk);
    else this.#inflate(encoding, controller, chunk);
  }

  onResponseEnd(): void {
    if (this.#inflated === undefined) this.#finish();
    else this.#inflated.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.stop(error);
  }

  #inflate(encoding: string, controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#inflated ??= this.#inflaterOf(encoding);
    if (this.#inflated === undefined || this.#inflated.write(chunk)) return;
    controller.pause();
    this.#inflated.once("drain", () => controller.resume());
  }

  #inflaterOf(encoding: string): Transform | undefined {
    const make = inflaters[encoding];
    if (make === undefined) {
      this.stop(new OutgoingError("receive", `an answer in ${encoding} cannot be read`));
      return undefined;
    }
    return make()
      .on("data", (part: Uint8Array) => this.#receive(part))
      .on("end", () => this.#finish())
      .on("error", (error: Error) => this.stop(error));
  }

  #receive(part: Uint8Array): void {
    if (this.#stopped !== undefined) return;
    this.#bytes += part.length;
    if (this.#bytes <= this.#bytesMax) this.#parts.push(part);
    else this.stop(new OutgoingError("too_large", `the answer has more than ${this.#bytesMax} bytes`));
  }

  #finish(): void {
    this.#resolve({
      status: this.#status,
      headers: flat(this.#headers),
      body: Buffer.concat(this.#parts),
    });
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const inflaters: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function flat(headers: Headers): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) texts[name] = textOf(value)!;
  return texts;
}
