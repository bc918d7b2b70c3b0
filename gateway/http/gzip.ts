import { gunzip, gzip } from "node:zlib";
import { limits, type Refusal, refuse } from "#base";
import { sendsGzip } from "./accept-encoding.ts";
import { tooLarge } from "./body.ts";
import { isBodiless, isStreamed } from "./exchange.ts";
import type { HttpRequest, HttpResponse, Responder } from "./server.ts";

/** What an answer says that refuses another coding (RFC 9110, 12.5.3). */
export const acceptedCodings = "gzip, identity";

export function isGzip(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && gzipName.test(contentEncoding);
}

const gzipName = /^(?:x-)?gzip$/i;

/** The body behind `bytes`, or why there is none; it stops at `bytesMax`, however much would follow. */
export function inflate(bytes: Buffer, bytesMax: number, received: (body: Buffer | Refusal) => void): void {
  whenFree((done) => {
    gunzip(
      bytes,
      { maxOutputLength: bytesMax, info: true },
      (error: NodeJS.ErrnoException | null, result) => {
        done();
        if (error !== null) received(error.code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(bytesMax) : noGzip);
        else received(bodyIn(result as unknown as Inflated, bytes.byteLength));
      },
    );
  });
}

/** What `info` makes of the result; the types do not say so. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** zlib passes over zeros that follow the last member. */
function bodyIn({ buffer, engine }: Inflated, bytesGiven: number): Buffer | Refusal {
  return engine.bytesWritten === bytesGiven ? buffer : noGzip;
}

const noGzip = refuse(
  "INVALID_ARGUMENT",
  "the body is not whole and valid gzip, as Content-Encoding says it is",
);

/** Answers as `responder` does, in the coding that the caller wants. */
export function codingResponder(request: HttpRequest, responder: Responder): Responder {
  if (request.headers.get("accept-encoding") === undefined) return responder;
  return {
    send(answer) {
      const coded = inCoding(request, answer);
      if (coded instanceof Promise)
        coded.then(responder.send.bind(responder), responder.fail.bind(responder));
      else responder.send(coded);
    },
    fail: (error) => responder.fail(error),
  };
}

/**
 * The answer in gzip where the caller takes that and it is worth it. `Vary` is for answers that another caller gets in
 * another coding; one that did not ask has the plain text, which every caller can read.
 */
export function inCoding(request: HttpRequest, answer: HttpResponse): HttpResponse | Promise<HttpResponse> {
  const accepted = request.headers.get("accept-encoding");
  const { body, status } = answer;
  if (accepted === undefined || request.method === "HEAD" || isBodiless(status)) return answer;
  if (body === undefined || isStreamed(body) || has(answer, "content-encoding")) return answer;
  const isWorthIt = body.length >= limits.gzipBytesMin;
  if (!sendsGzip(accepted, isWorthIt))
    return isWorthIt ? { ...answer, headers: [...answer.headers, vary] } : answer;
  return new Promise((resolve, reject) => {
    whenFree((done) => {
      gzip(body, (error, packed) => {
        done();
        if (error !== null) reject(error);
        else resolve({ ...answer, headers: [...packedHeaders(request, answer), vary], body: packed });
      });
    });
  });
}

const vary = ["vary", "Accept-Encoding"] as const;

/** A strong tag is for the bytes that are sent: the same text in another coding has another (RFC 9110, 8.8.3). */
function* packedHeaders(request: HttpRequest, answer: HttpResponse): Generator<readonly [string, string]> {
  for (const header of answer.headers)
    yield header[0] === "etag" && request.method === "GET" ? ["etag", packedTag(header[1])] : header;
  yield ["content-encoding", "gzip"];
}

/** `"7-abc"` in gzip. */
export function packedTag(tag: string): string {
  return `${tag.slice(0, -1)}-gzip"`;
}

function has(answer: HttpResponse, name: string): boolean {
  for (const header of answer.headers) if (header[0] === name) return true;
  return false;
}

let working = 0;
const waiting: (() => void)[] = [];

/** A body that waits holds what came of it; one that is worked on may hold a whole body. Each is a request in progress. */
function whenFree(work: (done: () => void) => void): void {
  if (working >= limits.gzipsMax) {
    waiting.push(() => whenFree(work));
    return;
  }
  working++;
  work(() => {
    working--;
    waiting.shift()?.();
  });
}
