import { limits as defaults, isRefusal, type Refusal, refuse } from "#base";
import type { Answer, Ask, Cancellation } from "../ask.ts";
import { lostRefusal } from "../refusals.ts";
import { sizeOfPlain } from "../shard/plain.ts";
import { Slots } from "../slots.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import type { World } from "../world.ts";
import { packAsk } from "./ask-codec.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";
import { type Calls, type Handlers, items, type Operation, operations, type Reply } from "./protocol.ts";
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

const cancelled = refuse("CANCELLED", "the caller went away");

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
  readonly #handlers: Handlers;
  readonly #hear: (topic: string, payload: unknown) => void;
  readonly #calls = new Slots<(reply: never) => void>();
  /** What the calls under way carry: all of them together, and each by its number. */
  #bytes = 0;
  readonly #sizes: number[] = [];
  /** What the peer asked and has no answer yet, by its number for it. */
  #served: (RemoteCancellation | undefined)[] = [];
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
    handlers: Handlers,
    hear: (topic: string, payload: unknown) => void,
    onClose: () => void,
    limits: LinkLimits = defaults,
  ) {
    this.#port = port;
    this.#limits = limits;
    this.#encoder = new Encoder(limits.linkFrameBytes);
    this.#world = world;
    this.#handlers = handlers;
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
    reply: Reply<Op>,
    bytes = 0,
  ): number {
    const refusal = this.#closed ? goneRefusal() : this.#full(operation, bytes);
    if (refusal !== undefined) {
      reply(refusal);
      return 0;
    }
    const id = this.#calls.add(reply);
    this.#sizes[id] = bytes;
    this.#bytes += bytes;
    if (this.#send(items.call, id, operations.indexOf(operation), request)) return id;
    this.#replied(id, unsendableRefusal());
    return 0;
  }

  /** As `call`; without an answer after so long it is as if the peer had gone. */
  callWithin<Op extends Operation>(
    withinMs: number,
    operation: Op,
    request: Calls[Op]["request"],
    reply: Reply<Op>,
  ): void {
    let ended = false;
    const end: Reply<Op> = (answer) => {
      if (ended) return;
      ended = true;
      cancel();
      reply(answer);
    };
    const cancel = this.#world.setTimer(withinMs, () => end(goneRefusal()));
    this.call(operation, request, end);
  }

  /** Hands an ask to the peer; a caller that goes away is told to it. */
  ask(operation: "ask" | "askHere", ask: Ask, reply: (answer: Answer) => void): void {
    const { signal } = ask;
    if (signal?.aborted) {
      reply(cancelled);
      return;
    }
    const bytes = ask.bytes ?? sizeOfPlain(ask.request);
    const packed = packAsk(ask, bytes);
    if (signal === undefined) {
      this.call(operation, packed, reply, bytes);
      return;
    }
    const onAbort = () => {
      if (this.#calls.get(call) !== undefined) this.#send(items.cancel, call);
    };
    const answered = (answer: Answer) => {
      signal.removeEventListener("abort", onAbort);
      reply(answer);
    };
    const call = this.call(operation, packed, answered, bytes);
    if (call > 0) signal.addEventListener("abort", onAbort, { once: true });
  }

  broadcast(topic: string, payload: unknown): void {
    this.#send(items.broadcast, topic, payload);
  }

  /** Tells everyone who waits; the peer is gone or we are. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#port.close();
    for (const reply of this.#calls.takeAll()) reply(goneRefusal() as never);
    const served = this.#served;
    this.#served = [];
    for (const cancellation of served) cancellation?.cancel();
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
    this.#port.postMessage(frame, [frame.buffer]);
  }

  #receive(frame: Uint8Array): void {
    const decoder = this.#decoder;
    decoder.open(frame);
    while (!decoder.isAtEnd && !this.#closed) {
      switch (decoder.number()) {
        case items.call:
          this.#answer(decoder.number(), operations[decoder.number()]!, decoder.value());
          break;
        case items.reply:
          this.#replied(decoder.number(), decoder.value());
          break;
        case items.cancel:
          this.#served[decoder.number()]?.cancel();
          break;
        case items.broadcast:
          this.#hear(decoder.text(), decoder.value());
          break;
        case items.read:
          this.#unread -= decoder.number();
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
    // The peer answers what its handlers for this operation may answer.
    reply(answer as never);
  }

  #answer(id: number, operation: Operation, request: unknown): void {
    // Every answer would be one more that waits in the port.
    if (isAsk(operation) && this.#unread > this.#limits.linkUnreadBytesMax) {
      this.#send(items.reply, id, this.#fullRefusal());
      return;
    }
    const cancellation = new RemoteCancellation();
    this.#served[id] = cancellation;
    let replied = false;
    const answer = (reply: unknown) => {
      // The number may belong to another call by now.
      if (replied) return;
      replied = true;
      this.#served[id] = undefined;
      if (!this.#send(items.reply, id, reply)) this.#send(items.reply, id, unsendableRefusal());
    };
    const handler = this.#handlers[operation];
    if (handler === undefined) answer(lostRefusal());
    else handler(request as never, answer, cancellation);
  }

  #fullRefusal(): Refusal {
    return refuse("RATE_LIMITED", "too many requests wait for another thread", {
      reason: "MAILBOX_FULL",
      retryAfterMs: this.#limits.retryAfterMs,
    });
  }
}

/** Says that a caller in another thread went away; an AbortSignal costs as much as the ask itself. */
export class RemoteCancellation implements Cancellation {
  aborted = false;
  #listener: (() => void) | undefined = undefined;

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  cancel(): void {
    this.aborted = true;
    this.#listener?.();
  }
}

/** Asks each of them the same; those that are away, stuck or refuse are left out. */
export async function askAll<Op extends Operation>(
  links: Iterable<Link>,
  withinMs: number,
  operation: Op,
  request: Calls[Op]["request"],
): Promise<Calls[Op]["reply"][]> {
  const answers = Array.from(
    links,
    (link) =>
      new Promise<Calls[Op]["reply"] | Refusal>((resolve) => {
        link.callWithin(withinMs, operation, request, resolve);
      }),
  );
  return (await Promise.all(answers)).filter((answer) => !isRefusal(answer));
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
