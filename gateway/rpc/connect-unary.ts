import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { compressionGzip } from "@connectrpc/connect-node";
import { RefusalError, refusalError } from "#base";
import type { HeaderPair } from "../calls/answer-headers.ts";
import { Call } from "../calls/call.ts";
import { invoked } from "../calls/invoke.ts";
import type { ContractMethod } from "../contract/index.ts";
import { withJsonNames } from "../errors/names.ts";
import { sendsGzip } from "../http/accept-encoding.ts";
import { tooLarge } from "../http/body.ts";
import type { HttpRequest, HttpResponse } from "../http/server.ts";
import { binaryReader, jsonReader, jsonWriter, type MessageCodec } from "./messages.ts";
import type { RpcParts } from "./parts.ts";
import { toRefusalError } from "./refusal-of.ts";
import { plainEncoder } from "./wire/encode.ts";

/**
 * Unary Connect, POST and GET, without the machinery of connect-es: bytes to plain message to `invoke` and back. A body
 * that cannot be read is judged in the pipeline, behind authentication, with the words REST has for it.
 */
export function connectUnary(method: ContractMethod, parts: RpcParts): ConnectUnary {
  const { input, output } = method.descriptor;
  const codecs: Readonly<Record<Encoding, MessageCodec>> = {
    json: { read: jsonReader(input, parts.registry), write: jsonWriter(output, parts.registry) },
    proto: { read: binaryReader(input), write: plainEncoder(output) },
  };

  return async (request, encoding) => {
    const { invoker } = parts;
    const call = new Call({ method, plane: invoker.plane, protocol: "connect", source: request });
    try {
      await admitted(invoker, call, request);
      const message = await messageOf(request, codecs[encoding], parts);
      const bytes = codecs[encoding].write(await invoked(invoker.invoke, call, message));
      return await answer(request, 200, `application/${encoding}`, bytes, call);
    } catch (thrown) {
      const { refusal } = toRefusalError(thrown, invoker.log);
      const named = encoding === "json" ? withJsonNames(input, refusal) : refusal;
      const error = parts.connectErrorOf(named, call.requestId);
      for (const [name, value] of error.metadata) call.responseHeaders.set(name, value);
      return answer(
        request,
        codeToHttpStatus(error.code),
        "application/json",
        errorToJsonBytes(error, undefined),
        call,
      );
    }
  };
}

export type ConnectUnary = (request: HttpRequest, encoding: Encoding) => Promise<HttpResponse>;
export type Encoding = "json" | "proto";

/** Which of the two, or `undefined` where the request is not unary Connect. */
export function encodingOf(request: HttpRequest): Encoding | undefined {
  if (request.method === "GET") {
    const encoding = new URLSearchParams(request.query).get("encoding");
    return encoding === "json" || encoding === "proto" ? encoding : undefined;
  }
  const contentType = request.headers.get("content-type") ?? "";
  if (contentType === "application/json") return "json";
  if (contentType === "application/proto") return "proto";
  return jsonWithCharset.test(contentType) ? "json" : undefined;
}

const jsonWithCharset = /^application\/json *; *charset="?utf-8"?$/i;

/**
 * Before the body is read. Throws the refusal, after the sender has had a moment to finish a body that is not kept. A
 * conversation both ways has no end to wait for: it is refused at once.
 */
export function admitted(invoker: RpcParts["invoker"], call: Call, request: HttpRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    invoker.admit(call, (refusal) => {
      if (refusal === undefined) {
        resolve();
        return;
      }
      const fail = () => reject(new RefusalError(refusal));
      request.discard(fail);
      if (call.method.kind === "bidi_streaming") fail();
    });
  });
}

async function messageOf(request: HttpRequest, codec: MessageCodec, parts: RpcParts): Promise<unknown> {
  const bytesMax = parts.messageBytesMax;
  try {
    return codec.read(
      request.method === "GET" ? await fromQuery(request, bytesMax) : await fromBody(request, bytesMax),
    );
  } catch (thrown) {
    return toRefusalError(thrown, parts.invoker.log);
  }
}

async function fromBody(request: HttpRequest, bytesMax: number): Promise<Uint8Array> {
  const bytes = await request.body();
  return decompressed(request.headers.get("content-encoding"), bytes, bytesMax);
}

async function fromQuery(request: HttpRequest, bytesMax: number): Promise<Uint8Array> {
  const query = new URLSearchParams(request.query);
  const text = query.get("message") ?? "";
  const version = query.get("connect");
  if (version !== null && version !== "v1")
    throw refusalError("INVALID_ARGUMENT", 'the query parameter connect must be "v1"');
  const bytes = Buffer.from(text, query.get("base64") === "1" ? "base64url" : "utf8");
  return decompressed(query.get("compression") ?? undefined, bytes, bytesMax);
}

async function decompressed(
  name: string | undefined,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array> {
  if (bytes.byteLength > bytesMax) throw new RefusalError(tooLarge(bytesMax));
  if (name === undefined || name === "" || name === "identity") return bytes;
  if (name !== "gzip")
    throw refusalError("UNIMPLEMENTED", `unknown compression ${JSON.stringify(name)}: supported is gzip`);
  return compressionGzip.decompress(bytes as Uint8Array<ArrayBuffer>, bytesMax);
}

async function answer(
  request: HttpRequest,
  status: number,
  contentType: string,
  body: Uint8Array,
  call: Call,
): Promise<HttpResponse> {
  const headers: HeaderPair[] = [["content-type", contentType]];
  for (const header of call.responseHeaders) headers.push(header);
  // Connect has no trailers of its own in a unary answer: they travel as headers.
  if (call.hasTrailers)
    for (const [name, value] of call.responseTrailers) headers.push([`trailer-${name}`, value]);
  if (!sendsGzip(request.headers.get("accept-encoding"), body.byteLength >= compressBytesMin))
    return { status, headers, body };
  headers.push(["content-encoding", "gzip"], ["vary", "accept-encoding"]);
  return { status, headers, body: await compressionGzip.compress(body as Uint8Array<ArrayBuffer>) };
}

/** Below this the gzip frame and the work are more than what is saved. */
const compressBytesMin = 1_024;
