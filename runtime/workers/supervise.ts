import { MessageChannel, type MessagePort, type ResourceLimits, type Worker } from "node:worker_threads";
import { limits } from "#base";
import type { StorageHost } from "#storage";
import type { ClusterBootstrap, ClusterStatus } from "../cluster/bootstrap.ts";
import type { View } from "../cluster/view.ts";
import type { ControlMessage, ControlReply, WorkerBootstrap } from "../links/protocol.ts";
import type { Logger } from "../logger.ts";
import { startThread } from "./start-thread.ts";

export interface SuperviseOptions {
  /** Workers, each with a gateway and its share of the shards. */
  readonly count: number;
  /** The module a worker runs; it calls `startWorkerRuntime(workerData, …)`. */
  readonly workerUrl: URL;
  /** Given to every worker as `workerData.app`. */
  readonly workerData?: unknown;
  readonly storageHost: StorageHost;
  readonly resourceLimits?: ResourceLimits;
  readonly shardCount?: number;
  /** The process is a node of a cluster: workers begin without shards, and get them by `setView`. */
  readonly cluster?: ClusterBootstrap;
  /** What the worker with the links to other nodes says of the cluster. */
  readonly onCluster?: (status: ClusterStatus) => void;
  /** That worker has heard of a version of the list of nodes that this process has not read. */
  readonly onLook?: () => void;
  /** An operator wants this node to give its shards away. */
  readonly onLeave?: () => void;
  readonly logger?: Logger;
  /** Called for every worker that is started, replacements too: to talk with it. */
  readonly onWorker?: (worker: Worker, number: number) => void;
  /** Called for a worker that is stuck, before it is terminated: what must be let go of first. It counts as part of the ending. */
  readonly onStuck?: (worker: Worker) => Promise<void>;
  /** How long a worker may stay without turning its loop before it is replaced; two seconds at least. */
  readonly stuckAfterMs?: number;
}

export interface Supervisor {
  readonly ready: () => readonly number[];
  /** Stops the way SIGTERM should: nothing new is taken, everything taken is answered and stored. */
  drain(): Promise<void>;
  /** Tells every worker, and those that come later, who belongs to the cluster. */
  setView(view: View): void;
}

interface Bootstrap {
  readonly worker: Worker;
  readonly control: MessagePort;
  state: "starting" | "ready" | "leaving";
  beats: number;
  silentLooks: number;
  readyMs: number | undefined;
}

const lookMs = 1_000;
const exitMsMax = 5_000;
const startLooksMax = 60;
/** Callers wait no longer than this for an answer, so neither does a shutdown. */
const drainMsMax = limits.requestTimeoutMs + 5_000;
/** A worker that fails soon after its start, ready or not, is started again after this, doubled up to the maximum. */
const restartMs = 100;
const restartMsMax = 5_000;
const restartsForgottenMs = 60_000;

/**
 * Starts the workers, links each with each, and replaces one that ends: only after its `exit`, with a new journal and
 * new epochs. If `exit` does not come the process ends: a thread that cannot be got rid of may still hold its shards.
 */
export async function superviseWorkers(options: SuperviseOptions): Promise<Supervisor> {
  const supervision = new Supervision(options);
  await supervision.start();
  return {
    ready: () => supervision.ready(),
    drain: () => supervision.drain(),
    setView: (view) => supervision.setView(view),
  };
}

