import { type Refusal, refuse } from "#base";
import type { Asker } from "./ask.ts";
import type { ClusterReport, NodeStats } from "./cluster/bootstrap.ts";
import type { EventLook } from "./event-page.ts";
import { type LookDone, lookForEvents } from "./events.ts";
import { type ActorFilter, type ListedActor, listActors, statsOf, type ThreadStats } from "./stats.ts";
import { pastEvents, subscribe } from "./subscribe.ts";
import { drain } from "./thread/drain.ts";
import { Thread, type ThreadOptions } from "./thread/thread.ts";
import { storedBytes } from "./thread/usage.ts";
import type { Peers } from "./workers/peers.ts";

export interface RuntimeOptions extends ThreadOptions {
  readonly shards: readonly number[];
  /** Membership version on which that rests; one for a single process. */
  readonly view?: number;
}

export interface Runtime extends Asker {
  subscribe: NonNullable<Asker["subscribe"]>;
  pastEvents: NonNullable<Asker["pastEvents"]>;
  onBroadcast(listener: (topic: string, payload: unknown) => void): () => void;
  /** Stats of every thread of the process that answers, this one first. */
  stats(): Promise<readonly ThreadStats[]>;
  /** Entities in memory; threads that do not answer are left out. */
  actors(filter: ActorFilter): Promise<readonly ListedActor[]>;
  /** What these tenants have stored in all shards of the store, in bytes. It takes long where they have much. */
  storedBytes(tenants: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Stats of the threads of all nodes that answer, this one first; of one node where there is no cluster. */
  clusterStats(): Promise<readonly NodeStats[]>;
  /** Undefined: this process is alone with its store. */
  cluster(): Promise<ClusterReport | undefined>;
  /** Has a node give its shards away and leave the list of nodes. */
  drainNode(node: string): Promise<Refusal | undefined>;
  /** Takes no more asks; resolves when what was taken is answered and stored. */
  drain(): Promise<void>;
  /** Ends at once, as a crash would: nothing is written any more. */
  stop(): void;
}

/** Before a thread that is being replaced is asked for events again. */
const eventsPauseMs = 200;

/** Opens the shards and answers for them. Resolves when all of them are ready. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const thread = new Thread(options);
  await thread.open(options.shards, options.view ?? 1);
  return runtimeOf(thread);
}

/** The face of a thread; with peers, it speaks for all threads of the process. */
export function runtimeOf(thread: Thread, peers?: Peers): Runtime {
  const pause = (step: () => void) => void thread.world.setTimer(eventsPauseMs, step);
  const own = new Map([[0, (look: EventLook, done: LookDone) => lookForEvents(thread, look, done)]]);
  const sources = () => peers?.eventSources() ?? own;
  const stats = async () => [
    statsOf(thread, peers?.worker ?? 0),
    ...((await peers?.askAll("stats", null)) ?? []),
  ];
  return {
    ask: (ask) => new Promise((resolve) => thread.ask(ask, resolve)),
    post: (ask, reply) => thread.ask(ask, reply),
    subscribe: (from, signal) => subscribe(sources, from, signal, pause),
    pastEvents: (tenant, past) => {
      const { shardCount } = thread.limits;
      return pastEvents(sources, { tenant, past, shardCount });
    },
    onBroadcast(listener) {
      thread.broadcastListeners.add(listener);
      return () => void thread.broadcastListeners.delete(listener);
    },
    storedBytes: (tenants) => storedBytes(thread.storage.tables, tenants),
    stats,
    actors: async (filter) =>
      [
        listActors(thread, filter),
        ...((await peers?.askAll("actors", filter)) ?? []),
        ...((await peers?.far?.actors(filter)) ?? []),
      ].flat(),
    clusterStats: async () => [
      { node: peers?.far?.node ?? "", allStats: await stats() },
      ...((await peers?.far?.stats()) ?? []),
    ],
    cluster: async () => await peers?.far?.report(),
    drainNode: async (node) => (peers?.far === undefined ? aloneRefusal() : await peers.far.drain(node)),
    drain: () => drain(thread),
    stop: () => thread.stop(),
  };
}

function aloneRefusal(): Refusal {
  return refuse("FAILED_PRECONDITION", "this process is alone with its store: there is no cluster");
}
