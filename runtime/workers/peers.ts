import type { MessagePort } from "node:worker_threads";
import type { Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { bridgeWorker } from "../cluster/bootstrap.ts";
import type { Bridge } from "../cluster/bridge.ts";
import type { FarNodes } from "../cluster/far-nodes.ts";
import type { Claim } from "../cluster/holders.ts";
import { nowhere } from "../cluster/nowhere.ts";
import { eventsWaitMs, pollEvents, told } from "../events.ts";
import { type PackedAsk, RemoteCancellation, unpackAsk } from "../links/ask-codec.ts";
import { askOver, deliverOver } from "../links/ask-over.ts";
import { goneRefusal, Link } from "../links/link.ts";
import { type Calls, type Operation, workerOf } from "../links/protocol.ts";
import type { Delivery } from "../shard/outbox.ts";
import { listActors, statsOf } from "../stats.ts";
import type { EventPlace, EventSource } from "../subscribe.ts";
import { releaseShard } from "../thread/release.ts";
import type { Routes, Thread } from "../thread/thread.ts";
import type { World } from "../world.ts";

/** Operators are told soon what is known: a thread that is stuck does not hide the others. */
const askAllMsMax = 500;

/** Between the workers of a node: which shards one of them holds. */
const heldTopic = "~held";
const openedTopic = "~opened";

/** How a worker takes part in a cluster. */
interface ClusterPart {
  readonly routes: Routes;
  /** What is asked of other nodes. */
  readonly far: FarNodes;
  /** In the worker that has the links to other nodes. */
  readonly bridge?: Bridge;
}

/** The other workers of this process: where asks for their shards go, and what they may ask of us. */
export class Peers implements Routes {
  /** Our own number among them. */
  readonly worker: number;
  readonly #world: World;
  readonly workers: number;
  readonly #links = new Map<number, Link>();
  #thread!: Thread;
  #cluster: ClusterPart | undefined;

  constructor(world: World, bootstrap: { readonly worker: number; readonly workers: number }) {
    this.#world = world;
    this.worker = bootstrap.worker;
    this.workers = bootstrap.workers;
  }

  serve(thread: Thread): void {
    this.#thread = thread;
  }

  connect(worker: number, port: MessagePort): void {
    const link = new Link(
      port,
      this.#world,
      (operation, request, reply) => this.#answer(operation, request, reply),
      (topic, payload) => this.#hear(worker, topic, payload),
      () => {
        if (this.#links.get(worker) !== link) return;
        this.#links.delete(worker);
        this.#cluster?.bridge?.held(worker, undefined);
      },
      this.#thread.limits,
    );
    // The link to a thread that was replaced ends by itself, behind what that thread still said.
    this.#links.set(worker, link);
    if (worker === bridgeWorker && this.#cluster !== undefined) this.#tellHeld();
  }

  close(): void {
    this.#cluster?.bridge?.close();
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  ask(shard: number, ask: Ask, reply: (answer: Answer) => void): void {
    if (this.#cluster !== undefined) {
      this.#cluster.routes.ask(shard, ask, reply);
      return;
    }
    const link = this.#links.get(workerOf(shard, this.workers));
    if (link === undefined) reply(goneRefusal());
    else askOver(link, "ask", ask, reply);
  }

  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    if (this.#cluster !== undefined) {
      this.#cluster.routes.deliver(shard, delivery, reply);
      return;
    }
    const link = this.#links.get(workerOf(shard, this.workers));
    if (link === undefined) reply(goneRefusal());
    else deliverOver(link, "deliver", delivery, reply);
  }

  /** A committed broadcast of this thread. */
  broadcast(topic: string, payload: unknown): void {
    if (this.#cluster === undefined) this.tellWorkers(topic, payload);
    else this.#cluster.routes.broadcast(topic, payload);
  }

  /** To the other workers of this process. */
  tellWorkers(topic: string, payload: unknown): void {
    for (const link of this.#links.values()) link.broadcast(topic, payload);
  }

  /** The process is a node of a cluster: how shards of other nodes are reached, and what the node is told of this worker's. */
  joinCluster(cluster: ClusterPart): void {
    this.#cluster = cluster;
    this.#thread.onHeld = () => this.#tellHeld();
    this.#thread.onOpened = (shard) => this.#tellOpened(shard);
    this.#tellHeld();
  }

  setTimer(delayMs: number, step: () => void): () => void {
    return this.#world.setTimer(delayMs, step);
  }

  link(worker: number): Link | undefined {
    return this.#links.get(worker);
  }

  /** Events of every worker by its number; a worker that is away is asked again when it is back. */
  eventSources(): Map<EventPlace, EventSource> {
    const sources = new Map<EventPlace, EventSource>(this.#cluster?.far.eventSources());
    sources.set(this.worker, (cursor, done) => pollEvents(this.#thread, cursor, eventsWaitMs, done));
    for (const [worker, link] of this.#links)
      sources.set(worker, (cursor, done) => {
        link.call("events", [...cursor], (refusal, page) => {
          told(done, refusal, page);
        });
      });
    return sources;
  }

  /** Undefined: the process is alone with its store. */
  get far(): FarNodes | undefined {
    return this.#cluster?.far;
  }

  /** Asks every other worker the same; those that are away, or stuck, are left out. */
  async askAll<Op extends "stats" | "actors">(
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

  #hear(worker: number, topic: string, payload: unknown): void {
    const bridge = this.#cluster?.bridge;
    if (topic === heldTopic) {
      bridge?.held(worker, payload as readonly Claim[]);
      return;
    }
    if (topic === openedTopic) {
      bridge?.opened(payload as number);
      return;
    }
    this.#thread.hear(topic, payload);
    bridge?.relay(topic, payload);
  }

  #tellHeld(): void {
    const claims = [...this.#thread.shards].map(([number, { view }]): Claim => [number, view]);
    const bridge = this.#cluster?.bridge;
    if (bridge !== undefined) bridge.held(this.worker, claims);
    else this.#links.get(bridgeWorker)?.broadcast(heldTopic, claims);
  }

  #tellOpened(shard: number): void {
    const bridge = this.#cluster?.bridge;
    if (bridge !== undefined) bridge.opened(shard);
    else this.#links.get(bridgeWorker)?.broadcast(openedTopic, shard);
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
      case "askHere": {
        const cancellation = new RemoteCancellation();
        thread.post(unpackAsk(request as PackedAsk, cancellation), reply, nowhere);
        return () => cancellation.cancel();
      }
      case "deliverHere":
        thread.deliver(request as Delivery, (refusal) => reply(refusal ?? null), nowhere);
        return undefined;
      case "take": {
        const { shards, view } = request as Calls["take"]["request"];
        thread.take(shards, view);
        reply(null);
        return undefined;
      }
      case "release":
        releaseShard(thread, (request as Calls["release"]["request"]).shard, reply);
        return undefined;
      case "events": {
        const cursor = new Map(request as Calls["events"]["request"]);
        pollEvents(thread, cursor, eventsWaitMs, (refusal, page) => reply(refusal ?? page));
        return undefined;
      }
      case "eventsAt":
      case "nodeStats":
      case "nodeActors":
      case "cluster":
      case "drainNode":
        this.#cluster?.bridge?.answerWorker(operation, request, reply);
        return undefined;
      case "stats":
        reply(statsOf(thread, this.worker));
        return undefined;
      case "actors":
        reply(listActors(thread, request as Calls["actors"]["request"]));
        return undefined;
    }
  }
}
