// What do routing, validation, the pipeline and the envelope cost a REST call, against an echo that has none of them?

import type { us_listen_socket } from "uWebSockets.js";
import { limits } from "#base";
import { createFront } from "../gateway/http/front.ts";
import { createRestHandler } from "../gateway/http/rest/handler.ts";
import { listenUws } from "../gateway/http/uws.ts";
import { uws } from "../gateway/http/uws-library.ts";
import { testBounds } from "../test/support/bounds.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { echoInvoker, echoMessage, probeContract } from "./support/echo-pipeline.ts";
import { loadHttp } from "./support/http-load.ts";

const body = JSON.stringify(echoMessage);
const load = { connections: 64, seconds: 5, path: "/api/probe/echo", body, expect: '"name":"echo"' };

export default defineBench({
  question:
    "How many REST calls with a validated 1 KiB body pass the whole pipeline on one thread, against a bare echo?",
  contenders: { pipeline, bare },
  bars: [{ figure: "per_s", contender: "pipeline", against: "bare", atLeast: 0.5 }],
});

async function pipeline(): Promise<Stats> {
  const invoker = echoInvoker(probeContract());
  const front = createFront({
    rest: createRestHandler(invoker, { errorsUrl: "/docs/errors", bodyBytesMax: limits.bodyBytesMax }),
    rpc: { handle: () => undefined, unknown: () => undefined },
    pages: new Map(),
    allowedHosts: ["127.0.0.1"],
    cors: { allowedOrigins: [] },
    errorsUrl: "/docs/errors",
  });
  const server = await listenUws({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: limits.bodyBytesMax,
    bodyTimeoutMs: limits.requestTimeoutMs,
    handler: front.handler,
    refuse: front.refuse,
    onError: (error) => console.error(error),
  });
  const stats = await loadHttp({ ...load, port: server.port });
  await server.close();
  return stats;
}

/** Reads and parses the body, and answers with as many bytes as the service does. */
async function bare(): Promise<Stats> {
  const app = uws.App();
  const metadata = { request_id: "00000000-0000-0000-0000-000000000000", api_version: "2024-01-01" };
  app.any("/*", (response) => {
    response.onAborted(() => undefined);
    response.onData((chunk, last) => {
      if (!last) return;
      const echo = JSON.parse(Buffer.from(chunk).toString()) as unknown;
      const answer = { data: { echo, tenant_id: "00000000000000000000000DEV", subject: "bench" }, metadata };
      response.cork(() => {
        response
          .writeStatus("200 OK")
          .writeHeader("content-type", "application/json")
          .end(JSON.stringify(answer));
      });
    });
  });
  const port = await new Promise<number>((resolve) => {
    app.listen("127.0.0.1", 0, (socket) => resolve(uws.us_socket_local_port(socket as us_listen_socket)));
  });
  const stats = await loadHttp({ ...load, port });
  app.close();
  return stats;
}
