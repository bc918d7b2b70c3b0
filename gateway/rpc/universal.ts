import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import {
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { compressionGzip } from "@connectrpc/connect-node";
import { opened } from "#actors";
import { type Refusal, RefusalError } from "#base";
import { Call, type Protocol } from "../calls/call.ts";
import { invoked } from "../calls/invoke.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import { type ContractMethod, fromPlain, toPlain, writtenOnce } from "../contract/index.ts";
import { withJsonNames } from "../errors/names.ts";
import type { HttpRequest } from "../http/server.ts";
import { messageRefusal } from "./connect-statuses.ts";
import { unreadableMessage } from "./messages.ts";
import type { RpcParts } from "./parts.ts";
import { toRefusalError } from "./refusal-of.ts";
import { depthMax } from "./wire/reader.ts";

/** connect-es speaks the protocols: Connect streams, gRPC-Web, gRPC. Behind it stands `invoke`, as behind every door. */
export function universalHandlers(parts: RpcParts): ReadonlyMap<string, UniversalHandler> {
  const router = createConnectRouter({
    acceptCompression: [compressionGzip],
    readMaxBytes: parts.messageBytesMax,
    // By themselves, connect-es passes over unknown members and protobuf-es stops before REST does.
    jsonOptions: { registry: parts.registry, ignoreUnknownFields: false },
    binaryOptions: { recursionLimit: depthMax },
  });
  for (const method of parts.invoker.methods)
    router.rpc(method.descriptor, implementation(method, parts) as MethodImpl<DescMethod>);
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

/** What our side knows of a request that connect-es works on. */
export interface Visit {
  readonly request: HttpRequest;
  readonly protocol: Protocol;
  /** Answer with this, whatever the request says. */
  readonly refusal?: Refusal;
  /** Admitted; taken when connect-es could read the request and has called us. */
  call?: Call | undefined;
}

const visitKey = createContextKey<Visit | undefined>(undefined);

export function visitValues(visit: Visit) {
  return createContextValues().set(visitKey, visit);
}

function implementation(method: ContractMethod, parts: RpcParts) {
  const { output } = method.descriptor;
  const write = (answer: unknown) => fromPlain(output, answer);
  const writer = method.sse === undefined ? write : writtenOnce(write);
  const answers = (requests: AsyncIterable<Message>, context: HandlerContext) =>
    stream(method, parts, requests, { context, writer });
  switch (method.kind) {
    case "unary":
      return (request: Message, context: HandlerContext) => unary(method, parts, request, context);
    case "server_streaming":
      return (request: Message, context: HandlerContext) => answers(just(request), context);
    case "client_streaming":
      return (requests: AsyncIterable<Message>, context: HandlerContext) =>
        lastOf(answers(requests, context));
    case "bidi_streaming":
      return answers;
  }
}

async function unary(method: ContractMethod, parts: RpcParts, request: Message, context: HandlerContext) {
  const call = open(method, parts, context);
  try {
    const { input, output } = method.descriptor;
    return fromPlain(output, await invoked(parts.invoker.invoke, call, toPlain(input, request)));
  } catch (thrown) {
    throw connectError(parts, call, thrown);
  } finally {
    copyHeaders(call, context);
  }
}

async function* stream(
  method: ContractMethod,
  parts: RpcParts,
  requests: AsyncIterable<Message>,
  { context, writer }: { readonly context: HandlerContext; readonly writer: (answer: unknown) => Message },
) {
  const call = open(method, parts, context);
  const { input } = method.descriptor;
  try {
    for await (const answer of parts.invoker.invokeStream(call, readable(parts, input, requests))) {
      if (answer === opened) continue;
      copyHeaders(call, context);
      yield writer(answer);
    }
  } catch (thrown) {
    throw connectError(parts, call, thrown);
  } finally {
    copyHeaders(call, context);
  }
}

function open(method: ContractMethod, parts: RpcParts, context: HandlerContext): Call {
  const visit = context.values.get(visitKey);
  if (visit === undefined) throw new Error("a request came without its visit");
  const { request, protocol } = visit;
  // Not the signal of connect-es: that one cannot tell a deadline from a caller that went away.
  const call = visit.call ?? new Call({ method, plane: parts.invoker.plane, protocol, source: request });
  visit.call = undefined;
  if (visit.refusal !== undefined) {
    call.requestId = requestIdOf(request.headers);
    context.responseHeader.set("x-request-id", call.requestId);
    throw connectError(parts, call, new RefusalError(visit.refusal));
  }
  return call;
}

function connectError(parts: RpcParts, call: Call, thrown: unknown): ConnectError {
  const { refusal } = toRefusalError(thrown, parts.invoker.log);
  const isJson = call.headers.get("content-type")?.includes("+json") ?? false;
  const named = isJson ? withJsonNames(call.method.descriptor.input, refusal) : refusal;
  return parts.connectErrorOf(named, call.requestId);
}

function copyHeaders(call: Call, context: HandlerContext): void {
  for (const [name, value] of call.responseHeaders) context.responseHeader.set(name, value);
  if (call.hasTrailers)
    for (const [name, value] of call.responseTrailers) context.responseTrailer.set(name, value);
}

/** What connect-es throws while it reads becomes a refusal of ours before a handler sees it. */
async function* readable(parts: RpcParts, input: DescMessage, messages: AsyncIterable<Message>) {
  try {
    for await (const message of messages) yield toPlain(input, message);
  } catch (thrown) {
    const refusal =
      thrown instanceof ConnectError ? messageRefusal(thrown, parts, unreadableMessage(input)) : undefined;
    throw refusal === undefined ? toRefusalError(thrown, parts.invoker.log) : new RefusalError(refusal);
  }
}

async function* just(message: Message) {
  yield message;
}

async function lastOf(answers: AsyncIterable<Message>): Promise<Message> {
  let last: Message | undefined;
  for await (const answer of answers) last = answer;
  if (last === undefined) throw new Error("the handler gave no answer");
  return last;
}
