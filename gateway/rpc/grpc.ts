import { constants, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { createServer, type Socket } from "node:net";
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { limits } from "#base";
import { Call } from "../calls/call.ts";
import { boundedGrpcTimeout } from "../calls/deadline-of.ts";
import type { Invoker } from "../calls/invoke.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import { type ContractMethod, writtenOnce } from "../contract/index.ts";
import { grpcErrorOf } from "../errors/grpc.ts";
import type { ThreadBounds } from "../http/bounds.ts";
import { admit } from "../http/node.ts";
import type { HttpServer } from "../http/server.ts";
import { type ListenPlace, listenOn } from "../http/shared-port.ts";
import { Envelopes } from "./envelopes.ts";
import { type CallCount, grpcStream, grpcUnary } from "./grpc-calls.ts";
import { ownStatuses } from "./grpc-statuses.ts";
import { UnreadAnswers } from "./grpc-unread.ts";
import { addHealth } from "./health.ts";
import { binaryReader, unknownMethod } from "./messages.ts";
import { OpenStreams } from "./open-streams.ts";
import { addReflection } from "./reflection.ts";
import { guardResets } from "./reset-guard.ts";
import { plainEncoder } from "./wire/encode.ts";

export interface GrpcServerOptions extends ListenPlace {
  readonly invoker: Invoker;
  readonly messageBytesMax: number;
  readonly bounds: ThreadBounds;
}

/** gRPC by grpc-js, for the widest range of clients: service definitions straight from the descriptor set. */
export async function listenGrpc(options: GrpcServerOptions): Promise<HttpServer> {
  const { invoker } = options;
  const server = new Server({
    "grpc.max_receive_message_length": options.messageBytesMax,
    "grpc.max_send_message_length": -1,
    // Its bookkeeping costs every call, and our own telemetry has the stats.
    "grpc.enable_channelz": 0,
    "grpc.max_concurrent_streams": limits.http2StreamsMax,
    "grpc.keepalive_time_ms": limits.http2PingMs,
    "grpc.keepalive_timeout_ms": limits.http2PingAnswerMs,
    "grpc.max_connection_age_ms": limits.connectionAgeMs,
    "grpc.max_connection_age_grace_ms": limits.connectionAgeGraceMs,
    interceptors: [ownStatuses(options.messageBytesMax)],
  });
  const calls = { pending: 0 };
  const services = servicesOf(invoker, calls);
  for (const { definition, implementation } of services.values())
    server.addService(definition, implementation);
  const standardStreams = new OpenStreams();
  const health = addHealth(server, [...services.keys()], standardStreams);
  addReflection(server, invoker, standardStreams);
  // grpc-js has no way to listen on a port that others listen on, so it is handed the connections.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const door = createServer((socket) => injector.injectConnection(socket));
  const port = await listenOn(door, options);
  for (const http2 of http2ServersOf(server)) guardStreams(http2, pathsOf(server), options);
  let unread = 0;
  return {
    port,
    /** Health says NOT_SERVING from here on; new calls are refused, those under way are finished. */
    drain() {
      health.stop();
      standardStreams.end();
      unread = 1;
      door.close();
      server.tryShutdown(() => {
        unread = 0;
      });
    },
    pending: () => calls.pending,
    // grpc-js tells only that all of them are read.
    unread: () => unread,
    // Draining tells every session to send nothing more.
    connections: () => 0,
    async close() {
      door.close();
      server.forceShutdown();
    },
  };
}

interface Service {
  readonly definition: Record<string, MethodDefinition<unknown, unknown>>;
  readonly implementation: UntypedServiceImplementation;
}

function servicesOf(invoker: Invoker, calls: CallCount): Map<string, Service> {
  const services = new Map<string, Service>();
  for (const method of invoker.methods) {
    const name = method.descriptor.parent.typeName;
    let service = services.get(name);
    if (service === undefined) {
      service = { definition: {}, implementation: {} };
      services.set(name, service);
    }
    service.definition[method.descriptor.name] = definitionOf(method, invoker.log);
    service.implementation[method.descriptor.name] =
      method.kind === "unary" ? grpcUnary(method, invoker, calls) : grpcStream(method, invoker, calls);
  }
  return services;
}

/** A request that cannot be read arrives as a RefusalError, so that the pipeline judges it, not grpc-js. */
function definitionOf(method: ContractMethod, log: Invoker["log"]): MethodDefinition<unknown, unknown> {
  const { input, output } = method.descriptor;
  const write = method.sse === undefined ? plainEncoder(output) : writtenOnce(plainEncoder(output));
  return {
    path: method.path,
    requestStream: method.kind === "client_streaming" || method.kind === "bidi_streaming",
    responseStream: method.kind === "server_streaming" || method.kind === "bidi_streaming",
    requestSerialize: plainEncoder(input),
    requestDeserialize: binaryReader(input),
    responseSerialize: (plain) => {
      try {
        return write(plain);
      } catch (error) {
        // grpc-js answers INTERNAL and says no more, to us neither.
        log.error({ err: error, method: method.name }, "an answer could not be written");
        throw error;
      }
    },
    responseDeserialize: binaryReader(output),
  };
}

function isGrpc(headers: IncomingHttpHeaders): boolean {
  return headers["content-type"]?.startsWith("application/grpc") ?? false;
}

function respondUnknown(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  paths: Iterable<string>,
): void {
  const requestId = requestIdOf({ get: (name) => headers[name] as string | undefined });
  const refusal = unknownMethod(headers[":path"] ?? "", paths);
  const { code, details, metadata } = grpcErrorOf(refusal, requestId);
  // A client that has gone hears nothing.
  stream.on("error", () => undefined);
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc+proto",
      "grpc-status": code,
      "grpc-message": encodeURI(details),
      "x-request-id": requestId,
      ...metadata.toHttp2Headers(),
    },
    { endStream: true },
  );
}

