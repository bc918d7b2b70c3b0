import { randomBytes } from "node:crypto";
import { type Refusal, refuse } from "#base";
import { tooLarge } from "./body.ts";
import type { HttpRequest, HttpResponse, HttpServerOptions, Responder } from "./server.ts";

/** What both servers do with a request they have copied. */
export interface Exchange extends HttpRequest, Responder {
  /** Starts to take the body; only after this may the handler ask for it. */
  receive(): void;
}

/** Framing and size are checked before anything of the request is believed. */
export function accept(exchange: Exchange, options: HttpServerOptions): void {
  const refusal = exchange.headers.check() ?? checkLength(exchange, options);
  if (refusal !== undefined) {
    exchange.send({ ...options.refuse(refusal, exchange), close: true });
    return;
  }
  exchange.receive();
  try {
    const answer = options.handler(exchange, exchange);
    if (answer instanceof Promise)
      answer.then(
        (ready) => exchange.send(ready),
        (error) => exchange.fail(error),
      );
    else if (answer !== undefined) exchange.send(answer);
  } catch (error) {
    exchange.fail(error);
  }
}

/** A bug of ours, told by a reference only; the log has the cause under it. */
export function failureAnswer(exchange: Exchange, options: HttpServerOptions, error: unknown): HttpResponse {
  const ref = randomBytes(4).toString("hex");
  options.onError(error, ref);
  return options.refuse(refuse("INTERNAL", `Internal error (ref: ${ref})`), exchange);
}

/** It is not read. */
export function discard(answer: HttpResponse): void {
  if (isStreamed(answer.body)) leave(answer.body[Symbol.asyncIterator]());
}

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

function checkLength(
  request: HttpRequest,
  { bodyBytesMax, longBody }: HttpServerOptions,
): Refusal | undefined {
  const { bodyLength } = request.headers;
  if (bodyLength <= bodyBytesMax) return undefined;
  const bytesMax = Math.max(bodyBytesMax, longBody?.(request) ?? 0);
  return bodyLength > bytesMax ? tooLarge(bytesMax) : undefined;
}
