import { readFileSync } from "node:fs";
import { type ErrorCode, limits, RefusalError, refuse } from "#base";
import type { Asker } from "#runtime";
import { createInvoke } from "../../gateway/calls/invoke.ts";
import type { Handler } from "../../gateway/calls/targets.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { createFront } from "../../gateway/http/front.ts";
import { listenNode } from "../../gateway/http/node.ts";
import { createRestHandler } from "../../gateway/http/rest/handler.ts";
import type { HttpServer, ListenHttp } from "../../gateway/http/server.ts";
import { listenUws } from "../../gateway/http/uws.ts";
import { operationsPages } from "../../gateway/ops/index.ts";
import { quietTelemetry, testSettings } from "../contract/support/parts.ts";
import { askerOf } from "../support/asker.ts";
import { testBounds } from "../support/bounds.ts";

/** Both servers, by name: every claim about HTTP holds for both. */
export const servers: Readonly<Record<string, ListenHttp>> = { uws: listenUws, node: listenNode };

export interface FrontOptions {
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly asker?: Asker;
  readonly bodyTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly allowedOrigins?: readonly string[];
}

/** The external plane over HTTP with the contract and the ProbeService; only the given handlers answer. */
export function startFront(listen: ListenHttp, options: FrontOptions = {}): Promise<HttpServer> {
  const invoker = createInvoke({
    contract: probeContract,
    plane: "external",
    asker: options.asker ?? nobody,
    modules: [],
    handlers: { ...probeHandlers, ...options.handlers },
    providers: {},
    settings: testSettings,
    telemetry: quietTelemetry,
  });
  const front = createFront({
    rest: createRestHandler(invoker, {
      errorsUrl: "https://errors.test",
      bodyBytesMax: limits.bodyBytesMax,
    }),
    rpc: { handle: () => undefined, unknown: () => undefined },
    pages: operationsPages({
      readiness: async () => ({ ready: true, status: "ready", components: {} as never }),
      metrics: async () => "",
    }),
    allowedHosts: ["127.0.0.1", "localhost"],
    cors: { allowedOrigins: options.allowedOrigins ?? [] },
    errorsUrl: "https://errors.test",
  });
  return listen({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: limits.bodyBytesMax,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 5_000,
    ...(options.idleTimeoutMs !== undefined && { idleTimeoutMs: options.idleTimeoutMs }),
    handler: front.handler,
    refuse: front.refuse,
    onError: () => undefined,
  });
}

const probeContract = loadContract({
  extra: readFileSync(new URL("../contract/probe/probe.binpb", import.meta.url)),
  extraPackages: ["service.probe"],
});

const nobody = askerOf(() => refuse("UNAVAILABLE", "nobody is here"));

const probeHandlers: Readonly<Record<string, Handler>> = {
  "ProbeService.Echo": (request, call) => ({ echo: request, tenant_id: call.tenant, subject: "tester" }),
  "ProbeService.Look": (request) => request,
  "ProbeService.ListGoods": (request) => ({ goods: [{ name: "a" }], total: 1, ...(request as object) }),
  "ProbeService.Wait": (request) =>
    new Promise((resolve) => {
      setTimeout(() => resolve({}), (request as { sleep_ms: number }).sleep_ms);
    }),
  "ProbeService.Fail": (request) => {
    const { error_code, detail, crash } = request as {
      error_code: ErrorCode;
      detail: string;
      crash: boolean;
    };
    throw crash ? new Error(detail) : new RefusalError(refuse(error_code, detail));
  },
};
