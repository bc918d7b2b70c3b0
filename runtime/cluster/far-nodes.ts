import { isRefusal, type Refusal } from "#base";
import { eventsWaitMs, told } from "../events.ts";
import { goneRefusal } from "../links/link.ts";
import type { Calls } from "../links/protocol.ts";
import type { ActorFilter, ListedActor } from "../stats.ts";
import type { EventSource } from "../subscribe.ts";
import type { ClusterReport, NodeStats } from "./bootstrap.ts";
import type { Member } from "./view.ts";

/** What the worker with the links answers for all workers of its node. */
export type FarOperation = "eventsAt" | "nodeStats" | "nodeActors" | "cluster" | "drainNode";

interface FarOptions {
  readonly node: () => string;
  readonly members: () => readonly Member[];
  readonly call: <Op extends FarOperation>(
    operation: Op,
    request: Calls[Op]["request"],
    reply: (reply: Calls[Op]["reply"] | Refusal) => void,
  ) => void;
  readonly setTimer: (delayMs: number, step: () => void) => () => void;
}

/** Longer than the worker with the links waits for the nodes. */
const answerMsMax = 1_500;

/** What a worker asks of the other nodes beside what is for their entities. */
export class FarNodes {
  readonly #options: FarOptions;

  constructor(options: FarOptions) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.node();
  }

  /** One for each worker of each other node of the list. */
  eventSources(): [string, EventSource][] {
    return this.#options
      .members()
      .filter(({ node }) => node !== this.node)
      .flatMap(({ node, workers }) =>
        Array.from({ length: workers }, (_, worker): [string, EventSource] => [
          `${node}/${worker}`,
          (cursor, done) => {
            const request = { node, worker, cursor: [...cursor] };
            this.#once("eventsAt", request, eventsWaitMs * 2, (refusal, page) => told(done, refusal, page));
          },
        ]),
      );
  }

  stats(): Promise<readonly NodeStats[]> {
    return this.#list("nodeStats", null);
  }

  actors(filter: ActorFilter): Promise<readonly ListedActor[]> {
    return this.#list("nodeActors", filter);
  }

  report(): Promise<ClusterReport | undefined> {
    return new Promise((resolve) =>
      this.#once("cluster", null, answerMsMax, (refusal, report) =>
        resolve(refusal === undefined ? report : undefined),
      ),
    );
  }

  drain(node: string): Promise<Refusal | undefined> {
    return new Promise((resolve) =>
      this.#once("drainNode", node, answerMsMax, (refusal, answer) =>
        resolve(refusal ?? (answer === null ? undefined : answer)),
      ),
    );
  }

  #list<Op extends "nodeStats" | "nodeActors">(
    operation: Op,
    request: Calls[Op]["request"],
  ): Promise<Calls[Op]["reply"]> {
    return new Promise((resolve) =>
      this.#once(operation, request, answerMsMax, (refusal, reply) =>
        resolve(refusal === undefined ? reply : ([] as never)),
      ),
    );
  }

  /** A link that does not answer is an answer, too. */
  #once<Op extends FarOperation>(
    operation: Op,
    request: Calls[Op]["request"],
    withinMs: number,
    done: (refusal: Refusal | undefined, reply: Calls[Op]["reply"]) => void,
  ): void {
    let ended = false;
    const end = (answer: Calls[Op]["reply"] | Refusal) => {
      if (ended) return;
      ended = true;
      cancel();
      if (isRefusal(answer)) done(answer, undefined as never);
      else done(undefined, answer as Calls[Op]["reply"]);
    };
    const cancel = this.#options.setTimer(withinMs, () => end(goneRefusal()));
    this.#options.call(operation, request, end);
  }
}
