import { limits, type Refusal, RefusalError } from "#base";
import type { Call } from "../../calls/call.ts";
import type { Invoker } from "../../calls/invoke.ts";
import { tooLarge } from "../body.ts";
import type { HttpRequest, HttpResponse, Responder } from "../server.ts";
import { answerOf } from "./answer.ts";
import { oneMessage } from "./event-body.ts";
import { parseQuery, refuseIfAny, unknownParameter } from "./query.ts";
import type { Route } from "./routes.ts";

interface RawParts {
  readonly invoker: Invoker;
  readonly refusalOf: (thrown: unknown) => Refusal;
  readonly refused: (call: Call, request: HttpRequest, refusal: Refusal) => HttpResponse;
}

type Message = Record<string, unknown>;

/** Streams of bytes: the body of a PUT becomes messages with `data`, and such messages become the body of a GET. */
export function createRawDoor({ invoker, refusalOf, refused }: RawParts) {
  return function serve(
    call: Call,
    route: Route,
    request: HttpRequest,
    values: readonly string[],
    responder: Responder,
  ): void {
    const work =
      route.method.kind === "client_streaming"
        ? upload(call, route, request, values)
        : download(call, route, request, values);
    work.then(
      (answer) => responder.send(answer),
      (thrown: unknown) => responder.send(refused(call, request, refusalOf(thrown))),
    );
  };

  async function upload(
    call: Call,
    route: Route,
    request: HttpRequest,
    values: readonly string[],
  ): Promise<HttpResponse> {
    const message = namedBy(route, request, values);
    let answer: unknown;
    const messages = piecesOf(message, request, route.method.raw!.bytesMax);
    for await (const one of invoker.invokeStream(call, messages)) answer = one;
    return answerOf(route, call, request, { message: {}, ifMatch: undefined }, answer);
  }

  async function download(
    call: Call,
    route: Route,
    request: HttpRequest,
    values: readonly string[],
  ): Promise<HttpResponse> {
    const named = namedBy(route, request, values);
    const range = rangeOf(request.headers.get("range"));
    const message = named instanceof RefusalError ? named : { ...named, ...range };
    const answers = invoker.invokeStream(call, oneMessage(message))[Symbol.asyncIterator]();
    const first = (await answers.next()).value as First;
    const headers = call.responseHeaders.pairs;
    headers.push(
      ["content-type", first.content_type],
      // Bytes that a tenant chose are shown by no browser as a page of this service.
      ["content-disposition", "attachment"],
      ["x-content-type-options", "nosniff"],
      ["cache-control", "private, no-cache"],
      ["accept-ranges", "bytes"],
      ["etag", `"${first.digest}"`],
    );
    if (range !== undefined)
      headers.push(["content-range", `bytes ${first.start}-${first.end - 1}/${first.size}`]);
    if (request.method === "HEAD") {
      await answers.return?.().catch(() => undefined);
      return { status: range === undefined ? 200 : 206, headers };
    }
    return {
      status: range === undefined ? 200 : 206,
      headers,
      body: bytesOf(first, answers),
      patienceMs: limits.ssePatienceMs,
    };
  }
}

/** What the first message of a download says. */
interface First {
  readonly data: string;
  readonly content_type: string;
  readonly size: number;
  readonly start: number;
  readonly end: number;
  readonly digest: string;
}

function namedBy(route: Route, request: HttpRequest, values: readonly string[]): Message | RefusalError {
  try {
    refuseIfAny(parseQuery(request.query).map(([name]) => unknownParameter(name)));
    return Object.fromEntries(route.variables.map(({ name }, index) => [name, values[index]]));
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown;
    throw thrown;
  }
}

async function* piecesOf(
  named: Message | RefusalError,
  request: HttpRequest,
  bytesMax: number,
): AsyncGenerator<Message> {
  if (named instanceof RefusalError) throw named;
  yield named;
  let bytes = 0;
  for await (const chunk of request.chunks()) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new RefusalError(tooLarge(bytesMax));
    for (let at = 0; at < chunk.byteLength; at += limits.streamObjectPieceBytes)
      yield { data: Buffer.from(chunk.subarray(at, at + limits.streamObjectPieceBytes)).toString("base64") };
  }
}

async function* bytesOf({ data }: First, answers: AsyncIterator<unknown>): AsyncGenerator<Uint8Array> {
  try {
    yield Buffer.from(data, "base64");
    for (let next = await answers.next(); !next.done; next = await answers.next())
      yield Buffer.from((next.value as First).data, "base64");
  } finally {
    await answers.return?.().catch(() => undefined);
  }
}

/** One range of bytes (RFC 9110, 14.1.2). Others are not looked at, as if there were none. */
function rangeOf(range: string | undefined): { start: number; end?: number } | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") return last === "" ? undefined : { start: -Number(last) };
  if (last === "") return { start: Number(first) };
  return Number(last) < Number(first) ? undefined : { start: Number(first), end: Number(last) + 1 };
}
