import { isRefusal, type Refusal } from "#base";
import { eventsWaitMs } from "../events.ts";
import type { Calls, Reply } from "../links/protocol.ts";
import type { ActorFilter, ListedActor } from "../stats.ts";
import type { EventSource } from "../subscribe.ts";
import type { ClusterReport, NodeStats } from "./bootstrap.ts";
import type { Member } from "./view.ts";

/** What the worker with the links answers for all workers of its node. */
type FarOperation = "eventsAt" | "nodeStats" | "nodeActors" | "cluster" | "drainNode";

export type FarHandlers = {
  readonly [Op in FarOperation]: (request: Calls[Op]["request"], reply: Reply<Op>) => void;
};

interface FarOptions {
  readonly node: string;
  readonly members: () => readonly Member[];
  /** Replies soon, also where nothing is heard of a node. */
  readonly call: <Op extends FarOperation>(
    operation: Op,
    request: Calls[Op]["request"],
    reply: Reply<Op>,
  ) => void;
}

/** How long the worker with the links waits for a node. */
export function farWaitMs(operation: FarOperation): number {
  return operation === "eventsAt" ? eventsWaitMs * 2 : 1_000;
}

/** What a worker asks of the other nodes beside what is for their entities. */
export class FarNodes {
  readonly #options: FarOptions;

  constructor(options: FarOptions) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.node;
  }

  /** One for each worker of each other node of the list. */
  eventSources(): [string, EventSource][] {
    const { node: self, members, call } = this.#options;
    return members()
      .filter(({ node }) => node !== self)
      .flatMap(({ node, workers }) =>
        Array.from({ length: workers }, (_, worker): [string, EventSource] => [
          `${node}/${worker}`,
          (look, done) => call("eventsAt", { node, worker, look }, done),
        ]),
      );
  }

  stats(): Promise<readonly NodeStats[]> {
    return new Promise((resolve) =>
      this.#options.call("nodeStats", null, (stats) => resolve(isRefusal(stats) ? [] : stats)),
    );
  }

  actors(filter: ActorFilter): Promise<readonly ListedActor[]> {
    return new Promise((resolve) =>
      this.#options.call("nodeActors", filter, (actors) => resolve(isRefusal(actors) ? [] : actors)),
    );
  }

  report(): Promise<ClusterReport | undefined> {
    return new Promise((resolve) =>
      this.#options.call("cluster", null, (report) => resolve(isRefusal(report) ? undefined : report)),
    );
  }

  drain(node: string): Promise<Refusal | undefined> {
    return new Promise((resolve) => this.#options.call("drainNode", node, resolve));
  }
}
