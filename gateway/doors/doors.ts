import type { Logger } from "pino";
import type { Access, KeyHasher, Module } from "#actors";
import { systemClock } from "#base";
import type { Asker, Runtime, WorkerRuntime } from "#runtime";
import type { Plane } from "../calls/call.ts";
import type { Invoker } from "../calls/invoke.ts";
import { OpenCalls } from "../calls/open-calls.ts";
import type { CallAudit, Providers } from "../calls/stages/stage.ts";
import { Stopping } from "../calls/stopping.ts";
import type { Handler } from "../calls/targets.ts";
import { Tenants } from "../calls/tenants.ts";
import type { Config } from "../config/index.ts";
import { sandboxPrincipal } from "../conformance/index.ts";
import type { Contract } from "../contract/index.ts";
import type { ThreadBounds } from "../http/bounds.ts";
import type { Operations } from "../ops/index.ts";
import { createCallTelemetry, type Metrics, parseTraceparent, startTracing } from "../telemetry/index.ts";
import {
  type Listener,
  listenGrpcPlane,
  listenHttp,
  listenInternalPlane,
  listenNativePlane,
} from "./listen.ts";
import { createPlane } from "./plane.ts";
import { openProviders } from "./providers.ts";
import { openRateLimiter } from "./rate-limiter.ts";

export interface DoorParts {
  readonly config: Config;
  readonly contract: Contract;
  readonly access: Access;
  readonly hasher: KeyHasher;
  readonly asker: Asker & Pick<Runtime, "onBroadcast" | "storedBytes"> & Pick<WorkerRuntime, "acceptNode">;
  readonly modules: readonly Module[];
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Whether there is a key that seals credentials. */
  readonly sealing?: boolean;
  /** Of the keys that open sandbox tenants; absent: none are taken. */
  readonly sandboxSecret?: Uint8Array;
  readonly operations: Operations;
  readonly bounds: ThreadBounds;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly audit?: CallAudit;
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
  const planeOf = (plane: Plane) =>
    createPlane({
      ...shared,
      plane,
      providers: { ...providers[plane], ...common, ...(plane === "external" && sandbox(parts)) },
    });
  const external = planeOf("external");
  const internal = planeOf("internal");
  const listeners: Listener[] = [];
  try {
    if (parts.http) listeners.push(await listenHttp({ ...parts, front: external.front }));
    if (parts.http2) {
      if (config["server.grpc_addr"] !== "") listeners.push(await listenGrpcPlane(external.invoker, parts));
      if (config["api.addr"] !== "")
        listeners.push(await listenNativePlane({ ...parts, front: external.front }));
    }
    if (parts.internalPlane && config["server.internal_addr"] !== "")
      listeners.push(
        await listenInternalPlane({
          ...parts,
          sharesPorts: false,
          ...(parts.asker.acceptNode && { acceptNode: parts.asker.acceptNode }),
          front: internal.front,
        }),
      );
  } catch (error) {
    // A thread that ends with a listener of uWebSockets.js open takes the whole process with it.
    await Promise.all(listeners.map((listener) => listener.close()));
    closeRateLimiter();
    await providers.close();
    tenants.close();
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
      await Promise.all(listeners.map((listener) => listener.close()));
      closeRateLimiter();
      await providers.close();
      tenants.close();
      await tracing?.close();
    },
  };
}

function sandbox({ sandboxSecret: secret }: DoorParts): Pick<Providers, "sandbox"> {
  return secret ? { sandbox: (key) => sandboxPrincipal(secret, key, systemClock.now()) } : {};
}
