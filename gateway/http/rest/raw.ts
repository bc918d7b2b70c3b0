import { limits, type Refusal, RefusalError, refuse } from "#base";
import type { Invoker } from "../../calls/invoke.ts";
import { tooLarge } from "../body.ts";
import type { HttpRequest, HttpResponse } from "../server.ts";
import { answerOf } from "./answer.ts";
import { orRefusal, type RestCall } from "./bind.ts";
import { isNamedStrongly, namedTag, type Tags, tagsOf } from "./conditions.ts";
import { oneMessage } from "./event-body.ts";
import { parseQuery, refuseIfAny, unknownParameter } from "./query.ts";

/** What the doors for streams have of the handler. */
export interface DoorParts {
  readonly invoker: Invoker;
  readonly errorsUrl: string;
  readonly refusalOf: (thrown: unknown) => Refusal;
  /** As problem+json. */
  readonly refused: (asked: RestCall, refusal: Refusal) => HttpResponse;
}

type Message = Record<string, unknown>;

/** Streams of bytes: the body of a PUT becomes messages with `data`, and such messages become the body of a GET. */
export function createRawDoor({ invoker, refusalOf, refused }: DoorParts) {
  return function serve(asked: RestCall): void {
    const { route, responder } = asked;
    const work = route.method.kind === "client_streaming" ? upload(asked) : download(asked);
    work.then(
      (answer) => responder.send(answer),
      (thrown: unknown) => responder.send(refused(asked, refusalOf(thrown))),
    );
  };

  async function upload(asked: RestCall): Promise<HttpResponse> {
    const message = orRefusal(() => messageOf(asked));
    let answer: unknown;
    for await (const one of invoker.invokeStream(asked.call, piecesOf(message, asked))) answer = one;
    return answerOf(asked, {}, answer);
  }

  async function download(asked: RestCall): Promise<HttpResponse> {
    const { call, request } = asked;
    const read = orRefusal(() => downloadOf(asked));
    const message = read instanceof RefusalError ? read : read.message;
    const answers = invoker.invokeStream(call, oneMessage(message))[Symbol.asyncIterator]();
    const first = await answers.next().then(
      ({ value }) => value as First,
      (thrown: unknown) => beyondEnd(thrown),
    );
    const { match, noneMatch, range } = read as Download;
    const { digest, size, start, end } = first;
    const tag = `"${digest}"`;
    const headers = call.responseHeaders.pairs;
    if (match !== undefined && !isNamedStrongly(match, digest)) {
      await leave(answers);
      throw new RefusalError(otherBytes);
    }
    const isKnown = noneMatch !== undefined && namedTag(noneMatch, tag) !== undefined;
    if (first.refused !== undefined && !isKnown) {
      headers.push(["content-range", `bytes */${size}`]);
      throw first.refused;
    }
    headers.push(["etag", tag], ["cache-control", "private, no-cache"], ["accept-ranges", "bytes"]);
    if (isKnown) {
      await leave(answers);
      return { status: 304, headers };
    }
    headers.push(
      ["content-type", first.content_type],
      // Bytes that a tenant chose are shown by no browser as a page of this service.
      ["content-disposition", "attachment"],
      ["x-content-type-options", "nosniff"],
    );
    const length = end - start;
    if (request.method === "HEAD") {
      await leave(answers);
      return { status: 200, headers, length };
    }
    const isPart = range !== undefined && (range.if_digest ?? digest) === digest;
    if (isPart) headers.push(["content-range", `bytes ${start}-${end - 1}/${size}`]);
    const body = bytesOf(first, answers, length);
    return { status: isPart ? 206 : 200, headers, body, length, patienceMs: limits.ssePatienceMs };
  }
}

interface Download {
  readonly message: Message;
  readonly range: Range | undefined;
  readonly match: Tags | undefined;
  readonly noneMatch: Tags | undefined;
}

/** What the first message of a download says. */
interface First {
  readonly data: string;
  readonly content_type: string;
  readonly size: number;
  readonly start: number;
  readonly end: number;
  readonly digest: string;
  /** Why there are no bytes. */
  readonly refused?: RefusalError;
}

