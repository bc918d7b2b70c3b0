import { limits as defaults, type Refusal, refuse } from "#base";
import { Slots } from "../slots.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import type { World } from "../world.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";
import { type Calls, items, type Operation, operations } from "./protocol.ts";
import type { LinkStats } from "./stats.ts";

type LinkLimits = Pick<
  RuntimeLimits,
  "linkInFlightMax" | "linkBytesMax" | "linkFrameBytes" | "linkUnreadBytesMax" | "retryAfterMs"
>;

/** What carries frames, in order and each once: a MessagePort to another thread, or a stream to another node. */
export interface FramePort {
  postMessage(frame: Uint8Array, transfer: ArrayBuffer[]): void;
  on(event: "message", listener: (frame: Uint8Array) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  close(): void;
}

type Reply = (refusal: Refusal | undefined, reply: unknown) => void;

/** Answers what the peer wants; `reply` is called once. The returned function, if any, cancels. */
export type Serve = (
  operation: Operation,
  request: unknown,
  reply: (reply: unknown) => void,
) => (() => void) | undefined;

/**
 * A connection between two threads, or two nodes. What is sent within an iteration of the event loop goes as one frame. Asks without an answer are
 * bounded by number and by bytes, and over a bound the caller is told at once; a peer that does not read what was sent to
 * it has its asks refused. Frames are read in the order in which they were posted, each once: what one of them told of
 * names and texts counts for all that follow.
 */
export class Link {
  readonly #port: FramePort;
  readonly #encoder: Encoder;
  readonly #decoder = new Decoder();
  readonly #world: World;
  readonly #limits: LinkLimits;
  readonly #serve: Serve;
  readonly #hear: (topic: string, payload: unknown) => void;
  readonly #calls = new Slots<Reply>();
  /** What the calls under way carry: all of them together, and each by its number. */
  #bytes = 0;
  readonly #sizes: number[] = [];
  /** How to cancel what the peer asked, by its number for it. */
  #served: ((() => void) | undefined)[] = [];
  /** Bytes of frames: what the peer has not said to have read, and what we have read and not said. */
  #unread = 0;
  #unsaid = 0;
  #sentBytes = 0;
  #receivedBytes = 0;
  #scheduled = false;
  #closed = false;

