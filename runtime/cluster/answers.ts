import { isRefusal } from "#base";
import type { Answer, Ask } from "../ask.ts";
import { lookForEvents } from "../events.ts";
import { unpackAsk } from "../links/ask-codec.ts";
import { goneRefusal, type Link } from "../links/link.ts";
import type { Handlers } from "../links/protocol.ts";
import type { ActorFilter, ListedActor, ThreadStats } from "../stats.ts";
import type { Routes, Thread } from "../thread/thread.ts";

/** A traced ask of another node has come; what is returned is called with the code of its answer. */
export type OnServed = (method: string, trace: string) => ((code: string) => void) | undefined;

export interface AnswerOptions {
  readonly node: string;
  readonly thread: Thread;
  /** The worker that answers, and the links to the other workers of this node. */
  readonly peers: { readonly worker: number; link(worker: number): Link | undefined };
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
export function answersTo({
  node,
  thread,
  peers,
  here,
  onServed,
  leave,
  own,
  give,
}: AnswerOptions): Handlers {
  return {
    askHere(packed, reply, signal) {
      const ask = unpackAsk(packed, signal);
      const deadlineMs = ask.deadlineMs + thread.world.clock.now();
      thread.post({ ...ask, deadlineMs }, traced(ask, onServed, reply), here);
    },
    deliverHere: (delivery, reply) => thread.deliver(delivery, reply, here),
    release: ({ shard, view }, reply) => give(shard, view, reply),
    eventsAt({ worker, look }, reply) {
      const link = peers.link(worker);
      if (worker === peers.worker) lookForEvents(thread, look, reply);
      else if (link === undefined) reply(goneRefusal());
      else link.call("events", look, (page) => reply(page));
    },
    nodeStats: (_all, reply) => void own.stats().then((allStats) => reply([{ node, allStats }])),
    nodeActors: (filter, reply) => void own.actors(filter).then(reply),
    drainNode(_this, reply) {
      leave();
      reply(undefined);
    },
  };
}

function traced(
  { method, caller }: Ask,
  onServed: OnServed | undefined,
  reply: (answer: Answer) => void,
): (answer: Answer) => void {
  const end = caller.trace === undefined ? undefined : onServed?.(method, caller.trace);
  if (end === undefined) return reply;
  return (answer) => {
    end(isRefusal(answer) ? answer.code : "OK");
    reply(answer);
  };
}
