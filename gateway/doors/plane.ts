import type { Access, Module } from "#actors";
import type { Asker } from "#runtime";
import type { Plane } from "../calls/call.ts";
import { createInvoke, type Invoker } from "../calls/invoke.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import { currentApiVersion } from "../calls/stages/api-version.ts";
import type { CallAudit, PipelineTelemetry, Providers } from "../calls/stages/stage.ts";
import type { Stopping } from "../calls/stopping.ts";
import type { Handler } from "../calls/targets.ts";
import type { Config } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import { discoveryHandlers, discoveryPages } from "../discovery/index.ts";
import { connectErrorOf } from "../errors/connect.ts";
import type { ThreadBounds } from "../http/bounds.ts";
import { createFront, type Front } from "../http/front.ts";
import { moduleRoutes } from "../http/module-routes.ts";
import { createRestHandler } from "../http/rest/handler.ts";
import { type Operations, operationsPages } from "../ops/index.ts";
import { createRpcHandler } from "../rpc/http.ts";
import { createSocketDoor } from "../rpc/sockets.ts";
import { pipelineSettings } from "../settings.ts";

export interface PlaneParts {
  readonly plane: Plane;
  readonly config: Config;
  readonly contract: Contract;
  readonly access: Access;
  readonly asker: Asker;
  readonly modules: readonly Module[];
  /** Methods this process answers besides those of discovery. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly providers: Providers;
  /** Who vouches for the callers of this installation: the capabilities tell of them on both planes. */
  readonly vouching: Providers;
  readonly telemetry: PipelineTelemetry;
  readonly audit?: CallAudit;
  /** Whether there is a key that seals credentials. */
  readonly sealing?: boolean;
  readonly operations: Operations;
  readonly stopping: Stopping;
  readonly openCalls: OpenCalls;
  readonly bounds: ThreadBounds;
}

/** One plane: its pipeline, its methods, and its doors over HTTP. */
export interface GatewayPlane {
  readonly invoker: Invoker;
  readonly front: Front;
}

export function createPlane(parts: PlaneParts): GatewayPlane {
  const { config, contract, plane } = parts;
  const invoker = createInvoke({
    contract,
    plane,
    asker: parts.asker,
    modules: parts.modules,
    handlers: {
      ...discoveryHandlers({
        contract,
        config,
        providers: parts.vouching,
        ...(parts.sealing !== undefined && { sealing: parts.sealing }),
        access: parts.access,
      }),
      ...parts.handlers,
    },
    providers: parts.providers,
    settings: pipelineSettings(config),
    telemetry: parts.telemetry,
    ...(parts.audit === undefined ? {} : { audit: parts.audit }),
    stopping: parts.stopping,
    openCalls: parts.openCalls,
  });
  const errorsUrl = config["api.errors_url"];
  const rpc = {
    invoker,
    registry: contract.registry,
    messageBytesMax: config["api.max_request_body_size"],
    nativeAddresses: nativeAddresses(config),
    bounds: parts.bounds,
    errorsUrl,
    connectErrorOf,
  };
  const front = createFront({
    rest: createRestHandler(invoker, { errorsUrl, bodyBytesMax: config["api.max_request_body_size"] }),
    rpc: createRpcHandler(rpc),
    sockets: createSocketDoor(rpc),
    ...(plane === "external" && {
      routes: moduleRoutes({
        ...parts,
        ...(parts.providers.tenants && { tenants: parts.providers.tenants }),
      }),
    }),
    pages: new Map([
      ...operationsPages(parts.operations),
      ...discoveryPages({ contract, config, plane, apiVersion: currentApiVersion }),
    ]),
    allowedHosts: allowedHosts(config, plane),
    cors: { allowedOrigins: config["cors.allowed_origins"] },
    errorsUrl,
  });
  return { invoker, front };
}

/** Callers of the internal plane come by whatever address a node has; their certificates say who they are. */
function allowedHosts(config: Config, plane: Plane): readonly string[] {
  return plane === "internal" && config["server.internal_require_mtls"] ? [] : config["api.allowed_hosts"];
}

/** Where HTTP/2 is spoken, for clients that come by HTTP/1.1. A free port is not known here. */
function nativeAddresses(config: Config): string {
  const given = [config["server.grpc_addr"], config["api.addr"]];
  const known = given.filter((address) => address !== "" && !address.endsWith(":0"));
  return known.join(" and ") || "the ports of server.grpc_addr and api.addr";
}