/** grpc-js offers no way to them. */
function http2ServersOf(server: Server): Iterable<Http2Server> {
  return (server as unknown as { http2Servers: ReadonlyMap<Http2Server, unknown> }).http2Servers.keys();
}

/** The paths that it answers. */
function pathsOf(server: Server): ReadonlyMap<string, unknown> {
  return (server as unknown as { handlers: ReadonlyMap<string, unknown> }).handlers;
}

/**
 * Before grpc-js sees a stream: our own words for a method that is not there, a timeout that Node's timers can do, and
 * messages in one piece. Calls wait while their connection leaves too much unread.
 */
function guardStreams(
  http2: Http2Server,
  paths: ReadonlyMap<string, unknown>,
  options: GrpcServerOptions,
): void {
  const { invoker } = options;
  const methods = new Map(invoker.methods.map((method) => [method.path, method]));
  const unread = new UnreadAnswers(options.bounds);
  const listeners = http2.listeners("stream");
  http2.removeAllListeners("stream");
  guardResets(http2);
  http2.on("connection", (socket: Socket) => admit(socket, options.bounds.connections));
  http2.on("stream", (stream, headers, ...more) => {
    const { ":path": path = "", "grpc-timeout": timeout } = headers;
    if (isGrpc(headers) && !paths.has(path)) {
      respondUnknown(stream, headers, paths.keys());
      return;
    }
    if (typeof timeout === "string") headers["grpc-timeout"] = boundedGrpcTimeout(timeout);
    const method = methods.get(path);
    joinMessages(stream, new Envelopes(options.messageBytesMax, options.bounds.requests), async () =>
      method === undefined ? false : invoker.refuses(callOf(method, headers, stream)),
    );
    unread.queue(stream, () => {
      for (const listener of listeners) Reflect.apply(listener, http2, [stream, headers, ...more]);
    });
  });

  /** Only for the question whether it will be refused: grpc-js opens the call itself when its message is complete. */
  function callOf(method: ContractMethod, headers: IncomingHttpHeaders, stream: ServerHttp2Stream): Call {
    const source = {
      headers: { get: (name: string) => textOf(headers[name]) },
      signal: new AbortController().signal,
      remoteAddress: stream.session?.socket.remoteAddress ?? "",
    };
    return new Call({ method, plane: invoker.plane, protocol: "grpc", source });
  }
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * Node hands over what it has read by `push`. A message that has to be held is worth the question whether its caller will be
 * refused: then nothing of it is kept, and an empty message is enough for the pipeline to say why.
 */
function joinMessages(
  stream: ServerHttp2Stream,
  envelopes: Envelopes,
  isRefused: () => Promise<boolean>,
): void {
  const push = stream.push.bind(stream);
  let isHolding = false;
  let isDropped = false;
  stream.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      const rest = envelopes.end();
      if (rest.byteLength > 0) push(rest);
      return push(null);
    }
    if (isDropped) return true;
    let wantsMore = true;
    try {
      for (const envelope of envelopes.add(chunk)) wantsMore = push(envelope);
    } catch {
      // There is no memory for it, or it comes in crumbs: the client is told RESOURCE_EXHAUSTED.
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    }
    if (envelopes.isHolding && !isHolding) {
      isHolding = true;
      stream.once("close", () => envelopes.end());
      void isRefused().then((refused) => {
        if (!refused || stream.destroyed) return;
        isDropped = true;
        // Perhaps it is complete by now, and grpc-js has it.
        if (envelopes.end().byteLength > 0) push(Buffer.alloc(emptyMessageBytes));
      });
    }
    return wantsMore;
  };
}

/** No flags, and a length of zero. */
const emptyMessageBytes = 5;
