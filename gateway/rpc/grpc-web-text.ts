import { refusalError } from "#base";
import type { HeaderPair } from "../calls/answer-headers.ts";
import type { HttpResponse } from "../http/server.ts";

/**
 * gRPC-Web in text mode: the frames of gRPC-Web in base64, for browsers that cannot read bytes as they come. connect-es
 * does not speak it; it is given the bytes, and its answers are put into base64.
 */
export function isWebText(contentType: string): boolean {
  return textType.test(contentType);
}

/** The type of the same messages as bytes. */
export function withoutText(contentType: string): string {
  return contentType.replace(textType, "application/grpc-web");
}

/** The bytes that came in base64. A sender may pad whenever it flushes, so padding may stand in the middle. */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = "";
  for await (const chunk of chunks) {
    const text = left + Buffer.from(chunk).toString("latin1");
    const whole = text.length - (text.length % 4);
    left = text.slice(whole);
    if (whole > 0) yield bytesOf(text.slice(0, whole));
  }
  if (left !== "") throw notBase64;
}

/** The answer in base64, every piece of it padded by itself. */
export function asText(answer: HttpResponse): HttpResponse {
  const { body } = answer;
  const headers = Array.from(
    answer.headers,
    ([name, value]): HeaderPair =>
      name === "content-type" ? [name, value.replace(/^application\/grpc-web/, "$&-text")] : [name, value],
  );
  if (body === undefined) return { ...answer, headers };
  if (typeof body === "string" || body instanceof Uint8Array)
    return { ...answer, headers, body: Buffer.from(body).toString("base64") };
  return { ...answer, headers, body: encoded(body) };
}

const notBase64 = refusalError(
  "INVALID_ARGUMENT",
  "the body of application/grpc-web-text must be base64, padded to groups of four",
);

async function* encoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(Buffer.from(piece).toString("base64"), "latin1");
}

function bytesOf(text: string): Uint8Array {
  if (foreign.test(text)) throw notBase64;
  // Each part ends with its padding, and is whole by itself.
  const parts = text.match(/[^=]*={1,2}|[^=]+$/g) ?? [];
  let length = 0;
  for (const part of parts) {
    if (part.length % 4 !== 0) throw notBase64;
    length += part.length;
  }
  if (length !== text.length) throw notBase64;
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64")));
}

const textType = /^application\/grpc-web-text/i;
/** Looked for instead of matching all of a body, which would overflow the stack. */
const foreign = /[^A-Za-z0-9+/=]/;
