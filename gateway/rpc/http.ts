import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { isRefusal, type Refusal, RefusalError, refuse } from "#base";
import type { HeaderPair } from "../calls/answer-headers.ts";
import { Call, type Protocol } from "../calls/call.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import type { ContractMethod } from "../contract/index.ts";
import { tooLarge } from "../http/body.ts";
import { refusalAnswer } from "../http/refusal.ts";
import type { HttpRequest, HttpResponse } from "../http/server.ts";
import { type OwnAnswer, ownRefusal } from "./connect-statuses.ts";
import { admitted, type ConnectUnary, connectUnary, encodingOf } from "./connect-unary.ts";
import { Envelopes } from "./envelopes.ts";
import { asText, decodedText, isWebText, withoutText } from "./grpc-web-text.ts";
import { unknownMethod, unreadableMessage } from "./messages.ts";
import type { RpcParts } from "./parts.ts";
import { universalHandlers, type Visit, visitValues } from "./universal.ts";

interface Door {
  readonly method: ContractMethod;
  readonly unary: ConnectUnary | undefined;
  readonly universal: UniversalHandler;
}

export interface RpcHandler {
  /** Connect, gRPC-Web and, over HTTP/2, gRPC. `undefined`: the path is no method of this plane. */
  handle(request: HttpRequest): Promise<HttpResponse> | undefined;
  /** Says that there is no such method, as the caller's protocol has it. `undefined`: the request is none of these protocols. */
  unknown(request: HttpRequest): Promise<HttpResponse> | undefined;
}

