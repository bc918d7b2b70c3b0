import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import { limits, once } from "#base";
import { type ClusterStatus, type Supervisor, superviseWorkers } from "#runtime";
import { type StorageHealth, type StorageHost, startStorage } from "#storage";
import { AuditLog } from "../audit/index.ts";
import { type Config, egressNotice, type LoadedConfig } from "../config/index.ts";
import { type Listener, type ListenParts, listenMetrics, resolveHttpServer } from "../doors/listen.ts";
import { type ClaimedAddresses, claimAddresses, type Ports } from "../doors/ports.ts";
import { processBounds, threadBounds } from "../doors/thread-bounds.ts";
import { createFront } from "../http/front.ts";
import { canSharePorts } from "../http/shared-port.ts";
import { loadEvidenceKey, loadKeys } from "../key-ring/index.ts";
import { type Operations, operationsPages, readinessOf } from "../ops/index.ts";
import { storageSettings } from "../settings.ts";
import { createLog, exposition } from "../telemetry/index.ts";
import { openCacheCheck } from "./cache-check.ts";
import { ClusterNode } from "./cluster-node.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { Crew } from "./crew.ts";
import { descriptorsMax } from "./descriptors.ts";
import { freeStuck } from "./stuck.ts";
import type { WorkerApp } from "./thread-messages.ts";
import { workerCount } from "./worker-count.ts";
import { workerHeapMegabytes } from "./worker-heap.ts";
import { workersComponent } from "./workers-component.ts";

export interface Service {
  /** Port by listener: http, grpc, native, internal, metrics. */
  readonly ports: Ports;
  /** Answers what was taken, stores what was decided, and lets go of everything. */
  stop(): Promise<void>;
}

/** One node: the main thread has the storage host and the metrics page; everything else is in the workers. */
export async function startService(loaded: LoadedConfig): Promise<Service> {
  // The cores are busy with workers and clients already: helpers of a collection that lasts a millisecond only take turns waiting for it.
  setFlagsFromString("--no-parallel-scavenge");
  // A request passes some hundred small functions. V8 joins fewer of its own accord (460 and 920 bytes): a tenth more routes.
  setFlagsFromString("--max-inlined-bytecode-size=1000");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=4000");
  const log = createLog(loaded.config["log.level"]);
  const config = { ...loaded.config, "server.http_server": await resolveHttpServer(loaded.config, log) };
  const claimed = await claimAddresses(config);
  try {
    return await startClaimed({ ...loaded, config }, claimed, log);
  } catch (error) {
    await claimed.release();
    throw error;
  }
}

