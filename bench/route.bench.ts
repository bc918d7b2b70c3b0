// How fast is a durable route through the HTTP door, against a bare uWebSockets.js echo of the same sizes?
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { defineBench, type Figures } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { startService } from "./support/service.ts";

/** As few as in the other benches, and as many as a busy gateway has: what arrives together shares its turn and its sync. */
const [some, many] = [64, 512];
const seconds = 5;
/** Both contenders serve as long before: V8 compiles on the cores they need, and goes on with it for half a minute and more. */
const warmSeconds = 40;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });
/** What a route answers, but for what the echo's own members take. */
const answerBytes = 480;

export default defineBench({
  question:
    "How fast is a durable route among 100 recipients at 64 and at 512 connections, against a bare uWebSockets.js echo of the same sizes?",
  contenders: { route, echo },
  bars: [
    { figure: "per_s", contender: "route", against: "echo", atLeast: 0.5 },
    { figure: "many_per_s", contender: "route", against: "echo", atLeast: 0.5 },
  ],
});

function route(): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const pool = await service.createPool(100);
    const target = { pid: service.pid, port: service.ports.http, path: `/api/pools/${pool}:route`, body };
    const figures = await load(target);
    await service.stop();
    return figures;
  });
}

async function echo(): Promise<Figures> {
  const server = fork(fileURLToPath(new URL("./support/echo.ts", import.meta.url)), [String(answerBytes)]);
  const [port] = (await once(server, "message")) as [number];
  const target = { pid: server.pid!, port, path: "/", body };
  const figures = await load(target);
  server.kill();
  return figures;
}

async function load(target: Parameters<typeof keepAliveLoad>[0]): Promise<Figures> {
  for (const connections of [some, many]) await keepAliveLoad(target, connections, warmSeconds / 2);
  const figures = await keepAliveLoad(target, some, seconds);
  const busy = await keepAliveLoad(target, many, seconds);
  return {
    ...figures,
    many_per_s: busy.per_s!,
    many_p99_ms: busy.p99_ms!,
    many_server_cpu_us: busy.server_cpu_us!,
  };
}
