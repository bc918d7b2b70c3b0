import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import type { Attacker, Connection } from "./attacker.ts";

const largePage = "/docs/assets/rapidoc-9.3.8.min.js";
const rpcPath = "/service.api.PoolService/ListPools";

/** Of messages that are collected: each chunk cost as much as a large one. */
const crumbs = [
  ["a gRPC-Web body", rpcPath, "application/grpc-web+proto"],
  ["a gRPC-Web body in text mode", rpcPath, "application/grpc-web-text"],
  ["a Connect body", rpcPath, "application/json"],
  ["a Connect stream", "/service.api.EventService/Subscribe", "application/connect+json"],
].map(
  ([name, path, type]): Attack => ({
    name: `${name} in chunks of one byte`,
    listeners: ["http", "internal"],
    async run(attacker) {
      const message = Buffer.alloc(300_000, " ");
      message.set([0, 0, 4, 0x93, 0xe0 - 5]);
      const body = type!.includes("text") ? Buffer.from(message.toString("base64")) : message;
      const chunks = inChunksOfOne(body);
      do {
        const connection = await attacker.connect();
        connection.write(attacker.head("POST", path!, `Content-Type: ${type}`, "Transfer-Encoding: chunked"));
        await connection.send(`${chunks}0\r\n\r\n`);
        const answer = await connection.answered();
        // A caller who is refused before its body is read attacks nothing.
        if (attacker.apiKey !== undefined && /^HTTP\/1\.1 40[13]/.test(answer)) throw new Error(answer);
      } while (!attacker.isOver);
    },
  }),
);

/** Attacks over HTTP/1.1, with credentials or without. */
export const http1Attacks: readonly Attack[] = [
  ...crumbs,
  {
    name: "REST bodies in chunks of one byte that never end",
    listeners: ["http", "internal", "metrics"],
    async run(attacker) {
      const chunks = inChunksOfOne(Buffer.alloc(20_000, " "));
      await inParallel(20, async () => {
        const connection = await attacker.connect();
        const type = "application/json";
        connection.write(
          attacker.head("POST", "/api/pools", `Content-Type: ${type}`, "Transfer-Encoding: chunked"),
        );
        while (connection.isOpen && !attacker.isOver) await connection.send(chunks);
      });
    },
  },
  {
    name: "large bodies that stop before their end",
    listeners: ["http", "internal", "metrics"],
    async run(attacker) {
      await inParallel(100, async () => {
        const connection = await attacker.connect();
        connection.write(
          attacker.head("POST", "/api/pools", "Content-Type: application/json", "Content-Length: 4000001"),
        );
        await connection.send(Buffer.alloc(4_000_000, " "));
      });
      await untilOver(attacker);
    },
  },
  {
    name: "pipelined requests for a large page that is not read",
    listeners: ["http", "internal"],
    run: (attacker) => pipelined(attacker, largePage),
  },
  {
    name: "pipelined requests for small answers that are not read",
    listeners: ["http", "internal", "metrics"],
    run: (attacker) => pipelined(attacker, "/health"),
  },
  {
    name: "pipelined requests for metrics that are not read",
    listeners: ["metrics"],
    run: (attacker) => pipelined(attacker, "/metrics"),
  },
  {
    name: "headers that come a byte at a time",
    listeners: ["http", "internal", "metrics"],
    run: (attacker) => slowly(attacker, attacker.head("GET", "/health").slice(0, -2)),
  },
  {
    name: "bodies that come a byte at a time",
    listeners: ["http", "internal", "metrics"],
    run: (attacker) =>
      slowly(
        attacker,
        attacker.head("POST", "/api/pools", "Content-Type: application/json", "Content-Length: 100000"),
      ),
  },
  {
    name: "connections that say nothing",
    listeners: ["http", "grpc", "native", "internal", "metrics"],
    async run(attacker) {
      await inParallel(500, () => attacker.connect());
      await untilOver(attacker);
    },
  },
  {
    name: "connections that come and go",
    listeners: ["http", "grpc", "native", "internal", "metrics"],
    async run(attacker) {
      await inParallel(20, async () => {
        while (!attacker.isOver) {
          const connection = await attacker.connect();
          connection.write(attacker.head("GET", "/health"));
          await sleep(1);
          connection.destroy();
        }
      });
    },
  },
];

function inChunksOfOne(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("");
}

async function pipelined(attacker: Attacker, path: string): Promise<void> {
  const requests = attacker.head("GET", path).repeat(500);
  await inParallel(4, async () => {
    while (!attacker.isOver) {
      const connection = await attacker.connect({ reads: false });
      while (connection.isOpen && !attacker.isOver) {
        await connection.send(requests);
        await sleep(1);
      }
    }
  });
}

/** Opens many connections, each with the beginning of a request and then a byte now and then. */
async function slowly(attacker: Attacker, beginning: string): Promise<void> {
  const connections: Connection[] = [];
  await inParallel(200, async () => {
    const connection = await attacker.connect();
    connection.write(beginning);
    connections.push(connection);
  });
  while (!attacker.isOver) {
    for (const connection of connections) connection.write("x");
    await sleep(100);
  }
}

export async function inParallel(count: number, one: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, one));
}

export async function untilOver(attacker: Attacker): Promise<void> {
  await sleep(Math.max(0, attacker.untilMs - performance.now()));
}