async function startClaimed(
  { config, profile }: LoadedConfig,
  { ports, release }: ClaimedAddresses,
  log: Logger,
): Promise<Service> {
  const storageHost = await startStorage(storageSettings(config));
  const { audit, cache } = await openBeside(config, storageHost, log);
  const count = workerCount(config);
  const { members, formats } = storageHost;
  const cluster = members && formats && new ClusterNode(config, { members, formats }, count, log);
  const bounds = processBounds(config, count, descriptorsMax());
  const processMetrics = once(startProcessMetrics);
  let supervisor: Supervisor | undefined;
  let serving = false;

  const operations: Operations = {
    readiness: shared(() =>
      readinessOf({
        serving: () => serving,
        storage: async () => noted(await storageHost.health()),
        ...(cache === undefined ? {} : { cache: () => cache.answers() }),
        queue: async () =>
          cluster?.component() ??
          workersComponent({ ready: supervisor?.ready() ?? [], count, health: crew.health }),
      }),
    ),
    metrics: shared(
      async () =>
        (await exposition([
          ...(await crew.snapshots()),
          ...(audit === undefined ? [] : [audit.snapshot()]),
          ...(cluster === undefined ? [] : [cluster.snapshot()]),
        ])) + (await (await processMetrics()).metrics()),
    ),
  };
  let lastState = "healthy";
  /** The page says that something is wrong, the log says what. */
  function noted(health: StorageHealth): StorageHealth {
    if (health.state !== lastState)
      log.warn({ state: health.state, detail: health.detail }, "storage changed its state");
    lastState = health.state;
    return health;
  }
  const crew = new Crew(operations, ports, log, audit);
  let metrics: Listener | undefined;
  try {
    supervisor = await superviseWorkers({
      count,
      workerUrl: new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url),
      workerData: {
        config,
        keys: loadKeys(config, profile),
        evidenceKey: loadEvidenceKey(config),
        sandboxSecret: randomBytes(32),
        bounds,
      } satisfies WorkerApp,
      resourceLimits: {
        maxYoungGenerationSizeMb: limits.youngGenerationMegabytes,
        maxOldGenerationSizeMb: workerHeapMegabytes(count),
      },
      storageHost,
      ...(cluster && {
        cluster: cluster.bootstrap,
        onCluster: (status: ClusterStatus) => cluster.heard(status),
        onLook: () => cluster.look(),
        onLeave: () => void cluster.leave(config["server.shutdown_grace"]),
      }),
      logger: log,
      onWorker: (worker, number) => crew.join(worker, number),
      onStuck: freeStuck,
      stuckAfterMs: config["server.stuck_after"],
    });
    if (config["server.metrics_addr"] !== "")
      metrics = await openMetrics({ config, log, bounds: threadBounds(config, bounds, count) }, operations);
    await crew.open(metrics === undefined ? {} : { metrics: metrics.port });
    await cluster?.join(supervisor, crew.ports);
  } catch (error) {
    await metrics?.close();
    // What has started would keep the process alive and its folder locked.
    cluster?.stop();
    await supervisor?.drain();
    await audit?.close();
    await storageHost.close();
    cache?.close();
    throw error;
  }
  serving = true;
  collectGarbage();
  // As far as V8 itself would let a heap grow at most; of its own it grew a worker's by half. At 1,000 items a second that was
  // a full collection every second, 40 ms each on two cores, and 49 ms for the 99th percentile of a lease; so it is every
  // twelve seconds, and 27 ms. Not before all have started: what starting leaves behind would stay.
  setFlagsFromString("--heap-growing-percent=300");
  if (count > 1 && !canSharePorts())
    log.info(
      { node: process.versions.node },
      "gRPC and HTTP/2 are served by the first worker: all of them can with Node 22.12 and later on Linux",
    );
  log[config["egress.mode"] === "enforce" ? "info" : "warn"](egressNotice(config));
  log.info({ ports: crew.ports, threads: count, storage: config["storage.engine"] }, "ready");
  return {
    ports: crew.ports,
    async stop() {
      serving = false;
      log.info("draining: what was taken is answered, nothing new is taken");
      const late = setTimeout(() => {
        log.error("requests were still in progress when the grace ended");
        process.exit(1);
      }, config["server.shutdown_grace"]);
      await cluster?.leave(config["server.shutdown_grace"] / 2);
      await supervisor.drain();
      cluster?.stop();
      await metrics?.close();
      await audit?.close();
      await storageHost.close();
      cache?.close();
      await release();
      clearTimeout(late);
      log.info("stopped");
    },
  };
}

/** What the main thread has beside its storage; where it cannot be opened the folder is not left locked. */
async function openBeside(config: Config, storageHost: StorageHost, log: Logger) {
  try {
    return { cache: await openCacheCheck(config), audit: AuditLog.open(config, log) };
  } catch (error) {
    await storageHost.close();
    throw error;
  }
}

/** Pages only, and any Host: probes come by pod address. */
function openMetrics(
  parts: Omit<ListenParts, "front" | "sharesPorts">,
  operations: Operations,
): Promise<Listener> {
  const front = createFront({
    rest: { longBody: () => undefined, again: () => false, first: () => false, nearest: () => undefined },
    rpc: { handle: () => undefined, unknown: () => undefined },
    pages: operationsPages(operations),
    allowedHosts: [],
    cors: { allowedOrigins: [] },
    errorsUrl: parts.config["api.errors_url"],
  });
  return listenMetrics({ ...parts, front });
}

/** Stats of the process and this thread. Loaded when they are first read: it is a quarter of the main thread's start. */
async function startProcessMetrics() {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/** A request that comes while an answer is being made gets that one: any client may ask, as often as it likes. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let making: Promise<T> | undefined;
  return () => {
    making ??= make().finally(() => {
      making = undefined;
    });
    return making;
  };
}
