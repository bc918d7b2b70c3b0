// How fast is a durable route through the HTTP door, against a bare uWebSockets.js echo of the same sizes?
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { defineBench, type Figures } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { startService } from "./support/service.ts";

const connections = 64;
const seconds = 5;
/** Both contenders serve as long before: for some seconds a fresh process is mostly compiled, on the cores it needs. */
const warmSeconds = 10;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });
/** What a route answers, but for what the echo's own members take. */
const answerBytes = 480;

export default defineBench({
  question:
    "How fast is a durable route among 100 recipients at 64 connections, against a bare uWebSockets.js echo of the same sizes?",
  contenders: { route, echo },
  bars: [{ figure: "per_s", contender: "route", against: "echo", atLeast: 0.5 }],
});

function route(): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const pool = await service.createPool(100);
    const target = { pid: service.pid, port: service.ports.http, path: `/api/pools/${pool}:route`, body };
    await keepAliveLoad(target, connections, warmSeconds);
    const figures = await keepAliveLoad(target, connections, seconds);
    await service.stop();
    return figures;
  });
}

async function echo(): Promise<Figures> {
  const server = fork(fileURLToPath(new URL("./support/echo.ts", import.meta.url)), [String(answerBytes)]);
  const [port] = (await once(server, "message")) as [number];
  const target = { pid: server.pid!, port, path: "/", body };
  await keepAliveLoad(target, connections, warmSeconds);
  const figures = await keepAliveLoad(target, connections, seconds);
  server.kill();
  return figures;
}
