import { connect } from "node:net";
import type { Stats } from "./bench.ts";
import { cpuSeconds } from "./cpu.ts";
import { closedLoop } from "./load.ts";
import { OpenLoop } from "./open-loop.ts";

export interface Target {
  readonly pid: number;
  readonly port: number;
  /** A function is called for every request. */
  readonly path: string | (() => string);
  readonly body?: string | (() => string);
  /** Absent: POST. */
  readonly method?: "GET";
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One request at a time on each of `connections` keep-alive connections, with as little work per request as possible.
 */
export async function keepAliveLoad(target: Target, connections: number, seconds: number): Promise<Stats> {
  const request = requestsTo(target);
  const clients = await Promise.all(Array.from({ length: connections }, () => open(target.port)));
  const before = cpuSeconds(target.pid);
  let requests = 0;
  const stats = await closedLoop(connections, seconds, (client) => {
    requests++;
    return clients[client]!.send(request());
  });
  const spent = cpuSeconds(target.pid) - before;
  for (const client of clients) client.close();
  return { ...stats, server_cpu_us: (spent * 1_000_000) / requests };
}

/** Requests at a fixed rate, each timed from when it was due; one that finds no free connection waits. */
export async function keepAliveAt(
  target: Target,
  connections: number,
  perSecond: number,
  seconds: number,
): Promise<Stats> {
  const request = requestsTo(target);
  const clients = await Promise.all(Array.from({ length: connections }, () => open(target.port)));
  const loop = new OpenLoop(perSecond, 500, seconds);
  await Promise.all(
    clients.map(async (client) => {
      for (let index = await loop.next(); index !== undefined; index = await loop.next()) {
        await client.send(request());
        loop.finished(index);
      }
    }),
  );
  for (const client of clients) client.close();
  return loop.stats();
}

function requestsTo(target: Target): () => Buffer {
  const more = Object.entries(target.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const { path: pathOf, body: bodyOf = "", method = "POST" } = target;
  const make = (): Buffer => {
    const body = typeof bodyOf === "string" ? bodyOf : bodyOf();
    const path = typeof pathOf === "string" ? pathOf : pathOf();
    return Buffer.from(
      `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${target.port}\r\ncontent-type: application/json\r\n` +
        `${more.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
  if (typeof bodyOf !== "string" || typeof pathOf !== "string") return make;
  const same = make();
  return () => same;
}

interface Connection {
  send(request: Buffer): Promise<void>;
  close(): void;
}

function open(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let received = "";
    let done: (error?: Error) => void = () => {};
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const head = received.indexOf("\r\n\r\n");
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < head + 4 + length) return;
      const answer = received;
      received = "";
      done(answer.startsWith("HTTP/1.1 200") ? undefined : new Error(answer));
    });
    socket.on("connect", () =>
      resolve({
        send: (request) =>
          new Promise((answered, failed) => {
            done = (error) => (error ? failed(error) : answered());
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}
