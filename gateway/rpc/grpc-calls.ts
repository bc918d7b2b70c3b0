import {
  type handleUnaryCall,
  Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import type { AnswerHeaders } from "../answer-headers.ts";
import { type Call, type CallSource, openCall } from "../call.ts";
import type { ContractMethod } from "../contract/index.ts";
import { grpcErrorOf } from "../errors/grpc.ts";
import type { Invoker } from "../invoke.ts";
import { toRefusalError } from "./refusal-of.ts";

export function grpcUnary(method: ContractMethod, invoker: Invoker): handleUnaryCall<unknown, unknown> {
  const { plane } = invoker;
  return (grpc, callback) => {
    const call = openCall({ method, plane, protocol: "grpc", source: new GrpcSource(grpc) });
    invoker.invoke(call, grpc.request, (refusal, response) => {
      grpc.sendMetadata(new AnswerMetadata(call.responseHeaders));
      if (refusal !== undefined) callback(grpcErrorOf(refusal, call.requestId));
      else callback(null, response, call.hasTrailers ? new AnswerMetadata(call.responseTrailers) : undefined);
    });
  };
}

type GrpcStream =
  | ServerWritableStream<unknown, unknown>
  | ServerReadableStream<unknown, unknown>
  | ServerDuplexStream<unknown, unknown>;

/** The three streaming kinds: what comes in is one message or an iterable, what goes out one message or a stream. */
export function grpcStream(method: ContractMethod, invoker: Invoker) {
  return (grpc: GrpcStream, callback?: sendUnaryData<unknown>) => {
    const call = openCall({ method, plane: invoker.plane, protocol: "grpc", source: new GrpcSource(grpc) });
    const messages = "request" in grpc ? just(grpc.request) : messagesOf(grpc);
    answer(grpc, call, invoker.invokeStream(call, messages), callback).catch((thrown) => {
      const error = grpcErrorOf(toRefusalError(thrown, invoker.log).refusal, call.requestId);
      if (callback !== undefined) callback(error);
      else (grpc as ServerDuplexStream<unknown, unknown>).emit("error", error);
    });
  };
}

async function answer(
  grpc: GrpcStream,
  call: Call,
  answers: AsyncIterable<unknown>,
  callback: sendUnaryData<unknown> | undefined,
): Promise<void> {
  let last: unknown;
  let headersSent = false;
  const sendHeaders = () => {
    if (!headersSent) grpc.sendMetadata(new AnswerMetadata(call.responseHeaders));
    headersSent = true;
  };
  try {
    for await (const one of answers) {
      sendHeaders();
      last = one;
      if (callback === undefined) await write(grpc as ServerDuplexStream<unknown, unknown>, one);
    }
  } finally {
    sendHeaders();
  }
  if (callback !== undefined) callback(null, last, new AnswerMetadata(call.responseTrailers));
  else (grpc as ServerDuplexStream<unknown, unknown>).end(new AnswerMetadata(call.responseTrailers));
}

/** An iterator that ends takes its stream with it, unless told not to: ours still has an answer to carry. */
function messagesOf(grpc: ServerReadableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>) {
  const options = { destroyOnReturn: false };
  return { [Symbol.asyncIterator]: () => grpc.iterator(options) as AsyncIterator<unknown> };
}

/** Waits while the reader is slower than we are; who is gone already will say nothing more, and is not waited for. */
function write(grpc: ServerDuplexStream<unknown, unknown>, message: unknown): Promise<void> | undefined {
  if (grpc.write(message) || grpc.cancelled) return undefined;
  return new Promise((resolve) => {
    const go = () => {
      grpc.off("drain", go);
      grpc.off("cancelled", go);
      resolve();
    };
    grpc.on("drain", go);
    grpc.on("cancelled", go);
  });
}

/** Headers and signal of a grpc-js call; the signal is made when somebody asks for it. */
export class GrpcSource implements CallSource {
  readonly #grpc: ServerUnaryCall<unknown, unknown> | GrpcStream;
  #signal: AbortSignal | undefined;

  constructor(grpc: ServerUnaryCall<unknown, unknown> | GrpcStream) {
    this.#grpc = grpc;
  }

  get headers() {
    return this;
  }

  get(name: string): string | undefined {
    if (name === "grpc-timeout") return this.#timeout();
    const values = this.#grpc.metadata.get(name);
    return values.length === 0 ? undefined : values.join(", ");
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      if (this.#grpc.cancelled) controller.abort();
      else (this.#grpc as ServerUnaryCall<unknown, unknown>).on("cancelled", () => controller.abort());
    }
    return this.#signal;
  }

  /** grpc-js takes the header away and tells the time at which it ends. */
  #timeout(): string | undefined {
    const deadline = this.#grpc.getDeadline();
    const deadlineMs = typeof deadline === "number" ? deadline : deadline.getTime();
    if (!Number.isFinite(deadlineMs)) return undefined;
    return `${Math.min(99_999_999, Math.max(0, Math.ceil(deadlineMs - Date.now())))}m`;
  }
}

/** Our own headers as they stand: grpc-js would check, copy and wrap each of them once more for every answer. */
class AnswerMetadata extends Metadata {
  readonly #entries: AnswerHeaders;

  constructor(entries: AnswerHeaders) {
    super();
    this.#entries = entries;
  }

  override toHttp2Headers() {
    const headers: Record<string, string> = {};
    for (const [name, value] of this.#entries) headers[name] = value;
    return headers;
  }

  override clone(): Metadata {
    return this;
  }
}

async function* just(message: unknown) {
  yield message;
}
