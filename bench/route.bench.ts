// How fast is a durable route through the HTTP door, against a bare uWebSockets.js echo of the same sizes?
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { startService } from "./support/service.ts";

/**
 * As few as in the other benches, and as many as a busy gateway has: requests that arrive together share a turn and a
 * sync.
 */
const [some, many] = [64, 512];
const turns = 7;
const seconds = 2;
/** Both serve for this long before: V8 compiles on the cores they need, for half a minute and more. */
const warmSeconds = 40;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });
/** The bytes of a route's answer, without the echo's own members. */
const answerBytes = 480;

export default defineBench({
  question:
    "How fast is a durable route among 100 recipients at 64 and at 512 connections, against a bare uWebSockets.js echo of the same sizes?",
  contenders: { route: compare },
  bars: [
    { figure: "ratio", contender: "route", atLeast: 0.5 },
    { figure: "many_ratio", contender: "route", atLeast: 0.5 },
  ],
});

/** Both run side by side and are asked in turns, so that other load on the machine affects both alike. */
function compare(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const pool = await service.createPool(100);
    const route = { pid: service.pid, port: service.ports.http, path: `/api/pools/${pool}:route`, body };
    const server = fork(fileURLToPath(new URL("./support/echo.ts", import.meta.url)), [String(answerBytes)]);
    const [port] = (await once(server, "message")) as [number];
    const echo = { pid: server.pid!, port, path: "/", body };
    for (const connections of [some, many])
      for (const target of [echo, route]) await keepAliveLoad(target, connections, warmSeconds / 2);
    const stats = {
      ...(await inTurns(route, echo, some, "")),
      ...(await inTurns(route, echo, many, "many_")),
    };
    server.kill();
    await service.stop();
    return stats;
  });
}

/** `ratio`: of neighbouring measurements, because the machine's speed changes from one second to the next. */
async function inTurns(route: Target, echo: Target, connections: number, prefix: string): Promise<Stats> {
  const runs: { readonly route: Stats; readonly echo: Stats }[] = [];
  for (let turn = 0; turn < turns; turn++)
    runs.push({
      echo: await keepAliveLoad(echo, connections, seconds),
      route: await keepAliveLoad(route, connections, seconds),
    });
  const of = (side: "route" | "echo", figure: string) => median(runs.map((run) => run[side][figure]!));
  return {
    [`${prefix}ratio`]: median(runs.map((run) => run.route.per_s! / run.echo.per_s!)),
    ...Object.fromEntries(
      (["route", "echo"] as const).flatMap((side) =>
        ["per_s", "p50_ms", "p99_ms", "server_cpu_us"].map((figure) => [
          `${prefix}${side}_${figure}`,
          of(side, figure),
        ]),
      ),
    ),
  };
}
