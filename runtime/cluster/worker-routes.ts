import { isRefusal, type Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { goneRefusal, type Link } from "../links/link.ts";
import { workerOf } from "../links/protocol.ts";
import { isLost } from "../refusals.ts";
import type { Delivery } from "../shard/outbox.ts";
import type { Routes } from "../thread/thread.ts";
import type { Peers } from "../workers/peers.ts";
import { bridgeWorker } from "./bootstrap.ts";
import { FarNodes, farWaitMs } from "./far-nodes.ts";
import { ownersOf } from "./rendezvous.ts";
import type { Member, View } from "./view.ts";

interface Road {
  readonly link: Link | undefined;
  /** To the worker that should have it, and to no other. */
  readonly isDirect: boolean;
}

/** How a worker without links to other nodes reaches shards: those of this node directly, all others by the bridge. */
export class WorkerRoutes implements Routes {
  readonly #peers: Peers;
  readonly #self: string;
  readonly #shardCount: number;
  readonly far: FarNodes;
  #members: readonly Member[] = [];
  #owners: readonly (string | undefined)[] = [];
  /** Shards that should be here and were not found: they are on their way. */
  readonly #away = new Set<number>();

  constructor(peers: Peers, self: string, shardCount: number) {
    this.#peers = peers;
    this.#self = self;
    this.#shardCount = shardCount;
    this.far = new FarNodes({
      node: self,
      members: () => this.#members,
      call: (operation, request, reply) => {
        const link = this.#peers.link(bridgeWorker);
        if (link === undefined) reply(goneRefusal());
        // Longer than that worker waits itself.
        else link.callWithin(farWaitMs(operation) * 1.5, operation, request, reply);
      },
    });
  }

  setView(view: View): void {
    this.#members = view.members;
    this.#owners = ownersOf(view.members, this.#shardCount);
    this.#away.clear();
  }

  ask(shard: number, ask: Ask, reply: (answer: Answer) => void): void {
    const { link, isDirect } = this.#road(shard);
    if (link === undefined) reply(goneRefusal());
    else if (!isDirect) link.ask("ask", ask, reply);
    else
      link.ask("askHere", ask, (answer) => {
        if (isRefusal(answer)) this.#look(shard, answer);
        reply(answer);
      });
  }

  deliver(shard: number, delivery: Delivery, reply: (refusal: Refusal | undefined) => void): void {
    const { link, isDirect } = this.#road(shard);
    if (link === undefined) reply(goneRefusal());
    else if (!isDirect) link.call("deliver", delivery, reply);
    else
      link.call("deliverHere", delivery, (refusal) => {
        if (refusal !== undefined) this.#look(shard, refusal);
        reply(refusal);
      });
  }

  broadcast(topic: string, payload: unknown): void {
    this.#peers.tellWorkers(topic, payload);
  }

  #road(shard: number): Road {
    const worker = workerOf(shard, this.#peers.workers);
    const isHere = this.#owners[shard] === this.#self && !this.#away.has(shard);
    if (!isHere || worker === this.#peers.worker)
      return { link: this.#peers.link(bridgeWorker), isDirect: false };
    return { link: this.#peers.link(worker), isDirect: worker !== bridgeWorker };
  }

  #look(shard: number, refusal: Refusal): void {
    if (isLost(refusal)) this.#away.add(shard);
  }
}
