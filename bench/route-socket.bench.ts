// How much faster are routes over WebSockets than by unary REST, on as many connections?
import { toBinary } from "@bufbuild/protobuf";
import { WebSocket } from "ws";
import { contractBytes, loadRegistry } from "#protos";
import { fromPlain } from "../gateway/contract/index.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad } from "./support/keep-alive.ts";
import { closedLoop } from "./support/load.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 64;
const seconds = 5;
const warmSeconds = 6;
const { routeStream } = loadRegistry(contractBytes()).getService("service.api.RoutingService")!.method;

export default defineBench({
  question:
    "How much faster is RouteStream over 64 WebSockets, with 16 routes under way on each, than unary REST on 64 connections, both durable?",
  contenders: {
    sockets: () => withPool(overSockets(16)),
    one_at_a_time: () => withPool(overSockets(1)),
    rest: () => withPool(byRest),
  },
  bars: [{ figure: "per_s", contender: "sockets", against: "rest", atLeast: 2 }],
});

type Load = (service: BenchService, pool: string, seconds: number) => Promise<Stats>;

function byRest({ pid, ports }: BenchService, pool: string, forSeconds: number): Promise<Stats> {
  const target = { pid, port: ports.http, path: `/api/pools/${pool}:route`, body: '{"key":"customer-17"}' };
  return keepAliveLoad(target, connections, forSeconds);
}

/** Frames are encoded once, so that the client's own work is small. */
function overSockets(inFlight: number): Load {
  return async ({ ports, pid }, pool, forSeconds) => {
    const frames = Array.from({ length: inFlight }, (_, ref) =>
      messageFrame({ ref: String(ref), route: { pool_id: pool, key: "customer-17" } }),
    );
    const lanes = await Promise.all(Array.from({ length: connections }, () => Lane.open(ports.http, frames)));
    const before = cpuSeconds(pid);
    const stats = await closedLoop(connections * inFlight, forSeconds, (client) =>
      lanes[client % connections]!.route(Math.floor(client / connections)),
    );
    const spent = cpuSeconds(pid) - before;
    for (const lane of lanes) lane.close();
    // The second of warm-up is part of the time, but not of the count.
    return { ...stats, server_cpu_us: (spent * 1_000_000) / (stats.per_s! * (forSeconds + 1)) };
  };
}

class Lane {
  readonly #socket: WebSocket;
  readonly #frames: readonly Buffer[];
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();

  private constructor(socket: WebSocket, frames: readonly Buffer[]) {
    this.#socket = socket;
    this.#frames = frames;
    socket.on("message", (data: Buffer) => this.#read(data));
  }

  static open(port: number, frames: readonly Buffer[]): Promise<Lane> {
    const path = "/api/streams/RoutingService/RouteStream";
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, "service.v1.proto");
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.once("open", () => {
        socket.send(Buffer.concat([Buffer.from([0]), Buffer.from("{}")]));
        resolve(new Lane(socket, frames));
      });
    });
  }

  route(ref: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(String(ref), { resolve, reject });
      this.#socket.send(this.#frames[ref]!);
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  /**
   * Never more under way than the first credit, so credit need not be counted. The client checks no more of an answer
   * than the REST client does.
   */
  #read(data: Buffer): void {
    if (data[0] === 4) return;
    if (data[0] !== 1) throw new Error(`a frame of kind ${data[0]}`);
    // Field 1 is the ref, and field 2 the routing that must follow it.
    const end = 3 + data[2]!;
    const { resolve, reject } = this.#waiting.get(data.toString("latin1", 3, end))!;
    if (data[1] === 0x0a && data[end] === 0x12) resolve();
    else reject(new Error("a route failed"));
  }
}

function withPool(load: Load): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const pool = await service.createPool(100);
    await load(service, pool, warmSeconds);
    const stats = await load(service, pool, seconds);
    await service.stop();
    return stats;
  });
}

function messageFrame(message: unknown): Buffer {
  const { input } = routeStream!;
  return Buffer.concat([Buffer.from([1]), toBinary(input, fromPlain(input, message))]);
}