  constructor(
    port: FramePort,
    world: World,
    serve: Serve,
    hear: (topic: string, payload: unknown) => void,
    onClose: () => void,
    limits: LinkLimits = defaults,
  ) {
    this.#port = port;
    this.#limits = limits;
    this.#encoder = new Encoder(limits.linkFrameBytes);
    this.#world = world;
    this.#serve = serve;
    this.#hear = hear;
    port.on("message", (frame: Uint8Array) => this.#receive(frame));
    port.on("close", () => {
      this.close();
      onClose();
    });
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  get stats(): LinkStats {
    return {
      inFlight: this.#calls.size,
      sentBytes: this.#sentBytes,
      receivedBytes: this.#receivedBytes,
      unreadBytes: this.#unread,
    };
  }

  /** Calls the peer; returns a number by which the call can be cancelled. */
  call<Op extends Operation>(
    operation: Op,
    request: Calls[Op]["request"],
    reply: (refusal: Refusal | undefined, reply: Calls[Op]["reply"]) => void,
    bytes = 0,
  ): number {
    const refusal = this.#closed ? goneRefusal() : this.#full(operation, bytes);
    if (refusal !== undefined) {
      reply(refusal, undefined as never);
      return 0;
    }
    const id = this.#calls.add(reply as Reply);
    this.#sizes[id] = bytes;
    this.#bytes += bytes;
    if (this.#send(items.call, id, operations.indexOf(operation), request)) return id;
    this.#replied(id, unsendableRefusal());
    return 0;
  }

  cancel(call: number): void {
    if (this.#calls.get(call) !== undefined) this.#send(items.cancel, call);
  }

  broadcast(topic: string, payload: unknown): void {
    this.#send(items.broadcast, topic, payload);
  }

  /** Tells everyone who waits; the peer is gone or we are. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close();
    for (const reply of this.#calls.takeAll()) reply(goneRefusal(), undefined);
    const served = this.#served;
    this.#served = [];
    for (const cancel of served) cancel?.();
  }

  #full(operation: Operation, bytes: number): Refusal | undefined {
    if (!isAsk(operation)) return undefined;
    const { linkInFlightMax, linkBytesMax } = this.#limits;
    if (this.#calls.size < linkInFlightMax && this.#bytes + bytes <= linkBytesMax) return undefined;
    return this.#fullRefusal();
  }

  /** False if it holds what cannot be sent. The peer does not notice: it is as if it had never been begun. */
  #send(item: number, first: unknown, second?: unknown, third?: unknown): boolean {
    if (this.#closed) return true;
    const encoder = this.#encoder;
    const begin = encoder.length;
    try {
      encoder.value(item);
      encoder.value(first);
      if (item !== items.cancel && item !== items.read) encoder.value(second);
      if (item === items.call) encoder.value(third);
    } catch {
      encoder.cut(begin);
      encoder.value(items.nothing);
      return false;
    }
    if (encoder.length >= this.#limits.linkFrameBytes) this.#post();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      this.#world.later(this.#flush);
    }
    return true;
  }

  readonly #flush = () => {
    this.#scheduled = false;
    if (!this.#closed && this.#encoder.length > 0) this.#post();
  };

  #post(): void {
    const frame = this.#encoder.take();
    this.#unread += frame.length;
    this.#sentBytes += frame.length;
    this.#port.postMessage(frame, [frame.buffer as ArrayBuffer]);
  }

  #receive(frame: Uint8Array): void {
    const decoder = this.#decoder;
    decoder.open(frame);
    while (!decoder.isAtEnd && !this.#closed) {
      switch (decoder.value() as (typeof items)[keyof typeof items]) {
        case items.call:
          this.#answer(decoder.value() as number, operations[decoder.value() as number]!, decoder.value());
          break;
        case items.reply:
          this.#replied(decoder.value() as number, decoder.value());
          break;
        case items.cancel:
          this.#served[decoder.value() as number]?.();
          break;
        case items.broadcast:
          this.#hear(decoder.value() as string, decoder.value());
          break;
        case items.read:
          this.#unread -= decoder.value() as number;
          break;
        case items.nothing:
          break;
      }
    }
    this.#receivedBytes += frame.length;
    this.#unsaid += frame.length;
    if (this.#unsaid < this.#limits.linkFrameBytes) return;
    this.#send(items.read, this.#unsaid);
    this.#unsaid = 0;
  }

  /** Its number may be used again from here on: a cancellation of this call went out before the next call will. */
  #replied(id: number, answer: unknown): void {
    const reply = this.#calls.take(id);
    if (reply === undefined) return;
    this.#bytes -= this.#sizes[id]!;
    reply(undefined, answer);
  }

  #answer(id: number, operation: Operation, request: unknown): void {
    // Every answer would be one more that waits in the port.
    if (isAsk(operation) && this.#unread > this.#limits.linkUnreadBytesMax) {
      this.#send(items.reply, id, this.#fullRefusal());
      return;
    }
    let replied = false;
    const cancel = this.#serve(operation, request, (reply) => {
      // The number may belong to another call by now.
      if (replied) return;
      replied = true;
      this.#served[id] = undefined;
      if (!this.#send(items.reply, id, reply)) this.#send(items.reply, id, unsendableRefusal());
    });
    if (cancel !== undefined && !replied) this.#served[id] = cancel;
  }

  #fullRefusal(): Refusal {
    return refuse("RATE_LIMITED", "too many requests wait for another thread", {
      reason: "MAILBOX_FULL",
      retryAfterMs: this.#limits.retryAfterMs,
    });
  }
}

/** What callers wait for. The rest is the runtime's own and bounded where it comes from. */
function isAsk(operation: Operation): boolean {
  return operation === "ask" || operation === "askHere";
}

export function goneRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the thread that owns this entity is being replaced", {
    reason: "STARTING",
    retryAfterMs: 200,
  });
}

/** The peer went away before it answered: whether it did what it was asked is not known. */
export function isGone({ code, reason }: Refusal): boolean {
  return code === "UNAVAILABLE" && reason === "STARTING";
}

/** A bug of the entity or of its caller: values are plain data, which is all that threads exchange. */
function unsendableRefusal(): Refusal {
  return refuse("INTERNAL", "a value cannot be handed to another thread");
}
