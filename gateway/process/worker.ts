import { parentPort, workerData } from "node:worker_threads";
import { makeModules } from "#actors";
import { asError, assert, limits, once, systemClock } from "#base";
import { type ClusterBootstrap, type EffectHandlers, startWorkerRuntime } from "#runtime";
import { AuditRecorder } from "../audit/index.ts";
import { accessOf } from "../calls/access.ts";
import type { ModuleCallParts } from "../calls/module-call.ts";
import { createRunner, type Targets, targetsOf } from "../conformance/index.ts";
import { loadContract } from "../contract/index.ts";
import { type Doors, openDoors } from "../doors/doors.ts";
import { fixedPorts, type Ports, withPorts } from "../doors/ports.ts";
import { runtimeHandlers } from "../doors/runtime-handlers.ts";
import { threadBounds } from "../doors/thread-bounds.ts";
import { canSharePorts } from "../http/shared-port.ts";
import { createKeyHasher } from "../identity/index.ts";
import { createLog, Metrics } from "../telemetry/index.ts";
import { clusterSnapshot } from "./cluster-metrics.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { areAvailable, Dependencies } from "./dependencies.ts";
import { MainQuestions } from "./main-questions.ts";
import { moduleParts } from "./module-parts.ts";
import { runtimeSnapshot, threadSnapshot } from "./runtime-metrics.ts";
import { whenStuck } from "./stuck.ts";
import type { ToMain, ToWorker, WorkerApp } from "./thread-messages.ts";

/** A worker thread: its shards, and the doors that the main thread tells it to open. */
const { app, runtime: bootstrap } = workerData as {
  app: WorkerApp;
  runtime: { worker: number; cluster?: ClusterBootstrap };
};
assert(parentPort !== null, "this module runs in a worker");
const main = parentPort;
const isFirst = bootstrap.worker === 0;
const sharesPorts = canSharePorts();
const metrics = new Metrics();
const log = createLog(app.config["log.level"], { worker: bootstrap.worker });
const questions = new MainQuestions(({ id, what }) => tell({ type: "ask", id, what }));
const bounds = threadBounds(app.config, app.bounds, bootstrap.worker);
const audit =
  app.config["audit.sink"] === "none"
    ? undefined
    : new AuditRecorder((batch) => tell({ type: "audit", batch }));
const ownPorts = new Set(fixedPorts(app.config));
let doors: Doors | undefined;

// uWebSockets.js brings the whole process down if a thread ends with its listener open, or closes it twice.
let hasFailed = false;
process.on("uncaughtException", (error) => {
  if (hasFailed) return;
  hasFailed = true;
  log.error({ err: error }, "a worker failed");
  audit?.close();
  const closed = Promise.all([doors?.close(), hasher.close()]);
  closed.finally(() => process.exit(1)).catch(() => undefined);
});

whenStuck(() => void doors?.close());

let openedInternal!: (parts: ModuleCallParts) => void;
const internal = new Promise<ModuleCallParts>((resolve) => {
  openedInternal = resolve;
});
let foundTargets!: (targets: Targets) => void;
const targets = new Promise<Targets>((resolve) => {
  foundTargets = resolve;
});
const contract = once(() => loadContract());
const access = accessOf(contract);
const hasher = createKeyHasher();
const dependencies = new Dependencies(
  async () => areAvailable(await questions.ask("readiness"), await started),
  () => systemClock.monotonic(),
);
const modules = makeModules(
  moduleParts({
    ...app,
    contract,
    conformance: createRunner({ contract, secret: app.sandboxSecret, targets }),
    internal,
    access,
    hasher,
    objects: async () => (await started).objects,
    ownPorts,
    log,
    metrics,
    dependencies: () => dependencies.read(),
  }),
);
const started = startWorkerRuntime(
  { runtime: bootstrap },
  modules.flatMap((module) => module.actors),
  {
    logger: log,
    effects: Object.assign({}, ...modules.map(({ effects }) => effects)) as EffectHandlers,
    onHealth: (health) => tell({ type: "health", health }),
    dial: async (member) =>
      (await import("../cluster/node-links.ts")).dialNode(app.config, bootstrap.cluster?.node ?? "", member),
    onServed: (method, trace) => doors?.served(method, trace),
  },
);

main.on("message", (message: ToWorker) => {
  switch (message.type) {
    case "open":
      open(message.ports).catch((error: unknown) => {
        log.error({ err: error }, "the doors could not be opened");
        tell({ type: "failed", detail: asError(error).message });
      });
      return;
    case "answer":
      questions.answered(message.id, message.value);
      return;
    case "snapshot":
      snapshot(message.id).catch((error: unknown) => {
        log.error({ err: error }, "the stats of this thread could not be collected");
        tell({ type: "snapshot", id: message.id });
      });
      return;
  }
});

const runtime = await started;
runtime.onDrain(() => doors?.drain());
runtime.onClose(async () => {
  await doors?.close();
  audit?.close();
  await hasher.close();
});

async function open(ports: Ports): Promise<void> {
  const config = withPorts(app.config, ports);
  const asker = await started;
  doors = await openDoors({
    config,
    contract: contract(),
    access,
    hasher,
    asker,
    modules,
    handlers: runtimeHandlers(asker),
    sealing: app.keys !== undefined,
    ...(config["conformance.enabled"] && { sandboxSecret: app.sandboxSecret }),
    operations: { readiness: () => questions.ask("readiness"), metrics: () => questions.ask("metrics") },
    bounds,
    log,
    metrics,
    ...(audit === undefined ? {} : { audit }),
    http: isFirst || sharesPorts || config["server.http_server"] === "uws",
    http2: isFirst || sharesPorts,
    internalPlane: isFirst,
    sharesPorts,
    ...(bootstrap.cluster && { node: bootstrap.cluster.node }),
  });
  const opened = Object.fromEntries(doors.listeners.map(({ name, port }) => [name, port]));
  for (const port of [...Object.values(ports), ...Object.values(opened)]) ownPorts.add(port);
  foundTargets(targetsOf(withPorts(app.config, { ...ports, ...opened })));
  openedInternal({ ...doors.internal, asker, modules });
  collectGarbage();
  void dependencies.look();
  setInterval(() => void dependencies.look(), limits.healthLookMs).unref();
  tell({ type: "opened", ports: opened });
}

/** The runtime answers for all its threads at once, so only one worker asks it. */
async function snapshot(id: number): Promise<void> {
  const own = [await metrics.snapshot(), threadSnapshot(bootstrap.worker)];
  if (isFirst) {
    const runtime = await started;
    own.push(await runtimeSnapshot(runtime), clusterSnapshot(await runtime.cluster()));
  }
  tell({ type: "snapshot", id, snapshots: own });
}

function tell(message: ToMain): void {
  main.postMessage(message);
}
