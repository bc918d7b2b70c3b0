import { isRefusal, type Refusal, refuse } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { askAll, type FramePort, Link } from "../links/link.ts";
import type { Calls, Handlers } from "../links/protocol.ts";
import type { Logger } from "../logger.ts";
import { lostRefusal } from "../refusals.ts";
import type { Delivery } from "../shard/outbox.ts";
import { releaseShard } from "../thread/release.ts";
import type { Routes, Thread } from "../thread/thread.ts";
import { type AnswerOptions, answersTo, type OnServed } from "./answers.ts";
import type { ClusterBootstrap, ClusterReport, ClusterStatus } from "./bootstrap.ts";
import { type FarHandlers, FarNodes, farWaitMs } from "./far-nodes.ts";
import { type Claim, type Holder, Holders } from "./holders.ts";
import { Moves } from "./moves.ts";
import { Nodes } from "./nodes.ts";
import { reportOf } from "./report.ts";
import type { Member, View } from "./view.ts";

export interface BridgeOptions {
  readonly bootstrap: ClusterBootstrap;
  readonly workers: number;
  /** This worker, and the other workers of this node. */
  readonly peers: AnswerOptions["peers"] & { tellWorkers(topic: string, payload: unknown): void };
  readonly thread: Thread;
  readonly logger?: Logger | undefined;
  /** When the last heartbeat began that found this node in the list (monotonic). */
  readonly listedMs: () => number;
  readonly dial: (member: Member) => Promise<FramePort>;
  readonly onServed?: OnServed | undefined;
  /** The list of nodes has a version that this node has not read. */
  readonly look: () => void;
  readonly tell: (status: ClusterStatus) => void;
  /** An operator wants this node to give its shards away. */
  readonly leave: () => void;
  readonly own: AnswerOptions["own"];
}

/** What nodes tell each other beside calls and broadcasts of entities. */
const topics = { held: "~held", view: "~view", ping: "~ping", moving: "~moving" } as const;

/** Something that was broadcast may not have been heard: caches that live by broadcasts start anew. */
export const missedTopic = "~missed";

/**
 * The worker of a node that has the links to the others. It knows who holds which shard, hands on what is for them, and
 * takes the shards that this node should have.
 */
