import type { MessagePort } from "node:worker_threads";
import { limits, type Refusal, refuse } from "#base";
import { unpack } from "../shard/codec.ts";
import { Writer } from "../shard/writer.ts";
import { Slots } from "../slots.ts";
import type { World } from "../world.ts";
import { type Calls, type Item, items, type Operation, operations } from "./protocol.ts";

type Reply = (refusal: Refusal | undefined, reply: unknown) => void;

/** Answers what the peer wants; `reply` is called once. The returned function, if any, cancels. */
export type Serve = (
  operation: Operation,
  request: unknown,
  reply: (reply: unknown) => void,
) => (() => void) | undefined;

/** One for all links of the thread: a frame is packed and posted in one go. */
const writer = new Writer();

/**
 * A connection between two threads. What is sent within a tick goes as one message; asks without an answer are bounded
 * by number and by bytes, and over a bound the caller is told at once.
 */
export class Link {
  readonly #port: MessagePort;
  readonly #world: World;
  readonly #serve: Serve;
  readonly #hear: (topic: string, payload: unknown) => void;
  readonly #calls = new Slots<Reply>();
  /** What the calls under way carry: all of them together, and each by its number. */
  #bytes = 0;
  readonly #sizes: number[] = [];
  /** How to cancel what the peer asked, by its number for it. */
  #served: ((() => void) | undefined)[] = [];
  #items: Item[] = [];
  #scheduled = false;
  #closed = false;

  constructor(
    port: MessagePort,
    world: World,
    serve: Serve,
    hear: (topic: string, payload: unknown) => void,
    onClose: () => void,
  ) {
    this.#port = port;
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
    this.#send([items.call, id, operations.indexOf(operation), request]);
    return id;
  }

  cancel(call: number): void {
    if (this.#calls.get(call) !== undefined) this.#send([items.cancel, call]);
  }

  broadcast(topic: string, payload: unknown): void {
    this.#send([items.broadcast, topic, payload]);
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
    if (operation !== "ask") return undefined;
    if (this.#calls.size < limits.linkInFlightMax && this.#bytes + bytes <= limits.linkBytesMax)
      return undefined;
    return refuse("RATE_LIMITED", "too many requests wait for another thread", {
      reason: "MAILBOX_FULL",
      retryAfterMs: limits.retryAfterMs,
    });
  }

  #send(item: Item): void {
    if (this.#closed) return;
    this.#items.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#world.later(this.#flush);
  }

  readonly #flush = () => {
    this.#scheduled = false;
    if (this.#closed || this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    writer.begin();
    writer.value(items);
    const frame = writer.take();
    this.#port.postMessage(frame, [frame.buffer as ArrayBuffer]);
  };

  #receive(frame: Uint8Array): void {
    for (const item of unpack(frame) as Item[]) {
      switch (item[0]) {
        case items.call:
          this.#answer(item[1], operations[item[2]]!, item[3]);
          break;
        case items.reply:
          this.#replied(item[1], item[2]);
          break;
        case items.cancel:
          this.#served[item[1]]?.();
          break;
        case items.broadcast:
          this.#hear(item[1], item[2]);
          break;
      }
    }
  }

  /** Its number may be used again from here on: a cancellation of this call went out before the next call will. */
  #replied(id: number, answer: unknown): void {
    const reply = this.#calls.take(id);
    if (reply === undefined) return;
    this.#bytes -= this.#sizes[id]!;
    reply(undefined, answer);
  }

  #answer(id: number, operation: Operation, request: unknown): void {
    let replied = false;
    const cancel = this.#serve(operation, request, (reply) => {
      // The number may belong to another call by now.
      if (replied) return;
      replied = true;
      this.#served[id] = undefined;
      this.#send([items.reply, id, reply]);
    });
    if (cancel !== undefined && !replied) this.#served[id] = cancel;
  }
}

export function goneRefusal(): Refusal {
  return refuse("UNAVAILABLE", "the thread that owns this entity is being replaced", {
    reason: "STARTING",
    retryAfterMs: 200,
  });
}