/** The object has none of the bytes that were asked for: its size and digest come with the refusal. */
function beyondEnd(thrown: unknown): First {
  if (!(thrown instanceof RefusalError) || thrown.refusal.code !== "RANGE_NOT_SATISFIABLE") throw thrown;
  const { size, digest } = thrown.refusal.extra as { size: number; digest: string };
  return { data: "", content_type: "", size, start: 0, end: 0, digest, refused: thrown };
}

const otherBytes = refuse("FAILED_PRECONDITION", "If-Match does not name the ETag of the object", {
  reason: "IF_MATCH",
});

function downloadOf(asked: RestCall): Download {
  const { request } = asked;
  // Only GET has ranges (RFC 9110, 14.2).
  const range = request.method === "GET" ? rangeOf(request) : undefined;
  const message = { ...messageOf(asked), ...range };
  return { message, range, match: tagsOf(request, "If-Match"), noneMatch: tagsOf(request, "If-None-Match") };
}

function messageOf({ route, request, values }: RestCall): Message {
  refuseIfAny(parseQuery(request.query).map(([name]) => unknownParameter(name)));
  return Object.fromEntries(route.variables.map(({ name }, index) => [name, values[index]]));
}

async function* piecesOf(
  named: Message | RefusalError,
  { request, route }: RestCall,
): AsyncGenerator<Message> {
  if (named instanceof RefusalError) throw named;
  yield named;
  const { bytesMax } = route.method.raw!;
  let bytes = 0;
  for await (const chunk of request.chunks()) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new RefusalError(tooLarge(bytesMax));
    for (let at = 0; at < chunk.byteLength; at += limits.streamObjectPieceBytes)
      yield { data: Buffer.from(chunk.subarray(at, at + limits.streamObjectPieceBytes)).toString("base64") };
  }
}

/** Ends with an error where the object has other than `length` bytes: the client was promised so many. */
async function* bytesOf(
  { data }: First,
  answers: AsyncIterator<unknown>,
  length: number,
): AsyncGenerator<Uint8Array> {
  try {
    let left = length;
    for (let next: string | undefined = data; next !== undefined; next = await nextData(answers)) {
      const piece = Buffer.from(next, "base64");
      left -= piece.byteLength;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0) throw new Error(`the object has ${length - left} bytes where ${length} were expected`);
  } finally {
    await leave(answers);
  }
}

async function nextData(answers: AsyncIterator<unknown>): Promise<string | undefined> {
  const next = await answers.next();
  return next.done ? undefined : (next.value as First).data;
}

async function leave(answers: AsyncIterator<unknown>): Promise<void> {
  await answers.return?.().catch(() => undefined);
}

/** Fields of the request for bytes. */
interface Range {
  readonly start: number;
  readonly end?: number;
  readonly if_digest?: string;
}

/**
 * One range of bytes (RFC 9110, 14.1.2). Several, other units and what is malformed are passed over, as if there were none;
 * so is a range whose If-Range is a date or a weak tag, which no object has.
 */
function rangeOf({ headers }: HttpRequest): Range | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("range") ?? "");
  if (match === null) return undefined;
  const [first, last] = [positionOf(match[1]!), positionOf(match[2]!)];
  const condition = headers.get("if-range");
  const digest = condition === undefined ? undefined : /^"([0-9a-f]{64})"$/.exec(condition)?.[1];
  if (condition !== undefined && digest === undefined) return undefined;
  const only = digest === undefined ? undefined : { if_digest: digest };
  if (first === undefined) {
    if (last === undefined) return undefined;
    // The last 0 bytes are none.
    return { start: last === 0 ? Number.MAX_SAFE_INTEGER : -last, ...only };
  }
  if (last === undefined) return { start: first, ...only };
  return last < first
    ? undefined
    : { start: first, end: Math.min(last + 1, Number.MAX_SAFE_INTEGER), ...only };
}

function positionOf(digits: string): number | undefined {
  return digits === "" ? undefined : Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