export class Bridge implements Routes {
  readonly #options: BridgeOptions;
  readonly #holders = new Holders();
  readonly #nodes: Nodes;
  readonly #moves: Moves;
  readonly #answers: Handlers;
  readonly far: FarNodes;
  #view: View | undefined;
  #telling = false;
  /** What is on its way to other nodes, as they told last. */
  readonly #movingTo = new Map<string, readonly number[]>();
  /** For what came from another node: it is answered here or not at all, so it can never go round. */
  readonly #here: Routes = {
    ask: (shard, ask, reply) => {
      const link = this.#workerLink(shard);
      if (link === undefined) reply(lostRefusal());
      else link.ask("askHere", ask, reply);
    },
    deliver: (shard, delivery, reply) => {
      const link = this.#workerLink(shard);
      if (link === undefined) reply(lostRefusal());
      else link.call("deliverHere", delivery, reply);
    },
    broadcast: () => undefined,
  };

  constructor(options: BridgeOptions) {
    this.#options = options;
    const { bootstrap, thread, logger } = options;
    this.#nodes = new Nodes({
      self: bootstrap.node,
      world: thread.world,
      limits: thread.limits,
      logger,
      listedMs: options.listedMs,
      dial: options.dial,
      open: (node, port, closed) => this.#open(node, port, closed),
      joined: (link) => {
        link.broadcast(topics.held, this.#holders.local);
        if (this.#view !== undefined) link.broadcast(topics.view, this.#view.version);
        // What was told while there was no link went nowhere.
        this.#missed();
      },
      gone: (node) => {
        this.#holders.delete(node);
        this.#movingTo.delete(node);
        this.#missed();
        this.#changed();
      },
      ping: (link) => link.broadcast(topics.ping, null),
      silent: () => this.#missed(),
    });
    this.#moves = new Moves({
      self: bootstrap.node,
      movesAtOnce: bootstrap.movesAtOnce,
      holders: this.#holders,
      thread,
      isLinked: (node) => this.#holders.claimsOf(node) !== undefined,
      release: (holder, shard, view, done) => this.#release(holder, shard, view, done),
      take: (shards, view) => this.#take(shards, view),
      changed: () => this.#tellSoon(),
    });
    this.far = new FarNodes({
      node: bootstrap.node,
      members: () => this.#view?.members ?? [],
      call: (operation, request, reply) => this.forWorkers[operation](request, reply),
    });
    this.#answers = answersTo({
      node: bootstrap.node,
      thread,
      peers: options.peers,
      here: this.#here,
      onServed: options.onServed,
      leave: options.leave,
      own: options.own,
      give: (shard, view, done) => this.#moves.give(shard, view, done),
    });
  }

  setView(view: View): void {
    const { version = view.version } = this.#view ?? {};
    if (this.#view !== undefined && view.version <= version) return;
    // A node of a list that was not read may have been there and have told something.
    if (view.version > version + 1) this.#missed();
    this.#view = view;
    this.#nodes.setMembers(view.members);
    this.#nodes.broadcast(topics.view, view.version);
    this.#moves.setView(view);
    this.#tellSoon();
  }

  /** A worker of this node says what it holds; undefined: it is gone, and what it held comes back with its successor. */
  held(worker: number, claims: readonly Claim[] | undefined): void {
    if (claims === undefined) this.#holders.delete(worker);
    else {
      this.#moves.heard(worker, claims);
      this.#holders.set(worker, claims);
    }
    this.#nodes.broadcast(topics.held, this.#holders.local);
    this.#changed();
  }

  opened(shard: number): void {
    this.#moves.opened(shard);
  }

  accept(node: string, port: FramePort): void {
    this.#nodes.connect(node, port);
  }

  ask(shard: number, ask: Ask, reply: (answer: Answer) => void): void {
    const node = this.#nodeLink(shard);
    if (node === undefined) this.#here.ask(shard, ask, reply);
    // Clocks of nodes differ: what goes over is how long the caller still waits.
    else node.ask("askHere", { ...ask, deadlineMs: ask.deadlineMs - this.#nowMs }, reply);
  }

  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    const node = this.#nodeLink(shard);
    if (node === undefined) this.#here.deliver(shard, delivery, reply);
    else node.call("deliverHere", delivery, reply);
  }

  /** Of this node's entities, for all others. */
  broadcast(topic: string, payload: unknown): void {
    this.#options.peers.tellWorkers(topic, payload);
    this.#nodes.broadcast(topic, payload);
  }

  /** Heard from another worker of this node. */
  relay(topic: string, payload: unknown): void {
    this.#nodes.broadcast(topic, payload);
  }

  /** What the workers of this node ask of the others. */
  readonly forWorkers: FarHandlers = {
    eventsAt: (request, reply) => {
      const link = this.#nodes.link(request.node);
      if (link === undefined) reply(lostRefusal());
      else link.callWithin(farWaitMs("eventsAt"), "eventsAt", request, reply);
    },
    nodeStats: (all, reply) => void this.#askAll("nodeStats", all).then((lists) => reply(lists.flat())),
    nodeActors: (filter, reply) =>
      void this.#askAll("nodeActors", filter).then((lists) => reply(lists.flat())),
    cluster: (_all, reply) => reply(this.report()),
    drainNode: (node, reply) => this.#drain(node, reply),
  };

  report(): ClusterReport {
    const { bootstrap, thread } = this.#options;
    return reportOf({
      node: bootstrap.node,
      members: this.#view?.members ?? [],
      status: this.status(),
      movingTo: this.#movingTo,
      limits: thread.limits,
      stats: this.#moves.stats,
    });
  }

  /** Operators are told soon what is known: a node that is stuck does not hide the others. */
  #askAll<Op extends "nodeStats" | "nodeActors">(operation: Op, request: Calls[Op]["request"]) {
    return askAll(this.#nodes.links(), farWaitMs(operation), operation, request);
  }

  #drain(node: string, reply: (refusal: Refusal | undefined) => void): void {
    if (node === this.#options.bootstrap.node) {
      this.#options.leave();
      reply(undefined);
      return;
    }
    const link = this.#nodes.link(node);
    if (link === undefined) reply(refuse("NOT_FOUND", `there is no node ${node} that can be reached`));
    else link.callWithin(farWaitMs("drainNode"), "drainNode", node, reply);
  }

  status(): ClusterStatus {
    const { shardCount } = this.#options.thread.limits;
    return {
      version: this.#view?.version ?? 0,
      held: this.#holders.local.length,
      unheld: shardCount - this.#holders.count,
      moving: this.#moves.moving,
      links: this.#nodes.list().map((link) => ({
        ...link,
        held: this.#holders.claimsOf(link.node)?.size ?? 0,
      })),
    };
  }

  close(): void {
    this.#moves.stop();
    this.#nodes.close();
  }

  #open(node: string, port: FramePort, closed: () => void): Link {
    const { thread } = this.#options;
    return new Link(
      port,
      thread.world,
      this.#answers,
      (topic, payload) => this.#hear(node, topic, payload),
      closed,
      thread.limits,
    );
  }

  #hear(node: string, topic: string, payload: unknown): void {
    this.#nodes.heard(node);
    switch (topic) {
      case topics.ping:
        return;
      case topics.moving:
        this.#movingTo.set(node, payload as readonly number[]);
        return;
      case topics.view:
        if ((payload as number) > (this.#view?.version ?? 0)) this.#options.look();
        return;
      case topics.held:
        this.#holders.set(node, payload as readonly Claim[]);
        this.#moves.taken(node);
        this.#changed();
        return;
      default:
        this.#options.thread.hear(topic, payload);
        this.#options.peers.tellWorkers(topic, payload);
    }
  }

  #nodeLink(shard: number): Link | undefined {
    const holder = this.#holders.of(shard);
    return typeof holder === "string" ? this.#nodes.link(holder) : undefined;
  }

  #workerLink(shard: number): Link | undefined {
    const holder = this.#holders.of(shard);
    return typeof holder === "number" ? this.#options.peers.link(holder) : undefined;
  }

  get #nowMs(): number {
    return this.#options.thread.world.clock.now();
  }

  #release(holder: Holder, shard: number, view: number, done: (released: boolean) => void): void {
    const { peers, thread } = this.#options;
    if (holder === peers.worker) {
      releaseShard(thread, shard, done);
      return;
    }
    const link = typeof holder === "number" ? peers.link(holder) : this.#nodes.link(holder);
    if (link === undefined) done(true);
    else link.call("release", { shard, view }, (released) => done(isRefusal(released) || released));
  }

  #take(shards: readonly number[], view: number): void {
    const { thread, peers, workers } = this.#options;
    // Until they are open, a holder that cannot be heard may have decided something and told it to others.
    this.#missed();
    thread.world.setTimer(thread.limits.nodeSilentMs, () => this.#missed());
    for (let worker = 0; worker < workers; worker++) {
      const own = shards.filter((shard) => shard % workers === worker);
      if (own.length === 0) continue;
      if (worker === peers.worker) thread.take(own, view);
      else peers.link(worker)?.call("take", { shards: own, view }, () => undefined);
    }
  }

  #missed(): void {
    this.#options.thread.hear(missedTopic, null);
    this.#options.peers.tellWorkers(missedTopic, null);
  }

  #changed(): void {
    this.#moves.step();
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#telling) return;
    this.#telling = true;
    this.#options.thread.world.later(() => {
      this.#telling = false;
      const status = this.status();
      this.#options.tell(status);
      this.#nodes.broadcast(topics.moving, status.moving);
    });
  }
}
