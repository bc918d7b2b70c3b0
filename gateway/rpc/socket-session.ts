import { opened } from "#actors";
import { errorCodes, invalid, limits, type Refusal, RefusalError, refusalError } from "#base";
import { Call, type CallSource } from "../calls/call.ts";
import type { ContractMethod } from "../contract/index.ts";
import type { HttpRequest } from "../http/server.ts";
import type { DoorSocket, SocketSession } from "../http/sockets.ts";
import type { RpcParts } from "./parts.ts";
import { toRefusalError } from "./refusal-of.ts";
import type { SocketFrames } from "./socket-frames.ts";
import { SocketInbox } from "./socket-inbox.ts";

/** Closing codes of our own: like the HTTP statuses that mean the same. */
const codes = { done: 1000, away: 1001, noHeaders: 4408, tooFast: 4429 } as const;

interface SocketParts {
  readonly method: ContractMethod;
  readonly frames: SocketFrames;
  readonly request: HttpRequest;
  readonly rpc: RpcParts;
}

/** One socket is one call: its headers, then messages both ways, then the end. */
export class StreamSession implements SocketSession {
  readonly #parts: SocketParts;
  readonly #socket: DoorSocket;
  readonly #inbox: SocketInbox;
  readonly #gone = new AbortController();
  readonly #headersTimer: NodeJS.Timeout;
  readonly #pings: NodeJS.Timeout;
  #isAnswered = true;
  #call: Call | undefined;
  #isOver = false;
  #drained: (() => void) | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(parts: SocketParts, socket: DoorSocket) {
    this.#parts = parts;
    this.#socket = socket;
    this.#inbox = new SocketInbox(parts.rpc.bounds.requests, (messages) =>
      this.#send(parts.frames.credit(messages)),
    );
    this.#headersTimer = setTimeout(() => this.#close(codes.noHeaders, "no headers"), limits.socketHeadersMs);
    this.#pings = setInterval(() => this.#ping(), limits.socketPingMs).unref();
  }

  received(data: Uint8Array, isBinary: boolean): void {
    if (this.#isOver) return;
    try {
      const frame = this.#parts.frames.read(data, isBinary);
      if (this.#call === undefined) {
        if (frame.type !== "headers")
          throw refusalError("INVALID_ARGUMENT", "the first frame has the headers");
        this.#begin(frame.headers);
      } else if (frame.type === "headers") throw refusalError("INVALID_ARGUMENT", "the headers come once");
      else if (frame.type === "end") this.#inbox.end();
      else if (!this.#inbox.add(frame.message, data.byteLength))
        this.#close(codes.tooFast, "more messages than credit");
    } catch (thrown) {
      const error = toRefusalError(thrown, this.#parts.rpc.invoker.log);
      if (this.#call === undefined) this.#refuse(error.refusal);
      else this.#inbox.fail(error);
    }
  }

  drained(): void {
    if (this.#socket.buffered() <= limits.socketUnreadBytesMax / 2) this.#drained?.();
  }

  ponged(): void {
    this.#isAnswered = true;
  }

  closed(): void {
    this.#end();
    this.#gone.abort();
  }

  #begin(given: Readonly<Record<string, unknown>>): void {
    clearTimeout(this.#headersTimer);
    const { method, rpc, request, frames } = this.#parts;
    const source: CallSource = {
      headers: headersOf(given, request),
      signal: this.#gone.signal,
      remoteAddress: request.remoteAddress,
      ...(request.peer && { peer: request.peer }),
    };
    this.#call = new Call({ method, plane: rpc.invoker.plane, protocol: "websocket", source });
    this.#send(frames.credit(limits.socketCredit));
    void this.#answer(this.#call);
  }

  async #answer(call: Call): Promise<void> {
    const { frames, rpc } = this.#parts;
    try {
      for await (const answer of rpc.invoker.invokeStream(call, this.#inbox)) {
        if (this.#isOver) break;
        if (answer === opened) continue;
        this.#send(frames.message(answer));
        if (this.#socket.buffered() > limits.socketUnreadBytesMax) await this.#room();
      }
      this.#send(frames.end());
      this.#close(codes.done, "");
    } catch (thrown) {
      this.#refuse(toRefusalError(thrown, rpc.invoker.log).refusal);
    } finally {
      this.#inbox.clear();
    }
  }

  /** It reads on, or is cut off. */
  #room(): Promise<void> {
    this.#patience = setTimeout(() => {
      this.#close(codes.tooFast, "does not read");
      this.#socket.terminate();
    }, limits.ssePatienceMs);
    return new Promise((resolve) => {
      this.#drained = () => {
        clearTimeout(this.#patience);
        this.#drained = undefined;
        resolve();
      };
    });
  }

  #refuse(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#send(this.#parts.frames.error(refusal, this.#call?.requestId ?? ""));
    const isDraining = refusal.code === "UNAVAILABLE" && refusal.reason === "DRAINING";
    const { http } = errorCodes[refusal.code];
    // A client that comes back by itself should not, with the same credential.
    const refused = http === 401 || http === 403 ? 4_000 + http : codes.done;
    this.#close(isDraining ? codes.away : refused, "");
  }

  /** A client that is gone without a word does not answer. */
  #ping(): void {
    if (!this.#isAnswered) this.#socket.terminate();
    this.#isAnswered = false;
    this.#socket.ping();
  }

  #send(frame: string | Uint8Array): void {
    if (!this.#isOver) this.#socket.send(frame);
  }

  #close(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket.close(code, reason);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#headersTimer);
    clearTimeout(this.#patience);
    clearInterval(this.#pings);
    this.#inbox.end();
    this.#drained?.();
  }
}

/** Those of the first frame over those of the request; the same name with two values is a mistake. */
function headersOf(given: Readonly<Record<string, unknown>>, { headers }: HttpRequest) {
  const own = new Map<string, string>();
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase();
    if (typeof value !== "string" || value.length > limits.headerBytesMax || !/^[\t\x20-\x7e]*$/.test(value))
      throw wrong(name, "is not the value of a header");
    if (own.has(name) || own.size >= limits.headerCountMax) throw wrong(name, "is one header too many");
    const sent = headers.get(name);
    if (sent !== undefined && sent !== value)
      throw wrong(name, "differs from the header of the upgrade request");
    own.set(name, value);
  }
  return { get: (name: string) => own.get(name) ?? headers.get(name) };
}

function wrong(field: string, reason: string): RefusalError {
  return new RefusalError(invalid({ field, reason }));
}
