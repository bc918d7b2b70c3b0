import type { EventEmitter } from "node:events";
import {
  type handleUnaryCall,
  Metadata,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { opened } from "#actors";
import type { AnswerHeaders } from "../calls/answer-headers.ts";
import { Call, type CallSource } from "../calls/call.ts";
import type { Invoker } from "../calls/invoke.ts";
import type { ContractMethod } from "../contract/index.ts";
import { grpcErrorOf } from "../errors/grpc.ts";
import { SlowReader } from "../http/slow-reader.ts";
import { toRefusalError } from "./refusal-of.ts";

/** Calls that have been taken and not yet answered. */
export interface CallCount {
  pending: number;
}

export function grpcUnary(
  method: ContractMethod,
  invoker: Invoker,
  calls: CallCount,
): handleUnaryCall<unknown, unknown> {
  const { plane } = invoker;
  return (grpc, callback) => {
    calls.pending++;
    const call = new Call({ method, plane, protocol: "grpc", source: new GrpcSource(grpc) });
    invoker.invoke(call, grpc.request, (refusal, response) => {
      calls.pending--;
      grpc.sendMetadata(new AnswerMetadata(call.responseHeaders));
      if (refusal !== undefined) callback(grpcErrorOf(refusal, call.requestId));
      else callback(null, response, call.hasTrailers ? new AnswerMetadata(call.responseTrailers) : undefined);
    });
  };
}

/** Of the three streaming kinds; one that is sent a single message has it as its request. */
type GrpcStream = ServerDuplexStream<unknown, unknown> & { readonly request?: unknown };

/** The three streaming kinds: what comes in is one message or an iterable, what goes out one message or a stream. */
export function grpcStream(method: ContractMethod, invoker: Invoker, calls: CallCount) {
  return (grpc: GrpcStream, callback?: sendUnaryData<unknown>) => {
    calls.pending++;
    const output = new Output(grpc);
    const source = new GrpcSource(grpc, output);
    const call = new Call({ method, plane: invoker.plane, protocol: "grpc", source });
    const messages = "request" in grpc ? just(grpc.request) : messagesOf(grpc);
    const answers = invoker.invokeStream(call, messages);
    answer(grpc, call, answers, output, callback)
      .catch((thrown) => {
        const error = grpcErrorOf(toRefusalError(thrown, invoker.log).refusal, call.requestId);
        if (callback !== undefined) callback(error);
        else grpc.emit("error", error);
      })
      .finally(() => calls.pending--);
  };
}

async function answer(
  grpc: GrpcStream,
  call: Call,
  answers: AsyncIterable<unknown>,
  output: Output,
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
      if (one === opened) continue;
      last = one;
      if (callback !== undefined) continue;
      await output.write(one);
      // The refusal is thrown by the side that still reads.
      if (output.isUnread) break;
    }
  } finally {
    sendHeaders();
  }
  const trailers = new AnswerMetadata(call.responseTrailers);
  if (callback !== undefined) callback(null, last, trailers);
  else grpc.end(trailers);
}

/** An iterator that ends takes its stream with it, unless told not to: ours still has an answer to carry. */
function messagesOf(grpc: GrpcStream): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => grpc.iterator({ destroyOnReturn: false }) };
}

/** What a stream is answered. */
class Output {
  readonly #grpc: GrpcStream;
  readonly #reader = new SlowReader(() => this.#leaveUnread());
  #go = () => {};
  /** It was not read, and its reader is gone. */
  isUnread = false;

  constructor(grpc: GrpcStream) {
    this.#grpc = grpc;
  }

  /** Waits while the reader is slower than we are; who is gone already will say nothing more, and is not waited for. */
  write(message: unknown): Promise<void> | undefined {
    const grpc = this.#grpc;
    if (grpc.write(message) || grpc.cancelled) return undefined;
    this.#reader.wait();
    return new Promise((resolve) => {
      this.#go = () => {
        this.#reader.hasRead();
        grpc.off("drain", this.#go);
        grpc.off("cancelled", this.#go);
        resolve();
      };
      grpc.on("drain", this.#go);
      grpc.on("cancelled", this.#go);
    });
  }

  hurry(): void {
    this.#reader.hurry();
  }

  #leaveUnread(): void {
    this.isUnread = true;
    this.#go();
  }
}

type GrpcCall = EventEmitter &
  Pick<ServerUnaryCall<unknown, unknown>, "cancelled" | "metadata" | "getPeer" | "getDeadline">;

/** Headers and signal of a grpc-js call; the signal is made when it is first asked for. */
export class GrpcSource implements CallSource {
  readonly #grpc: GrpcCall;
  readonly #output: Output | undefined;
  #signal: AbortSignal | undefined;

  constructor(grpc: GrpcCall, output?: Output) {
    this.#grpc = grpc;
    this.#output = output;
  }

  hurry(): void {
    this.#output?.hurry();
  }

  get headers() {
    return this;
  }

  /** grpc-js tells it with the port. */
  get remoteAddress(): string {
    return this.#grpc
      .getPeer()
      .replace(/:[0-9]+$/, "")
      .replace(/^\[|\]$/g, "");
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
      else this.#grpc.on("cancelled", () => controller.abort());
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
