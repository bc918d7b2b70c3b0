import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { limits, type Refusal, RefusalError, refuse } from "#base";
import type { HeaderPair } from "../calls/answer-headers.ts";
import { openCall, type Protocol } from "../calls/call.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import type { ContractMethod } from "../contract/index.ts";
import { tooLarge } from "../http/body.ts";
import { GrowingBuffer } from "../http/growing-buffer.ts";
import { noRequestMemory } from "../http/held-bytes.ts";
import { refusalAnswer } from "../http/refusal.ts";
import type { HttpRequest, HttpResponse } from "../http/server.ts";
import { type OwnAnswer, ownRefusal } from "./connect-statuses.ts";
import { type ConnectUnary, connectUnary, discarded, encodingOf } from "./connect-unary.ts";
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
    const answer = await answerWith(door, request, unknownMethod(request.path));
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
    const unread = await refusedUnread(door.method, request, protocol);
    if (unread !== undefined) return answerWith(door, request, unread);
    const visit: Visit = { request, protocol, reached: false };
    const upload = uploadOf(request, door.method, parts);
    const response = await door.universal({
      httpVersion: request.httpVersion,
      method: request.method,
      url: urlOf(request),
      header: headersOf(request),
      body: upload.body,
      signal: request.signal,
      contextValues: visitValues(visit),
    });
    await upload.drain();
    if (visit.reached) return toHttp(request, response);
    if (response.status === 405 || response.status === 415)
      return misfit(door.method, request, response.status);
    const whole = await collected(response);
    const refusal = await judged(door.method, request, protocol, whole, upload.refusal());
    return refusal === undefined ? toHttp(request, whole.response) : answerWith(door, request, refusal);
  }

  /** Where the headers say enough. A conversation has no end to wait for. */
  async function refusedUnread(
    method: ContractMethod,
    request: HttpRequest,
    protocol: Protocol,
  ): Promise<Refusal | undefined> {
    const { invoker } = parts;
    const call = openCall({ method, plane: invoker.plane, protocol, source: request });
    if (!invoker.refusesUnread(call)) return undefined;
    if (!isConversation(method)) await discarded(request);
    try {
      await invoker.guard(call, undefined);
    } catch (thrown) {
      if (thrown instanceof RefusalError) return thrown.refusal;
      throw thrown;
    }
    return undefined;
  }

  /** connect-es could not read the request. Who may not call at all is told that, not what was wrong with it. */
  async function judged(
    method: ContractMethod,
    request: HttpRequest,
    protocol: Protocol,
    answer: OwnAnswer,
    uploaded: Refusal | undefined,
  ): Promise<Refusal | undefined> {
    const call = openCall({ method, plane: parts.invoker.plane, protocol, source: request });
    const unreadable = new RefusalError(unreadableMessage(method.descriptor.input));
    try {
      await parts.invoker.guard(call, unreadable);
    } catch (thrown) {
      if (thrown instanceof RefusalError && thrown.refusal !== unreadable.refusal) return thrown.refusal;
    }
    return uploaded ?? ownRefusal(answer, parts, unreadable.refusal);
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
      contextValues: visitValues({
        request,
        protocol: protocolOf(request) ?? "connect",
        refusal,
        reached: false,
      }),
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

/**
 * The body for connect-es, which stops reading at the first thing it does not like. A sender that is cut off while it
 * sends may never see our answer: HTTP/1.1 loses it with the connection, HTTP/2 with the stream when fewer bytes come
 * than were announced. So it may finish first, for a moment. In a conversation it goes on at its own pace.
 */
function uploadOf(request: HttpRequest, method: ContractMethod, parts: RpcParts) {
  const chunks = request.chunks(isConversation(method))[Symbol.asyncIterator]();
  const rest = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
  const decoded = isText(request) ? decodedText(rest) : rest;
  const pieces = isEnveloped(request) ? envelopesOf(decoded, parts) : wholeOf(decoded, parts);
  const mayFinish = method.kind !== "bidi_streaming";
  let refusal: Refusal | undefined;
  const stop = async () => {
    await Promise.allSettled([pieces.return(undefined), chunks.return?.()]);
  };
  const reader: AsyncIterator<Uint8Array> = {
    next: () =>
      pieces.next().catch((thrown: unknown) => {
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
    /** Why the body could not be read to its end. */
    refusal: () => refusal,
    async drain(): Promise<void> {
      if (!mayFinish) return;
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, limits.lingerMs, undefined);
      });
      try {
        for (let bytes = 0; bytes < limits.bodyBytesMax; ) {
          const piece = await Promise.race([chunks.next(), enough]);
          if (piece === undefined || piece.done) return;
          bytes += piece.value.byteLength;
        }
      } catch {
        // It went away; there is no more of it.
      } finally {
        clearTimeout(timer);
        void stop();
      }
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

async function* wholeOf(chunks: AsyncIterable<Uint8Array>, parts: RpcParts): AsyncGenerator<Uint8Array> {
  const whole = new GrowingBuffer(parts.bounds.requests);
  try {
    for await (const chunk of chunks) {
      if (whole.length + chunk.byteLength > parts.messageBytesMax)
        throw new RefusalError(tooLarge(parts.messageBytesMax));
      if (!whole.add(chunk)) throw new RefusalError(noRequestMemory);
    }
    yield whole.take();
  } finally {
    whole.clear();
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
function enveloped(text: string): Uint8Array {
  const bytes = Buffer.alloc(5 + text.length);
  bytes.writeUInt32BE(text.length, 1);
  bytes.write(text, 5);
  return bytes;
}
