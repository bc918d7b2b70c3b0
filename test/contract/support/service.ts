import type { Module, StreamHandler } from "#actors";
import { limits, refuse } from "#base";
import { type Asker, type EffectHandlers, type Runtime, startRuntime, systemWorld } from "#runtime";
import { attachStorage, startStorage } from "#storage";
import { accessOf } from "../../../gateway/calls/access.ts";
import type { Plane } from "../../../gateway/calls/call.ts";
import { createInvoke } from "../../../gateway/calls/invoke.ts";
import { moduleCall } from "../../../gateway/calls/module-call.ts";
import type { OpenCalls } from "../../../gateway/calls/open-calls.ts";
import type { StageObserver } from "../../../gateway/calls/pipeline.ts";
import type {
  CallAudit,
  PipelineSettings,
  PipelineTelemetry,
  Providers,
} from "../../../gateway/calls/stages/stage.ts";
import type { Handler } from "../../../gateway/calls/targets.ts";
import { Tenants } from "../../../gateway/calls/tenants.ts";
import { type Config, loadConfig } from "../../../gateway/config/index.ts";
import { discoveryHandlers } from "../../../gateway/discovery/index.ts";
import { runtimeHandlers } from "../../../gateway/doors/runtime-handlers.ts";
import { connectErrorOf } from "../../../gateway/errors/connect.ts";
import type { ThreadBounds } from "../../../gateway/http/bounds.ts";
import { createFront, type Front } from "../../../gateway/http/front.ts";
import { moduleRoutes } from "../../../gateway/http/module-routes.ts";
import { listenNode } from "../../../gateway/http/node.ts";
import { createRestHandler } from "../../../gateway/http/rest/handler.ts";
import type { HttpServerOptions } from "../../../gateway/http/server.ts";
import { listenUws } from "../../../gateway/http/uws.ts";
import { createMcpDoor } from "../../../gateway/mcp/index.ts";
import { listenGrpc } from "../../../gateway/rpc/grpc.ts";
import { createRpcHandler } from "../../../gateway/rpc/http.ts";
import { listenNative, type NativeOptions } from "../../../gateway/rpc/native.ts";
import { createSocketDoor } from "../../../gateway/rpc/sockets.ts";
import { askerOf } from "../../support/asker.ts";
import { testBounds } from "../../support/bounds.ts";
import { letModulesCall, modules } from "../../support/module-parts.ts";
import { quietTelemetry, testSettings } from "./parts.ts";
import { loadProbeContract, probeAsker, probeHandlers } from "./probe.ts";

export interface TestServiceOptions {
  /** True: also the product's entities, in memory; otherwise only what the gateway answers itself. */
  readonly runtime?: boolean;
  /** Callers of unknown tenants are refused; needs `runtime`. */
  readonly tenants?: boolean;
  readonly settings?: Partial<PipelineSettings>;
  readonly providers?: Providers;
  /** Instead: made from the entities, for each plane separately. */
  readonly vouching?: (runtime: Runtime) => Readonly<Record<Plane, Providers>>;
  readonly telemetry?: Partial<PipelineTelemetry>;
  readonly audit?: CallAudit;
  readonly observeStage?: StageObserver;
  /** Instead of what the modules do, by the name of a streaming method. */
  readonly streams?: (method: string) => StreamHandler;
  readonly openCalls?: OpenCalls;
  /** Stands before the entities, for calls of both planes. */
  readonly before?: (asker: Asker) => Asker;
  /** The internal plane listens once more, where it requires a client certificate. */
  readonly internalTls?: NonNullable<NativeOptions["tls"]>;
  /** Serves assistants on the external plane, with these settings; absent: it does not. */
  readonly mcp?: Partial<Config>;
  /** Settings of every listener; others have their defaults. */
  readonly bounds?: Partial<ThreadBounds>;
}

export interface TestService {
  readonly ports: {
    uws: number;
    node: number;
    grpc: number;
    native: number;
    internal: number;
    internalGrpc: number;
    internalTls: number;
  };
  close(): Promise<void>;
}

export const probeContract = loadProbeContract();