/** Every RPC protocol over the one shape of an HTTP request, whichever server it came by. */
export function createRpcHandler(parts: RpcParts): RpcHandler {
  const universal = universalHandlers(parts);
  const doors = new Map<string, Door>();
  for (const method of parts.invoker.methods) {
    doors.set(method.path, {
      method,
      unary: method.kind === "unary" ? connectUnary(method, parts) : undefined,
      universal: universal.get(method.path)!,
    });
  }

  return {
    handle(request) {
      const door = doors.get(request.path);
      return door === undefined ? undefined : enter(door, request);
    },
    unknown(request) {
      if (protocolOf(request) === undefined) return undefined;
      // Any door of the kind that the caller asks for frames the answer.
      const isStream = request.headers.get("content-type")?.startsWith("application/connect+") ?? false;
      const door = [...doors.values()].find(({ unary }) => (unary === undefined) === isStream);
      return door === undefined ? undefined : unknownTo(door, request);
    },
  };

  async function unknownTo(door: Door, request: HttpRequest): Promise<HttpResponse> {
    const answer = await answerWith(door, request, unknownMethod(request.path, doors.keys()));
    // Connect has 404 for an unknown path and 501 for a method that is known and not there; the code is the same.
    return answer.status === 501 ? { ...answer, status: 404 } : answer;
  }

  function enter(door: Door, request: HttpRequest): Promise<HttpResponse> {
    const { method } = door;
    if (
      door.unary !== undefined &&
      (request.method === "POST" || (request.method === "GET" && method.readOnly))
    ) {
      const encoding = encodingOf(request);
      if (encoding !== undefined) return door.unary(request, encoding);
    }
    const protocol = protocolOf(request) ?? "connect";
    if (protocol === "grpc" && request.httpVersion === "1.1")
      return answerWith(door, request, overHttp2("gRPC"));
    if (method.kind === "bidi_streaming" && request.httpVersion === "1.1")
      return answerWith(door, request, overHttp2(method.name));
    return converse(door, request, protocol);
  }

  async function converse(door: Door, request: HttpRequest, protocol: Protocol): Promise<HttpResponse> {
    const { method } = door;
    const call = new Call({ method, plane: parts.invoker.plane, protocol, source: request });
    const visit: Visit = { request, protocol, call };
    try {
      await admitted(parts.invoker, call, request);
      const upload = isConversation(method)
        ? streamOf(request, method, parts)
        : await wholeOf(request, parts);
      const response = await door.universal({
        httpVersion: request.httpVersion,
        method: request.method,
        url: urlOf(request),
        header: headersOf(request),
        body: upload.body,
        signal: request.signal,
        contextValues: visitValues(visit),
      });
      await upload.drain?.();
      if (visit.call === undefined) return toHttp(request, response);
      return await unreached(door, visit, response, upload.refusal?.());
    } catch (thrown) {
      if (!(thrown instanceof RefusalError)) throw thrown;
      if (call.entered > 0) await ended(call, thrown);
      return answerWith(door, request, thrown.refusal);
    }
  }

  /** connect-es could not read the request, and has not called us. */
  async function unreached(
    door: Door,
    { call, request }: Visit,
    response: UniversalServerResponse,
    uploaded: Refusal | undefined,
  ): Promise<HttpResponse> {
    const { method } = door;
    const unreadable = unreadableMessage(method.descriptor.input);
    if (call !== undefined) await ended(call, new RefusalError(unreadable));
    if (response.status === 405 || response.status === 415) return misfit(method, request, response.status);
    const whole = await collected(response);
    const refusal = uploaded ?? ownRefusal(whole, parts, unreadable);
    return refusal === undefined ? toHttp(request, whole.response) : answerWith(door, request, refusal);
  }

  /** Of a call that was admitted and has no message. */
  async function ended(call: Call, why: RefusalError): Promise<void> {
    await parts.invoker.guard(call, why).catch(() => undefined);
  }

  /** None of the protocols, or not with this verb. What connect-es says of it is a status without a word. */
  function misfit(method: ContractMethod, request: HttpRequest, status: 405 | 415): HttpResponse {
    const allow = method.readOnly && method.kind === "unary" ? "GET, POST" : "POST";
    if (status === 405)
      return plainly(request, refuse("METHOD_NOT_ALLOWED", `${request.method} is not one of ${allow}`), [
        ["allow", allow],
      ]);
    const wanted =
      request.method === "GET"
        ? "a GET has encoding=json or encoding=proto and its message in the query"
        : method.kind === "unary"
          ? "the body must be application/json or application/proto, or that of gRPC or gRPC-Web"
          : "a stream must be application/connect+json or application/connect+proto, or that of gRPC or gRPC-Web";
    return plainly(request, refuse("UNSUPPORTED_MEDIA_TYPE", wanted));
  }

  function plainly(request: HttpRequest, refusal: Refusal, more: readonly HeaderPair[] = []): HttpResponse {
    const requestId = requestIdOf(request.headers);
    const headers: HeaderPair[] = [["x-request-id", requestId], ...more];
    return refusalAnswer(refusal, { requestId, errorsUrl: parts.errorsUrl, headers });
  }

  /** An empty request in the caller's protocol, so that connect-es frames the answer. */
  async function answerWith(door: Door, request: HttpRequest, refusal: Refusal): Promise<HttpResponse> {
    const contentType = withoutText(request.headers.get("content-type") ?? "application/json");
    const empty = contentType.includes("json") ? "{}" : "";
    const response = await door.universal({
      httpVersion: "2.0",
      method: "POST",
      url: urlOf(request),
      header: new Headers({ "content-type": contentType }),
      body: just(isEnveloped(request) ? enveloped(empty) : Buffer.from(empty)),
      signal: request.signal,
      contextValues: visitValues({ request, protocol: protocolOf(request) ?? "connect", refusal }),
    });
    // A stream that is asked for like a unary method: there is no frame for the answer.
    const answer = response.status === 415 ? plainly(request, refusal) : toHttp(request, response);
    return { ...answer, close: request.httpVersion === "1.1" };
  }

  function overHttp2(what: string): Refusal {
    return refuse("UNIMPLEMENTED", `${what} needs HTTP/2: it is served on ${parts.nativeAddresses}`);
  }
}

function protocolOf(request: HttpRequest): Protocol | undefined {
  const contentType = request.headers.get("content-type") ?? "";
  if (contentType.startsWith("application/grpc-web")) return "grpc-web";
  if (contentType.startsWith("application/grpc")) return "grpc";
  if (contentType.startsWith("application/connect+")) return "connect";
  return encodingOf(request) === undefined ? undefined : "connect";
}

/** The body for connect-es. */
interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  /** Why the body could not be read to its end. */
  refusal?(): Refusal | undefined;
  /** Lets the sender finish. */
  drain?(): Promise<void>;
}

/** One message: it is collected as REST collects its bodies. */
async function wholeOf(request: HttpRequest, { messageBytesMax }: RpcParts): Promise<Upload> {
  const framedBytesMax = messageBytesMax + envelopeBytes;
  const bytesMax = isText(request) ? Math.ceil(framedBytesMax / 3) * 4 : framedBytesMax;
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    request.readBody((body) => {
      if (!isRefusal(body)) resolve(Buffer.from(body));
      else reject(new RefusalError(body.code === "PAYLOAD_TOO_LARGE" ? tooLarge(messageBytesMax) : body));
    }, bytesMax);
  });
  if (!isText(request)) return { body: just(bytes) };
  // Here, where what is no base64 is refused by its own words: connect-es would call it an internal error.
  const pieces: Uint8Array[] = [];
  for await (const piece of decodedText(just(bytes))) pieces.push(piece);
  return { body: just(Buffer.concat(pieces)) };
}

