import { modules } from "#actors";
import { limits } from "#base";
import { startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { type LoadedConfig, splitAddress } from "./config/index.ts";
import { openDoors } from "./doors.ts";
import { createFront } from "./http/front.ts";
import { listenMetrics } from "./listen.ts";
import { type Operations, operationsPages, readinessOf } from "./ops/index.ts";
import { storageSettings } from "./settings.ts";
import { createLog, exposition, Metrics } from "./telemetry/index.ts";

export interface Service {
  /** Port by listener: http, grpc, native, internal, metrics. */
  readonly ports: Readonly<Record<string, number>>;
  /** Resolves if the service cannot go on; then only a new process helps. */
  readonly failed: Promise<Error>;
  /** Answers what was taken, stores what was decided, and lets go of everything. */
  stop(): Promise<void>;
}

/** One node: storage, runtime and doors. */
export async function startService({ config }: LoadedConfig): Promise<Service> {
  const log = createLog(config["log.level"]);
  const metrics = new Metrics();
  const host = await startStorage(storageSettings(config));
  const storage = await attachStorage(host.seat(0).data);
  const runtime = await startRuntime({
    storage,
    definitions: modules.flatMap((module) => module.actors),
    world: systemWorld(),
    logger: log,
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
  });
  let serving = false;
  const operations: Operations = {
    readiness: () =>
      readinessOf({
        serving: () => serving,
        storage: () => host.health(),
        queue: async () => ({ status: "healthy", detail: "shards are served" }),
      }),
    metrics: async () => exposition([metrics.snapshot()]),
  };
  const doors = await openDoors({
    config,
    asker: runtime,
    handlers: {},
    operations,
    log,
    metrics,
    httpPort: splitAddress(config["server.http_addr"]).port,
    http2: true,
  });
  const listeners = [...doors.listeners];
  if (config["server.metrics_addr"] !== "") {
    const errorsUrl = config["api.errors_url"];
    const front = createFront({
      rest: () => undefined,
      rpc: { handle: () => undefined, refuse: () => undefined },
      pages: operationsPages(operations),
      allowedHosts: [],
      cors: { allowedOrigins: [] },
      errorsUrl,
    });
    listeners.push(await listenMetrics(front, config, log));
  }
  serving = true;
  return {
    ports: Object.fromEntries(listeners.map(({ name, port }) => [name, port])),
    failed: new Promise(() => undefined),
    async stop() {
      serving = false;
      await doors.drain();
      await runtime.drain();
      await doors.close();
      await storage.close();
      await host.close();
    },
  };
}
