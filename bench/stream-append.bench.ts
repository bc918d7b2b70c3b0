// How many records of 1 KiB a second does one stream take in batches of 100, against Redis and NATS, all durable?
import { defineBench, type Stats } from "./support/bench.ts";
import { newDataStream, recordsOf } from "./support/data-stream.ts";
import { onDurableRedis, RedisLane, xadds } from "./support/durable-redis.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { closedLoop } from "./support/load.ts";
import { NatsLane, onDurableNats } from "./support/nats.ts";
import { startService } from "./support/service.ts";

/** Batches under way at the same time, each on its own connection, for every contender. */
const lanes = 8;
const batch = 100;
const seconds = 5;
const payload = "x".repeat(1_024);

export default defineBench({
  question:
    "How many records of 1 KiB a second does one stream take in batches of 100, eight at a time, against XADD (pipelined by 100, appendfsync always) and JetStream (sync_interval always)?",
  needs: ["redis", "nats"],
  contenders: { stream, redis, nats: () => nats(false), nats_atomic: () => nats(true) },
  bars: [
    { figure: "records_per_s", contender: "stream", against: "redis", atLeast: 0.4 },
    { figure: "records_per_s", contender: "stream", against: "nats", atLeast: 1 },
    { figure: "records_per_s", contender: "stream", against: "nats_atomic", atLeast: 1 },
  ],
});

function stream(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const path = `${await newDataStream(service)}/records`;
    const target = { pid: service.pid, port: service.ports.http, path, body: recordsOf(batch, payload) };
    const stats = await keepAliveLoad(target, lanes, seconds);
    await service.stop();
    return { ...inRecords(stats), server_cpu_us: stats.server_cpu_us! / batch };
  });
}

function redis(): Promise<Stats> {
  return onDurableRedis(async (port) => {
    const clients = Array.from({ length: lanes }, () => new RedisLane(port));
    const write = xadds(batch, payload);
    const stats = await closedLoop(lanes, seconds, (lane) => clients[lane]!.send(write, batch));
    for (const client of clients) client.close();
    return inRecords(stats);
  });
}

/** Atomic: all or nothing, like an append of ours. */
function nats(isAtomic: boolean): Promise<Stats> {
  return onDurableNats(async (port) => {
    const body = Buffer.from(payload);
    const clients = Array.from({ length: lanes }, (_, lane) => new NatsLane(port, `l${lane}`));
    const plain = clients.map((client) =>
      Buffer.concat(Array.from({ length: batch }, () => client.publish("bench", body))),
    );
    let made = 0;
    const atomic = (client: NatsLane) => {
      const id = `b${made++}`;
      const last = batch - 1;
      return Buffer.concat(
        Array.from({ length: batch }, (_, i) => client.publishOf(id, i, { body, isLast: i === last })),
      );
    };
    const stats = await closedLoop(lanes, seconds, (lane) => {
      const client = clients[lane]!;
      return isAtomic ? client.send(atomic(client), 1) : client.send(plain[lane]!, batch);
    });
    for (const client of clients) client.close();
    return inRecords(stats);
  });
}

function inRecords({ per_s, p50_ms, p99_ms }: Stats): Stats {
  return { records_per_s: per_s! * batch, batch_p50_ms: p50_ms!, batch_p99_ms: p99_ms! };
}