/**
 * Messages as they come. connect-es stops reading at the first thing it does not like. A sender that is cut off while it
 * sends may never see our answer: HTTP/1.1 loses it with the connection, HTTP/2 with the stream when fewer bytes come
 * than were announced. So it may finish first, for a moment. In a conversation both ways it goes on at its own pace.
 */
function streamOf(request: HttpRequest, method: ContractMethod, parts: RpcParts): Upload {
  const chunks = request.chunks(true)[Symbol.asyncIterator]();
  const rest = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
  const envelopes = envelopesOf(isText(request) ? decodedText(rest) : rest, parts);
  const mayFinish = method.kind !== "bidi_streaming";
  let refusal: Refusal | undefined;
  const stop = async () => {
    await Promise.allSettled([envelopes.return(undefined), chunks.return?.()]);
  };
  const reader: AsyncIterator<Uint8Array> = {
    next: () =>
      envelopes.next().catch((thrown: unknown) => {
        // connect-es makes an error of its own of it, without a word.
        if (thrown instanceof RefusalError) refusal = thrown.refusal;
        throw thrown;
      }),
    return: async () => {
      if (!mayFinish) await stop();
      return { done: true, value: undefined };
    },
  };
  return {
    body: { [Symbol.asyncIterator]: () => reader },
    refusal: () => refusal,
    async drain() {
      if (!mayFinish) return;
      await new Promise<void>((resolve) => request.discard(resolve));
      void stop();
    },
  };
}

function isEnveloped(request: HttpRequest): boolean {
  const contentType = request.headers.get("content-type") ?? "";
  return contentType.startsWith("application/connect+") || contentType.startsWith("application/grpc");
}

async function* envelopesOf(chunks: AsyncIterable<Uint8Array>, parts: RpcParts): AsyncGenerator<Uint8Array> {
  const envelopes = new Envelopes(parts.messageBytesMax, parts.bounds.requests);
  try {
    for await (const chunk of chunks) yield* envelopes.add(chunk);
    const rest = envelopes.end();
    if (rest.byteLength > 0) yield rest;
  } finally {
    envelopes.end();
  }
}

/** Its sender speaks when it has something to say. */
function isConversation(method: ContractMethod): boolean {
  return method.kind === "client_streaming" || method.kind === "bidi_streaming";
}

function urlOf(request: HttpRequest): string {
  const query = request.query === "" ? "" : `?${request.query}`;
  return `http://service${request.path}${query}`;
}

function headersOf(request: HttpRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of request.headers.entries()) if (!timeouts.has(name)) headers.set(name, value);
  if (isText(request)) headers.set("content-type", withoutText(headers.get("content-type")!));
  return headers;
}

function isText(request: HttpRequest): boolean {
  return isWebText(request.headers.get("content-type") ?? "");
}

/** The pipeline minds them on every door; connect-es would set a timer of its own, and Node has none of a month. */
const timeouts = new Set(["grpc-timeout", "connect-timeout-ms"]);

function toHttp(request: HttpRequest, response: UniversalServerResponse): HttpResponse {
  const { status, header, body, trailer } = response;
  // The server that sends it counts the bytes: uWebSockets.js adds a length of its own, and clients refuse an answer with two.
  header?.delete("content-length");
  const answer: HttpResponse = {
    status,
    headers: header ?? [],
    ...(body === undefined ? undefined : { body }),
    ...(trailer === undefined ? undefined : { trailers: () => legible(trailer) }),
  };
  return isText(request) ? asText(answer) : answer;
}

/** connect-es writes a comma or a colon as %2C and %3A; clients of grpc-js undo only what `encodeURI` does. */
function legible(trailer: Headers): Headers {
  const message = trailer.get("grpc-message");
  if (message !== null) trailer.set("grpc-message", encodeURI(decodeURIComponent(message)));
  return trailer;
}

async function collected(response: UniversalServerResponse): Promise<OwnAnswer> {
  const chunks: Uint8Array[] = [];
  if (response.body !== undefined) for await (const chunk of response.body) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return { response: { ...response, body: just(body) }, body };
}

async function* just(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Flags and length before the message, as every streaming protocol has it. */
const envelopeBytes = 5;

function enveloped(text: string): Uint8Array {
  const bytes = Buffer.alloc(envelopeBytes + text.length);
  bytes.writeUInt32BE(text.length, 1);
  bytes.write(text, envelopeBytes);
  return bytes;
}
