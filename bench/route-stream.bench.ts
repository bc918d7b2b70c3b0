// How much faster is RouteStream than unary gRPC, both durable?
import { once } from "node:events";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { contractBytes, loadRegistry } from "#protos";
import { fromPlain } from "../gateway/contract/index.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { closedLoop } from "./support/load.ts";
import { startService } from "./support/service.ts";

const inFlight = 256;
const seconds = 5;
const service = loadRegistry(contractBytes()).getService("service.api.RoutingService")!;
const { routeStream, route } = service.method as Record<
  "routeStream" | "route",
  NonNullable<(typeof service.method)[string]>
>;

export default defineBench({
  question: "How much faster is RouteStream than unary gRPC at 256 in flight, both durable?",
  contenders: { stream: () => withPool(stream), unary: () => withPool(unary) },
  bars: [{ figure: "per_s", contender: "stream", against: "unary", atLeast: 3 }],
});

/** Both sides send bytes that were encoded once, so that the client's own work is small and the same. */
async function unary(client: Client, pool: string): Promise<Stats> {
  const bytes = encode(route, { pool_id: pool, key: "customer-17" });
  return closedLoop(
    inFlight,
    seconds,
    () =>
      new Promise<void>((resolve, reject) => {
        client.makeUnaryRequest(
          "/service.api.RoutingService/Route",
          (request: Buffer) => request,
          (answer) => answer,
          bytes,
          (error) => (error ? reject(error) : resolve()),
        );
      }),
  );
}

async function stream(client: Client, pool: string): Promise<Stats> {
  const waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const call = client.makeBidiStreamRequest(
    "/service.api.RoutingService/RouteStream",
    (request: Buffer) => request,
    (bytes) => bytes,
  );
  call.on("data", (bytes: Buffer) => {
    const answer = fromBinary(routeStream.output, bytes) as unknown as {
      ref: string;
      result: { case: string };
    };
    const { resolve, reject } = waiting.get(answer.ref)!;
    if (answer.result.case === "routing") resolve();
    else reject(new Error("a route failed"));
  });
  const requests = Array.from({ length: inFlight }, (_, client) =>
    encode(routeStream, { ref: String(client), route: { pool_id: pool, key: "customer-17" } }),
  );
  const stats = await closedLoop(
    inFlight,
    seconds,
    (one) =>
      new Promise<void>((resolve, reject) => {
        waiting.set(String(one), { resolve, reject });
        call.write(requests[one]!);
      }),
  );
  call.end();
  await once(call, "end");
  return stats;
}

function withPool(run: (client: Client, pool: string) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const running = await startService(dir);
    const pool = await running.createPool(100);
    const client = new Client(`127.0.0.1:${running.ports.grpc}`, credentials.createInsecure());
    const before = cpuSeconds(running.pid);
    const stats = await run(client, pool);
    const spent = cpuSeconds(running.pid) - before;
    client.close();
    await running.stop();
    // The second of warm-up is part of the time, but not of the count.
    const routes = (stats.per_s ?? 0) * (seconds + 1);
    return { ...stats, server_cpu_us: (spent * 1_000_000) / routes };
  });
}

function encode({ input }: typeof route, message: unknown): Buffer {
  return Buffer.from(toBinary(input, fromPlain(input, message)));
}
