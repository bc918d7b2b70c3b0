import { isRefusal, type Refusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import type { EventPage } from "../event-page.ts";
import { eventsWaitMs, pollEvents } from "../events.ts";
import { type PackedAsk, RemoteCancellation, unpackAsk } from "../links/ask-codec.ts";
import { goneRefusal, type Link } from "../links/link.ts";
import type { Calls, Operation } from "../links/protocol.ts";
import { lostRefusal } from "../refusals.ts";
import type { Delivery } from "../shard/outbox.ts";
import type { ActorFilter, ListedActor, ThreadStats } from "../stats.ts";
import type { Routes, Thread } from "../thread/thread.ts";

/** A traced ask of another node has come; what is returned is called with the code of its answer. */
export type OnServed = (method: string, trace: string) => ((code: string) => void) | undefined;

export interface AnswerOptions {
  readonly node: string;
  readonly thread: Thread;
  /** The worker that answers, and the links to the other workers of this node. */
  readonly peers: { readonly worker: number; link(worker: number): Link | undefined };
  /** To the workers of this node only. */
  readonly here: Routes;
  readonly onServed: OnServed | undefined;
  readonly leave: () => void;
  readonly own: {
    stats(): Promise<readonly ThreadStats[]>;
    actors(filter: ActorFilter): Promise<readonly ListedActor[]>;
  };
  /** Gives a shard to the node that asks for it. */
  readonly give: (shard: number, view: number, done: (released: boolean) => void) => void;
}

/** What this node answers to the other nodes. */
export class Answers {
  readonly #options: AnswerOptions;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  /** Returns how the call is cancelled, where it can be. */
  answer(operation: Operation, request: unknown, reply: (reply: unknown) => void): (() => void) | undefined {
    const { thread, here, own, node, leave, give } = this.#options;
    switch (operation) {
      case "askHere": {
        const cancellation = new RemoteCancellation();
        const ask = unpackAsk(request as PackedAsk, cancellation);
        const deadlineMs = ask.deadlineMs + thread.world.clock.now();
        thread.post({ ...ask, deadlineMs }, this.#traced(ask, reply), here);
        return () => cancellation.cancel();
      }
      case "deliverHere":
        thread.deliver(request as Delivery, (refusal) => reply(refusal ?? null), here);
        return undefined;
      case "release": {
        const { shard, view } = request as Calls["release"]["request"];
        give(shard, view, reply);
        return undefined;
      }
      case "eventsAt": {
        const { worker, cursor } = request as Calls["eventsAt"]["request"];
        this.#eventsOf(worker, cursor, reply);
        return undefined;
      }
      case "nodeStats":
        void own.stats().then((allStats) => reply([{ node, allStats }]));
        return undefined;
      case "nodeActors":
        void own.actors(request as Calls["nodeActors"]["request"]).then(reply);
        return undefined;
      case "drainNode":
        leave();
        reply(null);
        return undefined;
      default:
        reply(lostRefusal());
        return undefined;
    }
  }

  #traced({ method, caller }: Ask, reply: (answer: Answer) => void): (answer: Answer) => void {
    const end = caller.trace === undefined ? undefined : this.#options.onServed?.(method, caller.trace);
    if (end === undefined) return reply;
    return (answer) => {
      end(isRefusal(answer) ? answer.code : "OK");
      reply(answer);
    };
  }

  #eventsOf(
    worker: number,
    cursor: Calls["events"]["request"],
    reply: (reply: EventPage | Refusal) => void,
  ): void {
    const { peers, thread } = this.#options;
    if (worker === peers.worker) {
      pollEvents(thread, new Map(cursor), eventsWaitMs, (refusal, page) => reply(refusal ?? page));
      return;
    }
    const link = peers.link(worker);
    if (link === undefined) reply(goneRefusal());
    else link.call("events", cursor, (refusal, page) => reply(refusal ?? page));
  }
}
