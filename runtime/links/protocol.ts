import type { MessagePort } from "node:worker_threads";
import type { Refusal } from "#base";
import type { Answer, Cancellation } from "../ask.ts";
import type { ClusterBootstrap, ClusterReport, ClusterStatus, NodeStats } from "../cluster/bootstrap.ts";
import type { View } from "../cluster/view.ts";
import type { EventLook, EventPage } from "../event-page.ts";
import type { Delivery } from "../shard/outbox.ts";
import type { ActorFilter, ListedActor, ThreadStats } from "../stats.ts";
import type { PackedAsk } from "./ask-codec.ts";

/** What one thread may want of another, and what it gets. Everything is plain data. */
export interface Calls {
  ask: { request: PackedAsk; reply: Answer };
  deliver: { request: Delivery; reply: Refusal | undefined };
  /** As the two above, for a peer that has the shard; one that has not answers "moved" and asks no other. */
  askHere: { request: PackedAsk; reply: Answer };
  deliverHere: { request: Delivery; reply: Refusal | undefined };
  /** Open these shards on this view of the cluster. */
  take: { request: { readonly shards: readonly number[]; readonly view: number }; reply: null };
  /** Give a shard away on this view; false: not now. */
  release: { request: { readonly shard: number; readonly view: number }; reply: boolean };
  events: { request: EventLook; reply: EventPage };
  stats: { request: null; reply: ThreadStats };
  actors: { request: ActorFilter; reply: readonly ListedActor[] };
  /** Of a worker of another node, by the worker that has the link to it. */
  eventsAt: { request: EventsAt; reply: EventPage };
  /** Of all nodes but that of the asking worker; asked of a node, of that one. */
  nodeStats: { request: null; reply: readonly NodeStats[] };
  nodeActors: { request: ActorFilter; reply: readonly ListedActor[] };
  /** What the worker with the links knows of the cluster. */
  cluster: { request: null; reply: ClusterReport };
  /** Has a node give its shards away. */
  drainNode: { request: string; reply: Refusal | undefined };
}

interface EventsAt {
  readonly node: string;
  readonly worker: number;
  readonly look: EventLook;
}

export type Operation = keyof Calls;

/** Told once what a call has come to; every call may be refused. */
export type Reply<Op extends Operation> = (reply: Calls[Op]["reply"] | Refusal) => void;

/** What answers a peer, by operation; what is not here is refused. The signal says that the caller went away. */
export type Handlers = {
  readonly [Op in Operation]?: (
    request: Calls[Op]["request"],
    reply: Reply<Op>,
    signal: Cancellation,
  ) => void;
};

/** What a frame holds, one after the other: which of these it is, then what it says. A frame is what one iteration of the event loop sends. */
export const items = {
  /** Its number, which operation, the request. */
  call: 0,
  /** The call's number, the reply. */
  reply: 1,
  /** The call's number. */
  cancel: 2,
  /** Topic and payload. */
  broadcast: 3,
  /** How many bytes of frames were read since this was last said. */
  read: 4,
  /** Stands where something turned out not to be plain data. */
  nothing: 5,
} as const;

export const operations: readonly Operation[] = [
  "ask",
  "deliver",
  "events",
  "stats",
  "actors",
  "askHere",
  "deliverHere",
  "take",
  "release",
  "eventsAt",
  "nodeStats",
  "nodeActors",
  "cluster",
  "drainNode",
];

/** From the main thread to a worker. */
export type ControlMessage =
  | { readonly type: "peer"; readonly worker: number; readonly port: MessagePort }
  | { readonly type: "view"; readonly view: View }
  | { readonly type: "quiesce" }
  | { readonly type: "drain" }
  | { readonly type: "close" };

/** From a worker to the main thread. */
export type ControlReply =
  | { readonly type: "ready" }
  | { readonly type: "quiet" }
  | { readonly type: "drained" }
  /** From the worker that has the links to other nodes. */
  | { readonly type: "cluster"; readonly status: ClusterStatus }
  | { readonly type: "look" }
  | { readonly type: "leave" }
  | { readonly type: "failed"; readonly detail: string };

/** What a worker is started with. */
export interface WorkerBootstrap {
  readonly worker: number;
  readonly workers: number;
  readonly shardCount: number;
  readonly storage: unknown;
  /** Present: the process is a node of a cluster, and its shards come and go. */
  readonly cluster: ClusterBootstrap | undefined;
  readonly control: MessagePort;
  /** One counter per worker; each adds to its own while its loop turns. */
  readonly heartbeats: SharedArrayBuffer;
}

/** Static: the shards of an installation go round the workers. */
export function workerOf(shard: number, workers: number): number {
  return shard % workers;
}

export function shardsOf(worker: number, workers: number, shardCount: number): number[] {
  const shards: number[] = [];
  for (let shard = worker; shard < shardCount; shard += workers) shards.push(shard);
  return shards;
}
