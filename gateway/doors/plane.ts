import type { Access } from "#actors";
import type { Plane } from "../calls/call.ts";
import { createInvoke, type InvokeParts, type Invoker } from "../calls/invoke.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import { currentApiVersion } from "../calls/stages/api-version.ts";
import type { CallAudit, PipelineTelemetry, Providers } from "../calls/stages/stage.ts";
import type { Stopping } from "../calls/stopping.ts";
import type { Config } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import { discoveryHandlers, discoveryPages } from "../discovery/index.ts";
import { connectErrorOf } from "../errors/connect.ts";
import type { ThreadBounds } from "../http/bounds.ts";
import { createFront, type Front } from "../http/front.ts";
import { moduleRoutes } from "../http/module-routes.ts";
import { createRestHandler } from "../http/rest/handler.ts";
import type { createMcpDoor } from "../mcp/index.ts";
import { type Operations, operationsPages } from "../ops/index.ts";
import { createRpcHandler } from "../rpc/http.ts";
import { createSocketDoor } from "../rpc/sockets.ts";
import { pipelineSettings } from "../settings.ts";

export interface PlaneParts extends Pick<InvokeParts, "asker" | "modules" | "handlers" | "providers"> {
  readonly plane: Plane;
  readonly config: Config;
  readonly contract: Contract;
  readonly access: Access;
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
  /** Absent: assistants are not served. */
  readonly createMcpDoor?: typeof createMcpDoor;
}

/** One plane: its pipeline, its methods, and its doors over HTTP. */
export function createPlane(parts: PlaneParts): { readonly invoker: Invoker; readonly front: Front } {
  const { config, contract, plane } = parts;
  const invoker = createInvoke({
    ...parts,
    handlers: { ...discoveryHandlers({ ...parts, providers: parts.vouching }), ...parts.handlers },
    settings: pipelineSettings(config),
  });
  const errorsUrl = config["api.errors_url"];
  const bodyBytesMax = config["api.max_request_body_size"];
  const rpc = {
    invoker,
    registry: contract.registry,
    messageBytesMax: bodyBytesMax,
    nativeAddresses: nativeAddresses(config),
    bounds: parts.bounds,
    errorsUrl,
    connectErrorOf,
  };
  const mcp = parts.createMcpDoor?.({ invoker, contract, config });
  const front = createFront({
    rest: createRestHandler(invoker, { errorsUrl, bodyBytesMax }),
    rpc: createRpcHandler(rpc),
    sockets: createSocketDoor(rpc),
    ...(plane === "external" && { routes: moduleRoutes({ ...parts, errorsUrl }) }),
    ...(mcp && { mcp: mcp.door }),
    pages: new Map([
      ...(mcp?.pages ?? []),
      ...operationsPages(parts.operations),
      ...discoveryPages({ ...parts, apiVersion: currentApiVersion }),
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
