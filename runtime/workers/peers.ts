import type { MessagePort } from "node:worker_threads";
import { isRefusal, type Refusal } from "#base";
import type { Answer, PostedAsk } from "../ask.ts";
import { eventsWaitMs, noEvents, pollEvents } from "../events.ts";
import { insightOf, listActors } from "../insight.ts";
import type { Delivery } from "../shard/outbox.ts";
import { sizeOfPlain } from "../shard/plain.ts";
import type { EventSource } from "../subscribe.ts";
import type { Routes, Thread } from "../thread/thread.ts";
import type { World } from "../world.ts";
import { type PackedAsk, packAsk, RemoteCancellation, unpackAsk } from "./ask-codec.ts";
import { goneRefusal, Link } from "./link.ts";
import { type Calls, type Operation, workerOf } from "./protocol.ts";

/** Whoever looks is told soon what is known: a thread that is stuck does not hide the others. */
const askAllMsMax = 500;

/** The other workers of this process: where asks for their shards go, and what they may ask of us. */
export class Peers implements Routes {
  /** Our own number among them. */
  readonly worker: number;
  readonly #world: World;
  readonly #workers: number;
  readonly #links = new Map<number, Link>();
  #thread!: Thread;

  constructor(world: World, seat: { readonly worker: number; readonly workers: number }) {
    this.#world = world;
    this.worker = seat.worker;
    this.#workers = seat.workers;
  }

  serve(thread: Thread): void {
    this.#thread = thread;
  }

  connect(worker: number, port: MessagePort): void {
    const link = new Link(
      port,
      this.#world,
      (operation, request, reply) => this.#answer(operation, request, reply),
      (topic, payload) => this.#thread.hear(topic, payload),
      () => {
        if (this.#links.get(worker) === link) this.#links.delete(worker);
      },
      this.#thread.limits,
    );
    // The link to a thread that was replaced ends by itself, behind what that thread still said.
    this.#links.set(worker, link);
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  ask(shard: number, ask: PostedAsk, reply: (answer: Answer) => void): void {
    const link = this.#links.get(workerOf(shard, this.#workers));
    if (link === undefined) {
      reply(goneRefusal());
      return;
    }
    const { signal } = ask;
    const bytes = ask.bytes ?? sizeOfPlain(ask.request);
    const packed = packAsk(ask, bytes);
    if (signal === undefined) {
      link.call("ask", packed, (refusal, answer) => reply(refusal ?? answer), bytes);
      return;
    }
    const onAbort = () => link.cancel(call);
    const answered = (refusal: Refusal | undefined, answer: Answer) => {
      signal.removeEventListener("abort", onAbort);
      reply(refusal ?? answer);
    };
    const call = link.call("ask", packed, answered, bytes);
    if (call > 0) signal.addEventListener("abort", onAbort, { once: true });
  }

  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    const link = this.#links.get(workerOf(shard, this.#workers));
    if (link === undefined) {
      reply(goneRefusal());
      return;
    }
    link.call("deliver", delivery, (refusal, answer) => reply(refusal ?? answer ?? undefined));
  }

  broadcast(topic: string, payload: unknown): void {
    for (const link of this.#links.values()) link.broadcast(topic, payload);
  }

  /** Events of every worker by its number; a worker that is away is asked again when it is back. */
  eventSources(): Map<number, EventSource> {
    const sources = new Map<number, EventSource>();
    sources.set(this.worker, (cursor, done) => pollEvents(this.#thread, cursor, eventsWaitMs, done));
    for (const [worker, link] of this.#links)
      sources.set(worker, (cursor, done) => {
        link.call("events", [...cursor], (refusal, page) => {
          if (refusal !== undefined) done(refusal, noEvents);
          else if (isRefusal(page)) done(page, noEvents);
          else done(undefined, page);
        });
      });
    return sources;
  }

  /** Asks every other worker the same; those that are away, or stuck, are left out. */
  async askAll<Op extends "insight" | "actors">(
    operation: Op,
    request: Calls[Op]["request"],
  ): Promise<Calls[Op]["reply"][]> {
    const replies = [...this.#links.values()].map(
      (link) =>
        new Promise<Calls[Op]["reply"] | undefined>((resolve) => {
          const timer = this.#world.setTimer(askAllMsMax, () => resolve(undefined));
          link.call(operation, request, (refusal, reply) => {
            timer();
            resolve(refusal === undefined ? reply : undefined);
          });
        }),
    );
    return (await Promise.all(replies)).filter((reply) => reply !== undefined);
  }

  #answer(operation: Operation, request: unknown, reply: (reply: unknown) => void): (() => void) | undefined {
    const thread = this.#thread;
    switch (operation) {
      case "ask": {
        const cancellation = new RemoteCancellation();
        thread.post(unpackAsk(request as PackedAsk, cancellation), reply);
        return () => cancellation.cancel();
      }
      case "deliver":
        thread.deliver(request as Delivery, (refusal) => reply(refusal ?? null));
        return undefined;
      case "events": {
        const cursor = new Map(request as Calls["events"]["request"]);
        pollEvents(thread, cursor, eventsWaitMs, (refusal, page) => reply(refusal ?? page));
        return undefined;
      }
      case "insight":
        reply(insightOf(thread, this.worker));
        return undefined;
      case "actors":
        reply(listActors(thread, request as Calls["actors"]["request"]));
        return undefined;
    }
  }
}
