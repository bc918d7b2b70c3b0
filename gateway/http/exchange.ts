import { randomBytes } from "node:crypto";
import { type Refusal, refuse } from "#base";
import { bodyOf, cutOff, type RequestBody, tooLarge } from "./body.ts";
import { HeaderTable } from "./headers.ts";
import type { HttpRequest, HttpResponse, HttpServerOptions, Responder } from "./server.ts";
import { SlowReader } from "./slow-reader.ts";

export interface ServerState {
  draining: boolean;
  pending: number;
  /** Complete, and not yet with the client. */
  unread: number;
}

/** What a request and its answer are on every server: how the body is taken, how the answer leaves, when all is over. */
export abstract class ServerExchange implements HttpRequest, Responder {
  abstract readonly method: string;
  abstract readonly path: string;
  abstract readonly query: string;
  abstract readonly httpVersion: "1.1" | "2.0";
  abstract readonly remoteAddress: string;
  readonly headers = new HeaderTable();
  protected readonly options: HttpServerOptions;
  protected readonly server: ServerState;
  /** Absent where the request has no body, and before it is received. */
  protected received: RequestBody | undefined = undefined;
  /** The client went away before it had its answer. */
  protected aborted = false;
  protected over = false;
  #controller: AbortController | undefined = undefined;
  #reader: SlowReader | undefined = undefined;

  constructor(options: HttpServerOptions, server: ServerState) {
    this.options = options;
    this.server = server;
    server.pending++;
  }

  /** Starts to take the body; only after this may the handler ask for it. */
  protected abstract receive(): void;
  protected abstract sendWhole(answer: HttpResponse, body: string | Uint8Array | undefined): void;
  protected abstract sendStream(answer: HttpResponse, body: AsyncIterable<Uint8Array>): Promise<void>;
  /** Ends the connection. */
  protected abstract cut(): void;

  /** Framing and size are checked before anything of the request is believed. */
  accept(): void {
    const { options } = this;
    const refusal = this.headers.check() ?? this.#checkLength();
    if (refusal !== undefined) {
      this.send({ ...options.refuse(refusal, this), close: true });
      return;
    }
    this.receive();
    try {
      const answer = options.handler(this, this);
      if (answer instanceof Promise)
        answer.then(
          (ready) => this.send(ready),
          (error) => this.fail(error),
        );
      else if (answer !== undefined) this.send(answer);
    } catch (error) {
      this.fail(error);
    }
  }

  #checkLength(): Refusal | undefined {
    const { bodyLength } = this.headers;
    const { bodyBytesMax, longBody } = this.options;
    if (bodyLength <= bodyBytesMax) return undefined;
    const bytesMax = Math.max(bodyBytesMax, longBody?.(this) ?? 0);
    return bodyLength > bytesMax ? tooLarge(bytesMax) : undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Made when an answer has to wait for it, or is cancelled. */
  protected get reader(): SlowReader {
    this.#reader ??= new SlowReader(() => this.over || this.cut());
    return this.#reader;
  }

  hurry(): void {
    if (!this.over) this.reader.hurry();
  }

  body(): Promise<Buffer> {
    return bodyOf(this);
  }

  readBody(received: (body: Buffer | Refusal) => void, bytesMax?: number): void {
    if (this.received === undefined) received(nothing);
    else this.received.readBody(received, bytesMax);
  }

  discard(done: () => void): void {
    if (this.received === undefined) done();
    else this.received.discard(done);
  }

  async *chunks(patient = false): AsyncGenerator<Uint8Array> {
    if (this.received !== undefined) yield* this.received.pieces(patient);
  }

  send(answer: HttpResponse): void {
    try {
      this.#send(answer, answer.body);
    } catch (error) {
      this.#abandon(error);
    }
  }

  /** A bug of ours, told by a reference only; the log has the cause under it. */
  fail(error: unknown): void {
    const ref = randomBytes(4).toString("hex");
    this.options.onError(error, ref);
    this.send(this.options.refuse(refuse("INTERNAL", `Internal error (ref: ${ref})`), this));
  }

  #send(answer: HttpResponse, body: HttpResponse["body"]): void {
    if (this.over) {
      // It is not read.
      if (isStreamed(body)) leave(body[Symbol.asyncIterator]());
    } else if (isStreamed(body)) {
      if (answer.patienceMs !== undefined) this.reader.patienceMs = answer.patienceMs;
      this.sendStream(answer, body).catch((error: unknown) => this.#abandon(error));
    } else this.sendWhole(answer, body);
  }

  /** There is no answer to give. */
  #abandon(error: unknown): void {
    this.options.onError(error);
    if (!this.over) this.cut();
  }

  /** A body that is still coming would be read as the next request, or kept us reading for nothing. */
  protected closes(answer: HttpResponse): boolean {
    return (
      answer.close === true || this.server.draining || (this.received !== undefined && !this.received.ended)
    );
  }

  protected finish(): void {
    if (this.over) return;
    this.over = true;
    this.server.pending--;
  }

  protected abort(): void {
    this.aborted = true;
    this.finish();
    this.received?.fail(cutOff);
    this.#controller?.abort();
  }
}

export const nothing = Buffer.alloc(0);

/** A generator that holds something must be told; what it answers is dropped. */
export function leave(pieces: AsyncIterator<Uint8Array>): void {
  pieces.return?.().catch(() => undefined);
}

export function isStreamed(body: HttpResponse["body"]): body is AsyncIterable<Uint8Array> {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
