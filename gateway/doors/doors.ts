import type { Logger } from "pino";
import type { KeyHasher } from "#actors";
import { systemClock } from "#base";
import type { Asker, Runtime, WorkerRuntime } from "#runtime";
import type { Plane } from "../calls/call.ts";
import type { Invoker } from "../calls/invoke.ts";
import { OpenCalls } from "../calls/open-calls.ts";
import type { Providers } from "../calls/stages/stage.ts";
import { Stopping } from "../calls/stopping.ts";
import { Tenants } from "../calls/tenants.ts";
import { sandboxPrincipal } from "../conformance/index.ts";
import { createCallTelemetry, type Metrics, parseTraceparent, startTracing } from "../telemetry/index.ts";
import {
  type Listener,
  listenGrpcPlane,
  listenHttp,
  listenInternalPlane,
  listenNativePlane,
} from "./listen.ts";
import { createPlane, type PlaneParts } from "./plane.ts";
import { openProviders } from "./providers.ts";
import { openRateLimiter } from "./rate-limiter.ts";

type OfPlane =
  | "config"
  | "contract"
  | "access"
  | "modules"
  | "handlers"
  | "sealing"
  | "operations"
  | "bounds"
  | "audit";

export interface DoorParts extends Pick<PlaneParts, OfPlane> {
  readonly hasher: KeyHasher;
  readonly asker: Asker & Pick<Runtime, "onBroadcast" | "storedBytes"> & Pick<WorkerRuntime, "acceptNode">;
  /** Of the keys that open sandbox tenants; absent: none are taken. */
  readonly sandboxSecret?: Uint8Array;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** HTTP/1.1. */
  readonly http: boolean;
  /** gRPC and HTTP/2. */
  readonly http2: boolean;
  /** The internal plane: of one thread, since what comes by it is little. */
  readonly internalPlane: boolean;
  /** Node's own servers listen on ports that other threads listen on too. uWebSockets.js always does. */
  readonly sharesPorts: boolean;
  /** The name of this node in its cluster. */
  readonly node?: string;
}

/** Everything of one thread that the outside can talk to. */
export interface Doors {
  readonly listeners: readonly Listener[];
  /** For calls that modules make. */
  readonly internal: Invoker;
  /** A traced call of another node comes to an entity here; what is returned is called with its end. */
  served(method: string, trace: string): ((code: string) => void) | undefined;
  /** Takes no new calls and resolves when those under way have been answered. */
  drain(): Promise<void>;
  /** After it the thread may exit. */
  close(): Promise<void>;
}

export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { config, log, metrics } = parts;
  const endpoint = config["telemetry.otlp_endpoint"];
  const tracing =
    endpoint === ""
      ? undefined
      : await startTracing({
          endpoint,
          samplePercent: config["telemetry.sample_percent"],
          ...(parts.node !== undefined && { node: parts.node }),
        });
  const { rateLimiter, close: closeRateLimiter } = await openRateLimiter(config, log, metrics);
  const openCalls = new OpenCalls();
  const providers = openProviders({ ...parts, openCalls });
  const tenants = new Tenants(parts.asker);
  const common = { tenants, ...(rateLimiter === undefined ? {} : { rateLimiter }) };
  const shared = {
    ...parts,
    vouching: providers.external,
    telemetry: createCallTelemetry(metrics, log, tracing),
    stopping: new Stopping(),
    openCalls,
  };
  const planeOf = (plane: Plane, mcp?: Pick<PlaneParts, "createMcpDoor">) =>
    createPlane({
      ...shared,
      ...mcp,
      plane,
      providers: { ...providers[plane], ...common, ...(plane === "external" && sandbox(parts)) },
    });
  const mcp = config["mcp.enabled"] ? await import("../mcp/index.ts") : undefined;
  const external = planeOf("external", mcp);
  const internal = planeOf("internal");
  const listeners: Listener[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
    closeRateLimiter();
    await providers.close();
    tenants.close();
  };
  try {
    if (parts.http) listeners.push(await listenHttp({ ...parts, front: external.front }));
    if (parts.http2) {
      if (config["server.grpc_addr"] !== "") listeners.push(await listenGrpcPlane(external.invoker, parts));
      if (config["api.addr"] !== "")
        listeners.push(await listenNativePlane({ ...parts, front: external.front }));
    }
    if (parts.internalPlane && config["server.internal_addr"] !== "")
      listeners.push(
        await listenInternalPlane(
          { ...parts, sharesPorts: false, front: internal.front },
          parts.asker.acceptNode,
        ),
      );
  } catch (error) {
    // A thread that ends with a listener of uWebSockets.js open takes the whole process with it.
    await close();
    throw error;
  }
  return {
    listeners,
    internal: internal.invoker,
    served(method, trace) {
      const parent = parseTraceparent(trace);
      if (tracing === undefined || parent === undefined) return undefined;
      const span = tracing.serve(method, parent);
      return (code) => span.end(code);
    },
    async drain() {
      shared.stopping.begin();
      await Promise.all(listeners.map((listener) => listener.drain()));
      await tenants.tellUsed();
    },
    async close() {
      await close();
      await tracing?.close();
    },
  };
}

function sandbox({ sandboxSecret: secret }: DoorParts): Pick<Providers, "sandbox"> {
  return secret ? { sandbox: (key) => sandboxPrincipal(secret, key, systemClock.now()) } : {};
}
