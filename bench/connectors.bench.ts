// What does a call through a connection cost, against a bare undici loop to the same server?
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Agent } from "undici";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveAt, keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { closedLoop } from "./support/load.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const inFlight = 64;
const turns = Number(process.env.BENCH_TURNS ?? 5);
const seconds = 2;
const warmSeconds = Number(process.env.BENCH_WARM ?? 20);
/** The provider's limit is 1,000 calls a second over one connection. */
const connections = 16;
const perSecond = 100;
const waiting = Number(process.env.BENCH_WAITING ?? 10_000);
const answerBytes = 200;

export default defineBench({
  question:
    "How fast is http.request by REST at 64 in flight against a bare undici loop, what does it add to a call at 100 a second, and what do 10,000 waiting effects cost other requests?",
  contenders: { connectors },
  rounds: 1,
  bars: [
    { figure: "ratio", contender: "connectors", atLeast: 0.25 },
    { figure: "added_p50_ms", contender: "connectors", atMost: 5 },
    { figure: "beside_waiting_ratio", contender: "connectors", atLeast: 0.9 },
  ],
});

function connectors(): Promise<Stats> {
  return inFolder(async (dir) => {
    const server = fork(fileURLToPath(new URL("./support/echo.ts", import.meta.url)), [String(answerBytes)]);
    const [port] = (await once(server, "message")) as [number];
    const service = await startService(dir);
    const ids: string[] = [];
    for (let n = 0; n < connections; n++) ids.push(await connect(service, `http://127.0.0.1:${port}`));
    let next = 0;
    const execute: Target = {
      pid: service.pid,
      port: service.ports.http,
      path: "/api/v2/connector/actions/http.request:execute",
      body: () => executionOf(ids[next++ % ids.length]!),
    };
    const direct: Target = { pid: server.pid!, port, path: "/", body: JSON.stringify({ key: "k" }) };
    const stats = {
      ...(await throughput(execute, port)),
      ...(await latency(execute, direct)),
      ...(await besideWaiting(dir, service)),
    };
    server.kill();
    await service.stop();
    return stats;
  });
}

const executionOf = (connection_id: string) =>
  JSON.stringify({ connection_id, input: { url: "/", method: "PUT", body: { key: "k" } } });

async function throughput(execute: Target, port: number): Promise<Stats> {
  const agent = new Agent({ connections: inFlight });
  const body = JSON.stringify({ key: "k" });
  const headers = { "content-type": "application/json" };
  const bare = (forSeconds: number) =>
    closedLoop(inFlight, forSeconds, async () => {
      const answer = await agent.request({
        origin: `http://127.0.0.1:${port}`,
        path: "/",
        method: "PUT",
        headers,
        body,
      });
      await answer.body.arrayBuffer();
    });
  await bare(warmSeconds / 4);
  await keepAliveLoad(execute, inFlight, warmSeconds);
  const runs: { readonly ours: Stats; readonly bare: Stats }[] = [];
  for (let turn = 0; turn < turns; turn++)
    runs.push({ bare: await bare(seconds), ours: await keepAliveLoad(execute, inFlight, seconds) });
  await agent.close();
  return {
    ratio: median(runs.map(({ ours, bare: other }) => ours.per_s! / other.per_s!)),
    execute_per_s: median(runs.map(({ ours }) => ours.per_s!)),
    bare_per_s: median(runs.map((run) => run.bare.per_s!)),
    server_cpu_us: median(runs.map(({ ours }) => ours.server_cpu_us!)),
  };
}

async function latency(execute: Target, direct: Target): Promise<Stats> {
  const added: number[] = [];
  let last: Stats = {};
  for (let turn = 0; turn < turns; turn++) {
    const without = await keepAliveAt(direct, 16, perSecond, seconds);
    last = await keepAliveAt(execute, 16, perSecond, seconds);
    added.push(last.p50_ms! - without.p50_ms!);
  }
  return { added_p50_ms: median(added), at_rate_p99_ms: last.p99_ms! };
}

/**
 * Routes of a service with executions that wait for a server that never answers, in turns with routes of a service
 * without them.
 */
async function besideWaiting(dir: string, service: BenchService): Promise<Stats> {
  const held = createServer(() => {}).listen(0, "127.0.0.1");
  await once(held, "listening");
  mkdirSync(`${dir}/loaded`);
  const loaded = await startService(`${dir}/loaded`);
  const id = await connect(loaded, `http://127.0.0.1:${(held.address() as AddressInfo).port}`);
  const body = { connection_id: id, input: { url: "/" }, wait_seconds: 0, deadline_seconds: 86_400 };
  for (let made = 0; made < waiting; made += 50)
    await Promise.all(
      Array.from({ length: 50 }, () =>
        post(loaded, "/api/v2/connector/actions/http.request:execute", body).catch(() => undefined),
      ),
    );
  const routes = async (one: BenchService): Promise<Target> => ({
    pid: one.pid,
    port: one.ports.http,
    path: `/api/pools/${await one.createPool(10)}:route`,
    body: JSON.stringify({ key: "customer-17" }),
  });
  const [beside, alone] = [await routes(loaded), await routes(service)];
  for (const target of [beside, alone]) await keepAliveLoad(target, inFlight, warmSeconds / 2);
  const ratios: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const without = await keepAliveLoad(alone, inFlight, seconds);
    const withThem = await keepAliveLoad(beside, inFlight, seconds);
    ratios.push(withThem.per_s! / without.per_s!);
  }
  await loaded.stop();
  held.close();
  return { beside_waiting_ratio: median(ratios) };
}

async function connect(service: BenchService, base_url: string): Promise<string> {
  const at = "/api/v2/connector";
  const { id: provider_config_id } = await post(service, `${at}/provider-configs`, {
    name: "bench",
    provider_key: "http",
    auth: "none",
    config: { base_url },
  });
  await post(service, `${at}/provider-configs/${provider_config_id}:activate`, {});
  const session = await post(service, `${at}/connect-sessions`, { provider_config_id });
  await post(service, `${at}/connect-sessions/${session.id}/submit`, { fields: {} });
  const execution = await post(service, `${at}/actions/http.request:execute`, {
    ...JSON.parse(executionOf(session.connection_id)),
    wait_seconds: 1,
  });
  if (!["succeeded", "queued", "running"].includes(execution.status))
    throw new Error(JSON.stringify(execution));
  return session.connection_id;
}

interface Answer {
  readonly id: string;
  readonly connection_id: string;
  readonly status: string;
}

async function post(service: BenchService, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data?: Answer };
  if (!data) throw new Error(`${path} answered ${response.status}`);
  return data;
}
