import { assert } from "#base";
import { attachStorage, nameThread, type Objects } from "#storage";
import type { AnyActorDefinition } from "../actor.ts";
import type { OnServed } from "../cluster/answers.ts";
import { bridgeWorker, type ClusterBootstrap } from "../cluster/bootstrap.ts";
import { Bridge } from "../cluster/bridge.ts";
import { ProofReader } from "../cluster/proof.ts";
import type { Member, View } from "../cluster/view.ts";
import { WorkerRoutes } from "../cluster/worker-routes.ts";
import type { EffectHandlers } from "../effects/effect.ts";
import type { FramePort } from "../links/link.ts";
import { type ControlMessage, type ControlReply, shardsOf, type WorkerBootstrap } from "../links/protocol.ts";
import type { Logger } from "../logger.ts";
import { type Runtime, runtimeOf } from "../start.ts";
import { listActors, statsOf } from "../stats.ts";
import { drain, endWaits, quiesce } from "../thread/drain.ts";
import type { ThreadHealth } from "../thread/health.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import { Thread, type ThreadOptions } from "../thread/thread.ts";
import { systemWorld, type World } from "../world.ts";
import { Peers } from "./peers.ts";
import { ShardTree } from "./shard-tree.ts";

export interface WorkerRuntime extends Runtime {
  /** Called when the process shuts down: close listeners here. Awaited before the last asks are. */
  onDrain(step: () => Promise<void> | void): void;
  /** Called when everything is stored: the last thing before the thread ends. */
  onClose(step: () => Promise<void> | void): void;
  readonly worker: number;
  /** In the worker with the links to other nodes: one of them has connected. */
  readonly acceptNode?: (node: string, port: FramePort) => void;
  /** Large bodies, in the storage of this worker. */
  readonly objects: Objects;
}

export interface WorkerOptions {
  readonly limits?: Partial<RuntimeLimits>;
  readonly logger?: Logger;
  readonly effects?: EffectHandlers;
  readonly dial?: (member: Member) => Promise<FramePort>;
  readonly onServed?: OnServed;
  readonly onHealth?: (health: ThreadHealth) => void;
}

const heartbeatMs = 250;

/** Inside a worker started by `superviseWorkers`: attaches its storage, opens its shards, links to the other workers. */
export async function startWorkerRuntime(
  workerData: { readonly runtime: unknown },
  definitions: readonly AnyActorDefinition[],
  options: WorkerOptions = {},
): Promise<WorkerRuntime> {
  const bootstrap = workerData.runtime as WorkerBootstrap;
  assert(bootstrap?.control !== undefined, "the worker was started by superviseWorkers");
  nameThread(`worker-${bootstrap.worker}`);
  const world = systemWorld();
  const storage = await attachStorage(bootstrap.storage, (sentence) => options.logger?.warn({}, sentence));
  const peers = new Peers(world, bootstrap);
  const limits = { ...options.limits, shardCount: bootstrap.shardCount };
  const { logger, effects, onHealth } = options;
  const tree = new ShardTree();
  const proof =
    bootstrap.cluster &&
    new ProofReader(bootstrap.cluster.proof, bootstrap.cluster.node, bootstrap.shardCount);
  const thread = new Thread({
    storage,
    definitions,
    world,
    limits,
    logger,
    effects,
    routes: peers,
    supervisor: tree,
    onHealth,
    ...(proof && clusterOptions(proof, world)),
  });
  peers.serve(thread);
  const cluster =
    bootstrap.cluster &&
    proof &&
    joinCluster(bootstrap, bootstrap.cluster, { peers, thread, proof, options });
  const steps: Steps = { drain: [], close: [] };
  const stopBeating = beat(bootstrap);
  const stop = async () => {
    thread.stop();
    tree.stop();
    peers.close();
    stopBeating();
    await storage.close();
  };
  const setView = (view: View) => {
    proof?.setView(view);
    cluster?.routes.setView(view);
  };
  obey(bootstrap, { thread, peers, steps, stop, setView });
  // The shards of a cluster's node come with its view.
  if (cluster === undefined)
    await thread.open(shardsOf(bootstrap.worker, bootstrap.workers, bootstrap.shardCount), onlyView);
  tell(bootstrap, { type: "ready" });
  return {
    ...runtimeOf(thread, peers),
    ...(cluster?.bridge && { acceptNode: (node, port) => cluster.bridge?.accept(node, port) }),
    worker: bootstrap.worker,
    objects: storage.objects,
    onDrain: (step) => void steps.drain.push(step),
    onClose: (step) => void steps.close.push(step),
  };
}