class Supervision {
  readonly #options: SuperviseOptions;
  readonly #bootstraps = new Map<number, Bootstrap>();
  readonly #heartbeats: SharedArrayBuffer;
  /** How often the worker in a place was replaced of late. */
  readonly #restarts = new Map<number, number>();
  #look: NodeJS.Timeout | undefined;
  #draining = false;
  #view: View | undefined;

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#heartbeats = new SharedArrayBuffer(options.count * 4);
  }

  async start(): Promise<void> {
    const starts = Array.from({ length: this.#options.count }, (_, worker) => this.#startWorker(worker));
    try {
      await Promise.all(starts);
    } catch (failure) {
      // No other code could end them: the caller of this start gets no supervisor.
      await this.drain();
      throw failure;
    }
    this.#look = setInterval(() => this.#lookForStuck(), lookMs);
  }

  ready(): number[] {
    return [...this.#bootstraps]
      .filter(([, bootstrap]) => bootstrap.state === "ready")
      .map(([number]) => number);
  }

  async drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    clearInterval(this.#look);
    await this.#tellAll("quiesce", "quiet");
    await this.#tellAll("drain", "drained");
    await Promise.all([...this.#bootstraps.values()].map((bootstrap) => this.#end(bootstrap)));
  }

  setView(view: View): void {
    this.#view = view;
    for (const bootstrap of this.#bootstraps.values()) tell(bootstrap, { type: "view", view });
  }

  /** Resolves when the worker is ready; rejects when the first in its place ends before. */
  #startWorker(number: number): Promise<void> {
    const bootstrap = this.#newBootstrap(number);
    this.#bootstraps.set(number, bootstrap);
    this.#link(number, bootstrap);
    if (this.#view !== undefined) tell(bootstrap, { type: "view", view: this.#view });
    this.#options.onWorker?.(bootstrap.worker, number);
    return this.#watch(number, bootstrap);
  }

  #newBootstrap(number: number): Bootstrap {
    const { count, workerUrl, workerData, storageHost, shardCount, resourceLimits } = this.#options;
    const { port1: control, port2 } = new MessageChannel();
    const storage = storageHost.bootstrap(number);
    const runtime: WorkerBootstrap = {
      worker: number,
      workers: count,
      shardCount: shardCount ?? limits.shardCount,
      storage: storage.data,
      cluster: this.#options.cluster,
      control: port2,
      heartbeats: this.#heartbeats,
    };
    const worker = startThread(workerUrl, {
      workerData: { runtime, app: workerData },
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
      transferList: [port2, ...storage.transfer],
    });
    return { worker, control, state: "starting", beats: 0, silentLooks: 0, readyMs: undefined };
  }

  #watch(number: number, bootstrap: Bootstrap): Promise<void> {
    const { worker, control } = bootstrap;
    return new Promise((resolve, reject) => {
      let failure: unknown;
      worker.on("error", (error) => {
        failure = error;
        this.#options.logger?.error({ err: error, worker: number }, "a worker failed");
      });
      control.on("message", (reply: ControlReply) => {
        if (reply.type === "cluster") this.#options.onCluster?.(reply.status);
        else if (reply.type === "look") this.#options.onLook?.();
        else if (reply.type === "leave") this.#options.onLeave?.();
        if (reply.type !== "ready") return;
        bootstrap.state = "ready";
        bootstrap.readyMs = performance.now();
        resolve();
      });
      worker.on("exit", (code) => {
        const wasReady = bootstrap.readyMs !== undefined;
        control.close();
        if (this.#bootstraps.get(number) === bootstrap) this.#bootstraps.delete(number);
        if (this.#draining) return;
        const isFirst = !this.#restarts.has(number);
        if (isFirst && !wasReady)
          reject(failure ?? new Error(`worker ${number} ended with ${code} before it was ready`));
        else this.#replace(number, bootstrap);
      });
    });
  }

  #replace(number: number, { readyMs = Number.POSITIVE_INFINITY }: Bootstrap): void {
    if (performance.now() - readyMs >= restartsForgottenMs) this.#restarts.delete(number);
    const times = this.#restarts.get(number) ?? 0;
    this.#restarts.set(number, times + 1);
    const delayMs = times === 0 ? 0 : Math.min(restartMs * 2 ** times, restartMsMax);
    this.#options.logger?.warn({ worker: number, delayMs }, "a worker has ended and is replaced");
    setTimeout(() => {
      if (!this.#draining) void this.#startWorker(number);
    }, delayMs);
  }

  /** Gives the new worker and every other a port to each other. */
  #link(number: number, bootstrap: Bootstrap): void {
    for (const [other, otherBootstrap] of this.#bootstraps) {
      if (other === number) continue;
      const { port1, port2 } = new MessageChannel();
      tell(bootstrap, { type: "peer", worker: other, port: port1 }, [port1]);
      tell(otherBootstrap, { type: "peer", worker: number, port: port2 }, [port2]);
    }
  }

  #lookForStuck(): void {
    const counters = new Int32Array(this.#heartbeats);
    // Between two looks a thread that is well may happen not to have beaten.
    const looksMax = Math.max(2, Math.ceil((this.#options.stuckAfterMs ?? limits.workerStuckMs) / lookMs));
    for (const [number, bootstrap] of this.#bootstraps) {
      if (bootstrap.state === "leaving") continue;
      const beats = Atomics.load(counters, number);
      bootstrap.silentLooks = beats === bootstrap.beats ? bootstrap.silentLooks + 1 : 0;
      bootstrap.beats = beats;
      // A start may load a lot before its first beat.
      if (bootstrap.silentLooks < (bootstrap.state === "ready" ? looksMax : looksMax + startLooksMax))
        continue;
      this.#options.logger?.error({ worker: number }, "a worker is stuck and is ended");
      this.#terminate(bootstrap, this.#options.onStuck);
    }
  }

  /** A thread that does not end keeps its shards: better no process than two writers in one. */
  #terminate(bootstrap: Bootstrap, first?: (worker: Worker) => Promise<void>): void {
    if (bootstrap.state === "leaving") return;
    bootstrap.state = "leaving";
    const timer = setTimeout(() => {
      this.#options.logger?.error({}, "a worker did not end in time: the process ends");
      process.exit(1);
    }, exitMsMax);
    bootstrap.worker.once("exit", () => clearTimeout(timer));
    const ready = first?.(bootstrap.worker).catch((error: unknown) => {
      this.#options.logger?.error({ err: error }, "a stuck worker is ended as it is");
    });
    Promise.resolve(ready)
      .then(() => bootstrap.worker.terminate())
      .catch(() => undefined);
  }

  async #tellAll(type: "quiesce" | "drain", expected: ControlReply["type"]): Promise<void> {
    const bootstraps = [...this.#bootstraps.values()].filter((bootstrap) => bootstrap.state === "ready");
    await Promise.all(bootstraps.map((bootstrap) => this.#tellOne(bootstrap, type, expected)));
  }

  #tellOne(bootstrap: Bootstrap, type: "quiesce" | "drain", expected: ControlReply["type"]): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#options.logger?.warn({ type }, "a worker did not drain in time");
        resolve();
      }, drainMsMax);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      bootstrap.control.on("message", (reply: ControlReply) => {
        if (reply.type === expected || reply.type === "failed") done();
      });
      bootstrap.worker.once("exit", done);
      tell(bootstrap, { type });
    });
  }

  #end(bootstrap: Bootstrap): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#terminate(bootstrap), exitMsMax);
      bootstrap.worker.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      tell(bootstrap, { type: "close" });
    });
  }
}

function tell(bootstrap: Bootstrap, message: ControlMessage, transfer: MessagePort[] = []): void {
  bootstrap.control.postMessage(message, transfer);
}