/** Both planes and every listener in this process, over one set of entities. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const behind = options.runtime
    ? await startEntities()
    : { asker: nobody, runtime: undefined, modules: [], handlers: {}, close: async () => undefined };
  const tenants = options.tenants && behind.runtime ? new Tenants(behind.runtime) : undefined;
  const probing = probeAsker(behind.asker);
  const asker = options.before?.(probing) ?? probing;
  const vouching = behind.runtime && options.vouching?.(behind.runtime);
  const parts = { ...behind, asker, vouching, common: { ...options.providers, ...(tenants && { tenants }) } };
  const external = planeOf("external", parts, options);
  const internal = planeOf("internal", parts, options);
  letModulesCall(moduleCall({ ...internal.invoker, asker, modules: parts.modules }));
  const bounds = testBounds(options.bounds);
  const grpc = { host: "127.0.0.1", port: 0, messageBytesMax: limits.bodyBytesMax, bounds };
  const innerHttp = httpOptions(internal.front, bounds);
  const [uws, node, native, inner, outerGrpc, innerGrpc, certified] = await Promise.all([
    listenUws(httpOptions(external.front, bounds)),
    listenNode(httpOptions(external.front, bounds)),
    listenNative(httpOptions(external.front, bounds)),
    listenNative({ ...innerHttp, http1: true }),
    listenGrpc({ ...grpc, invoker: external.invoker }),
    listenGrpc({ ...grpc, invoker: internal.invoker }),
    options.internalTls &&
      listenNative({ ...innerHttp, tls: options.internalTls, requireClientCertificate: true }),
  ]);
  return {
    ports: {
      uws: uws.port,
      node: node.port,
      grpc: outerGrpc.port,
      native: native.port,
      internal: inner.port,
      internalGrpc: innerGrpc.port,
      internalTls: certified?.port ?? 0,
    },
    async close() {
      const servers = [uws, node, native, inner, outerGrpc, innerGrpc, certified];
      await Promise.all(servers.map((server) => server?.close()));
      tenants?.close();
      await behind.close();
    },
  };
}

const { config } = loadConfig({ profile: "dev", environment: {}, set: ["dynamic_config.enabled=true"] });

interface Behind {
  readonly asker: Asker;
  readonly modules: readonly Module[];
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly vouching: Readonly<Record<Plane, Providers>> | undefined;
  /** For both planes. */
  readonly common: Providers;
}

function planeOf(plane: Plane, behind: Behind, options: TestServiceOptions) {
  const providers = { ...behind.common, ...behind.vouching?.[plane] };
  const invoker = createInvoke({
    contract: probeContract,
    plane,
    asker: behind.asker,
    modules: options.streams ? behind.modules.map(streaming(options.streams)) : behind.modules,
    handlers: {
      ...discoveryHandlers({
        contract: probeContract,
        config,
        providers: behind.vouching?.external ?? behind.common,
        access: accessOf(() => probeContract),
      }),
      ...probeHandlers,
      ...behind.handlers,
    },
    providers,
    settings: { ...testSettings, ...options.settings },
    telemetry: { ...quietTelemetry, ...options.telemetry },
    ...(options.audit && { audit: options.audit }),
    ...(options.openCalls && { openCalls: options.openCalls }),
    ...(options.observeStage && { observeStage: options.observeStage }),
  });
  const rpc = {
    invoker,
    registry: probeContract.registry,
    messageBytesMax: limits.bodyBytesMax,
    bounds: testBounds(),
    nativeAddresses: ":50051 and :50052",
    errorsUrl,
    connectErrorOf,
  };
  const mcp =
    plane === "internal" || options.mcp === undefined
      ? undefined
      : createMcpDoor({ invoker, contract: probeContract, config: { ...config, ...options.mcp } });
  const front = createFront({
    ...(mcp && { mcp: mcp.door }),
    rest: createRestHandler(invoker, { errorsUrl, bodyBytesMax: limits.bodyBytesMax }),
    rpc: createRpcHandler(rpc),
    sockets: createSocketDoor(rpc),
    pages: mcp?.pages ?? new Map(),
    allowedHosts: [],
    cors: { allowedOrigins: [] },
    ...(plane === "external" && { routes: moduleRoutes({ ...behind, ...options, providers, errorsUrl }) }),
    errorsUrl,
  });
  return { invoker, front };
}

function streaming(streamOf: (method: string) => StreamHandler) {
  return (module: Module): Module => {
    const names = Object.keys(module.streams ?? {});
    return { ...module, streams: Object.fromEntries(names.map((name) => [name, streamOf(name)])) };
  };
}

const errorsUrl = "https://errors.test";

function httpOptions(front: Front, bounds: ThreadBounds): HttpServerOptions {
  return {
    host: "127.0.0.1",
    port: 0,
    bounds,
    bodyBytesMax: limits.bodyBytesMax,
    bodyTimeoutMs: 5_000,
    ...front,
    onError: (error) => console.error(error),
  };
}

const nobody = askerOf(() => refuse("UNAVAILABLE", "nobody is here"));

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

async function startEntities() {
  const host = await startStorage({ engine: "memory" });
  const storage = await attachStorage(host.bootstrap(0).data);
  const runtime = await startRuntime({
    storage,
    definitions: modules.flatMap((module) => module.actors),
    effects: Object.assign({}, ...modules.map(({ effects }) => effects)) as EffectHandlers,
    world: systemWorld(),
    logger: silent,
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
  });
  return {
    asker: runtime as Asker,
    runtime,
    modules,
    handlers: runtimeHandlers(runtime),
    async close() {
      await runtime.drain();
      runtime.stop();
      await storage.close();
      await host.close();
    },
  };
}