/** Of a process that is alone with its store. */
const onlyView = 1;

function clusterOptions(proof: ProofReader, world: World): Partial<ThreadOptions> {
  return {
    retries: true,
    provenMs: (shard) => proof.provenMs(shard, world.clock.monotonic()),
    reachesStore: () => proof.reachesStore,
  };
}

interface ClusterParts {
  readonly peers: Peers;
  readonly thread: Thread;
  readonly proof: ProofReader;
  readonly options: WorkerOptions;
}

function joinCluster(
  bootstrap: WorkerBootstrap,
  cluster: ClusterBootstrap,
  { peers, thread, proof, options }: ClusterParts,
) {
  if (bootstrap.worker !== bridgeWorker) {
    const routes = new WorkerRoutes(peers, cluster.node, bootstrap.shardCount);
    peers.joinCluster({ routes, far: routes.far });
    return { routes };
  }
  const { dial, logger } = options;
  assert(dial !== undefined, "a node of a cluster can reach the others");
  const bridge = new Bridge({
    bootstrap: cluster,
    workers: bootstrap.workers,
    peers,
    thread,
    logger,
    listedMs: () => proof.listedMs(thread.world.clock.monotonic()),
    dial,
    onServed: options.onServed,
    look: () => tell(bootstrap, { type: "look" }),
    tell: (status) => tell(bootstrap, { type: "cluster", status }),
    leave: () => tell(bootstrap, { type: "leave" }),
    own: {
      stats: async () => [statsOf(thread, peers.worker), ...(await peers.askAll("stats", null))],
      actors: async (filter) =>
        [listActors(thread, filter), ...(await peers.askAll("actors", filter))].flat(),
    },
  });
  peers.joinCluster({ routes: bridge, far: bridge.far, bridge });
  return { routes: bridge, bridge };
}

type Step = () => Promise<void> | void;

interface Steps {
  readonly drain: Step[];
  readonly close: Step[];
}

interface Controlled {
  readonly thread: Thread;
  readonly peers: Peers;
  readonly steps: Steps;
  readonly stop: () => Promise<void>;
  readonly setView: (view: View) => void;
}

function obey(bootstrap: WorkerBootstrap, { thread, peers, steps, stop, setView }: Controlled): void {
  const act = async (message: ControlMessage) => {
    switch (message.type) {
      case "peer":
        peers.connect(message.worker, message.port);
        return;
      case "view":
        setView(message.view);
        return;
      case "quiesce":
        endWaits(thread);
        for (const step of steps.drain) await step();
        await quiesce(thread);
        return tell(bootstrap, { type: "quiet" });
      case "drain":
        await drain(thread);
        return tell(bootstrap, { type: "drained" });
      case "close":
        for (const step of steps.close) await step();
        await stop();
        bootstrap.control.close();
        // In a worker this ends the thread only, whatever handle a library may have left open.
        process.exit(0);
    }
  };
  bootstrap.control.on("message", (message: ControlMessage) => {
    act(message).catch((error: unknown) => tell(bootstrap, { type: "failed", detail: String(error) }));
  });
}

function tell({ control }: WorkerBootstrap, reply: ControlReply): void {
  control.postMessage(reply);
}

/** Shows the main thread that this loop turns. */
function beat(bootstrap: WorkerBootstrap): () => void {
  const counters = new Int32Array(bootstrap.heartbeats);
  const timer = setInterval(() => Atomics.add(counters, bootstrap.worker, 1), heartbeatMs);
  return () => clearInterval(timer);
}
