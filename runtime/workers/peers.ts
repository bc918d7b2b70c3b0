import type { MessagePort } from "node:worker_threads";
import type { Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { bridgeWorker } from "../cluster/bootstrap.ts";
import type { Bridge } from "../cluster/bridge.ts";
import type { FarNodes } from "../cluster/far-nodes.ts";
import type { Claim } from "../cluster/holders.ts";
import { lookForEvents } from "../events.ts";
import { unpackAsk } from "../links/ask-codec.ts";
import { askAll, goneRefusal, Link } from "../links/link.ts";
import { type Calls, type Handlers, workerOf } from "../links/protocol.ts";
import { lostRefusal } from "../refusals.ts";
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

/** For what may be answered here only: what is not here has moved. */
const nowhere: Routes = {
  ask: (_shard, _ask, reply) => reply(lostRefusal()),
  deliver: (_shard, _delivery, reply) => reply(lostRefusal()),
  broadcast: () => undefined,
};

/** How a worker takes part in a cluster. */
interface ClusterPart {
  readonly routes: Routes;
  readonly far: FarNodes;
  /** In the worker that has the links to other nodes. */
  readonly bridge?: Bridge;
}

/** The other workers of this process: where asks for their shards go, and what they may ask of us. */
export class Peers implements Routes {
  readonly worker: number;
  readonly #world: World;
  readonly workers: number;
  readonly #links = new Map<number, Link>();
  #thread!: Thread;
  #cluster: ClusterPart | undefined;
  /** What the other workers may ask of this one. */
  readonly #answers: Handlers = {
    ask: (packed, reply, signal) => this.#thread.post(unpackAsk(packed, signal), reply),
    deliver: (delivery, reply) => this.#thread.deliver(delivery, reply),
    askHere: (packed, reply, signal) => this.#thread.post(unpackAsk(packed, signal), reply, nowhere),
    deliverHere: (delivery, reply) => this.#thread.deliver(delivery, reply, nowhere),
    take: ({ shards, view }, reply) => {
      this.#thread.take(shards, view);
      reply(null);
    },
    release: ({ shard }, reply) => releaseShard(this.#thread, shard, reply),
    events: (look, reply) => lookForEvents(this.#thread, look, reply),
    stats: (_all, reply) => reply(statsOf(this.#thread, this.worker)),
    actors: (filter, reply) => reply(listActors(this.#thread, filter)),
  };

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
      { ...this.#answers, ...this.#cluster?.bridge?.forWorkers },
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
    const link = this.#links.get(workerOf(shard, this.workers));
    if (this.#cluster !== undefined) this.#cluster.routes.ask(shard, ask, reply);
    else if (link === undefined) reply(goneRefusal());
    else link.ask("ask", ask, reply);
  }

  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    const link = this.#links.get(workerOf(shard, this.workers));
    if (this.#cluster !== undefined) this.#cluster.routes.deliver(shard, delivery, reply);
    else if (link === undefined) reply(goneRefusal());
    else link.call("deliver", delivery, reply);
  }

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

  link(worker: number): Link | undefined {
    return this.#links.get(worker);
  }

  /** Events of every worker by its number; a worker that is away is asked again when it is back. */
  eventSources(): Map<EventPlace, EventSource> {
    const sources = new Map<EventPlace, EventSource>(this.#cluster?.far.eventSources());
    sources.set(this.worker, (look, done) => lookForEvents(this.#thread, look, done));
    for (const [worker, link] of this.#links)
      sources.set(worker, (look, done) => void link.call("events", look, done));
    return sources;
  }

  /** Undefined: the process is alone with its store. */
  get far(): FarNodes | undefined {
    return this.#cluster?.far;
  }

  /** Asks every other worker the same; those that are away, or stuck, are left out. */
  askAll<Op extends "stats" | "actors">(operation: Op, request: Calls[Op]["request"]) {
    return askAll(this.#links.values(), askAllMsMax, operation, request);
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
}
