// How many single appends of 1 KiB a second does one stream take with 64 under way, against XADD on 64 connections?
import { defineBench, type Stats } from "./support/bench.ts";
import { newDataStream, recordsOf } from "./support/data-stream.ts";
import { onDurableRedis, RedisLane, xadds } from "./support/durable-redis.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { closedLoop } from "./support/load.ts";
import { startService } from "./support/service.ts";

const connections = 64;
const seconds = 5;
/** V8 compiles for some seconds on the cores that both need. */
const warmSeconds = 6;
const payload = "x".repeat(1_024);

export default defineBench({
  question:
    "How many single appends of 1 KiB a second does one stream take with 64 under way, against XADD on 64 connections (appendfsync always)?",
  needs: ["redis"],
  contenders: { stream, redis },
  bars: [{ figure: "per_s", contender: "stream", against: "redis", atLeast: 0.5 }],
});

function stream(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const path = `${await newDataStream(service)}/records`;
    const target = { pid: service.pid, port: service.ports.http, path, body: recordsOf(1, payload) };
    await keepAliveLoad(target, connections, warmSeconds);
    const stats = await keepAliveLoad(target, connections, seconds);
    await service.stop();
    return stats;
  });
}

function redis(): Promise<Stats> {
  return onDurableRedis(async (port) => {
    const clients = Array.from({ length: connections }, () => new RedisLane(port));
    const write = xadds(1, payload);
    const stats = await closedLoop(connections, seconds, (client) => clients[client]!.send(write, 1));
    for (const client of clients) client.close();
    return stats;
  });
}
