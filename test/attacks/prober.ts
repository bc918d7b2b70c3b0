/**
 * A process that asks every listener for its health, or with an API key for the pools of its tenant, again and again, on its own connections: in the process of the
 * attack, the attack's own work would distort the times. Its parent sends it the ports and asks for the worst wait.
 */

import { get } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { grpcRequest, messageHead, pageRequest } from "./frames.ts";
import type { Probed, ToProber, Waits } from "./probe.ts";

const everyMs = 20;
const http1 = new Set<Probed>(["http", "metrics", "yardstick"]);
/** By listener: the time of the request under way, the worst wait so far, and the error if there was one. */
const waits = new Map<Probed, { askedMs: number | undefined; worstMs: number; asked: number }>();
const failures = new Set<string>();

process.on("disconnect", () => process.exit());
process.on("message", (message: ToProber) => {
  if (message.type === "watch") {
    apiKey = message.apiKey;
    for (const [name, port] of message.ports) void watch(name, port);
  } else report();
});

let apiKey: string | undefined;

/** Only planes of tenants take API keys. */
function credentialsFor(name: Probed): Record<string, string> | undefined {
  return apiKey !== undefined && (name === "http" || name === "grpc" || name === "native")
    ? { "x-api-key": apiKey }
    : undefined;
}

function report(): void {
  const now = performance.now();
  const worst = [...waits].map(([name, { askedMs, worstMs }]): [Probed, number] => [
    name,
    Math.max(worstMs, askedMs === undefined ? 0 : now - askedMs),
  ]);
  const answered = [...waits].map(([name, { asked }]): [Probed, number] => [name, asked]);
  process.send!({ worst, answered, failures: [...failures] } satisfies Waits);
  for (const wait of waits.values()) {
    wait.worstMs = 0;
    wait.asked = 0;
  }
  failures.clear();
}

async function watch(name: Probed, port: number): Promise<void> {
  const wait: { askedMs: number | undefined; worstMs: number; asked: number } = {
    askedMs: undefined,
    worstMs: 0,
    asked: 0,
  };
  waits.set(name, wait);
  const ask = http1.has(name) ? askHttp1(name) : askHttp2(name);
  for (;;) {
    wait.askedMs = performance.now();
    try {
      await ask(port);
      wait.worstMs = Math.max(wait.worstMs, performance.now() - wait.askedMs);
      wait.asked++;
    } catch (error) {
      failures.add(`${name}: ${String(error)}`);
    }
    wait.askedMs = undefined;
    await sleep(everyMs);
  }
}

/** A new connection every time: the threads share the port, and each one is to be probed. */
function askHttp1(name: Probed): (port: number) => Promise<void> {
  const headers = credentialsFor(name);
  const path = headers === undefined ? "/health" : "/api/pools";
  return (port) =>
    new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", path, agent: false, ...(headers && { headers }) }, (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
        );
      }).on("error", reject);
    });
}

/** One connection, as HTTP/2 clients keep it. */
function askHttp2(name: Probed): (port: number) => Promise<void> {
  const headers = credentialsFor(name);
  const isGrpc = name === "grpc";
  const [method, page] = headers
    ? ["/service.api.PoolService/ListPools", "/api/pools"]
    : ["/grpc.health.v1.Health/Check", "/health"];
  const request = { ...(isGrpc ? grpcRequest(method!) : pageRequest(page!)), ...headers };
  let session: ClientHttp2Session | undefined;
  return (port) =>
    new Promise((resolve, reject) => {
      if (session === undefined || session.closed || session.destroyed) {
        session = connect(`http://127.0.0.1:${port}`);
        session.on("error", reject);
      }
      const stream = session.request(request);
      let status: unknown;
      stream.on("response", (response) => {
        status = response[":status"];
      });
      stream.on("error", reject);
      stream.on("end", () => (status === 200 ? resolve() : reject(new Error(`status ${String(status)}`))));
      stream.resume();
      stream.end(isGrpc ? messageHead(0) : undefined);
    });
}
