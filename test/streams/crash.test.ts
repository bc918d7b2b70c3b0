/** The full size is run by hand: `STREAM_READERS=1000 npx ava test/streams/crash.test.ts`. */
import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { WebSocket } from "ws";
import { sendRaw } from "../contract/support/raw-client.ts";
import { openEvents } from "../contract/support/sse-client.ts";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { hashOf } from "./hash.ts";

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const run = "01BX5ZZKBKACTAV9WEVGEMMVRZ";
const base = `/api/workflow-streams/runs/${run}/streams`;
/** Generous: on a busy machine a thread that is not run is not stuck. */
const patient = ["server.stuck_after=240s"];
const readerCount = Number(process.env.STREAM_READERS ?? 200);

async function post(
  server: Server,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

async function newStream(server: Server): Promise<{ path: string; id: string }> {
  const definition = { name: "s", content_classes: ["json", "binary"], ceilings: { unread_items: 1e6 } };
  const { id } = await post(server, base, definition);
  return { path: `${base}/${id}`, id: id as string };
}

/**
 * Reconnects with the last id until the stream has ended, as an EventSource does. A reader that stalls stops reading
 * during its connection, until `stalls` or until it is cut off.
 */
async function follow(
  server: Server,
  path: string,
  { seen, stalls }: { readonly seen: number[]; readonly stalls: Promise<void> | undefined },
): Promise<void> {
  for (;;) {
    try {
      const headers: Record<string, string> =
        seen.length === 0 ? {} : { "last-event-id": String(seen.at(-1)) };
      const reader = await openEvents(server.ports.http!, path, headers);
      if (reader.status === 204) return;
      for await (const { event, id } of reader.events()) {
        if (event === "end") return;
        if (event === "record") seen.push(Number(id));
        if (stalls && seen.length === 10) {
          reader.response.pause();
          await stalls;
          reader.response.resume();
        }
      }
    } catch {
      // The server is down.
    }
    await sleep(500);
  }
}

/** The same over a WebSocket. */
async function followSocket(server: Server, stream_id: string, seen: number[]): Promise<void> {
  for (let ended = false; !ended; await sleep(500)) {
    const socket = openSocket(server, { run_id: run, stream_id, after_sequence: seen.at(-1) ?? 0 });
    socket.on("message", (data: Buffer) => {
      const { message } = JSON.parse(data.toString());
      if (message?.record) seen.push(message.record.sequence);
      if (message?.end) ended = true;
    });
    await closeOf(socket);
  }
}

/** The close code; a connection that fails is closed too. */
function closeOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.on("close", resolve));
}

function openSocket(server: Server, message: object): WebSocket {
  const url = `${server.url.replace("http", "ws")}/api/streams/WorkflowStreamService/Subscribe`;
  const socket = new WebSocket(url, "service.v1.json");
  socket.on("error", () => undefined);
  socket.on("open", () => {
    socket.send(JSON.stringify({ headers: {} }));
    socket.send(JSON.stringify({ message }));
  });
  return socket;
}

test.serial(
  `rule 3: ${readerCount} readers, every tenth stalled, a server killed once and stopped once: each ends with the exact sequence (edge cases 12, 20, 21)`,
  async (t) => {
    const server = new Server(patient);
    t.teardown(() => server.remove());
    await server.start();
    const { path, id } = await newStream(server);
    const readers = Array.from({ length: readerCount }, () => [] as number[]);
    let wake = () => {};
    const stalled = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const following = readers.map((seen, index) =>
      follow(server, `${path}/subscribe`, { seen, stalls: index % 10 === 0 ? stalled : undefined }),
    );
    for (let n = 0; n < 3; n++) {
      const seen: number[] = [];
      readers.push(seen);
      following.push(followSocket(server, id, seen));
    }
    const total = 400;
    // More than sockets hold for a reader that stalls.
    const padding = "x".repeat(1_000);
    const append = async () => {
      for (let sequence = 0; sequence < total; ) {
        const records = upTo(sequence, sequence + 4).map((n) => ({
          payload: { n, padding },
          producer: { id: "p", epoch: 0, sequence: n },
        }));
        try {
          const { first_sequence } = await post(server, `${path}/records`, { records });
          // A repeat of an append from before the kill gets the same sequences.
          t.is(first_sequence, sequence + 1);
          sequence += 5;
        } catch {
          await sleep(250);
        }
      }
    };
    const appending = append();
    for (const end of ["kill", "terminate"] as const) {
      const before = readers[1]!.length;
      await eventually(
        "a reader that does not stall has read on",
        () => readers[1]!.length >= Math.min(before + 100, total) || undefined,
      );
      if (end === "terminate") wake();
      await server[end]();
      await server.start();
    }
    await appending;
    await post(server, `${path}/close`, {});
    await Promise.all(following);
    const exact = upTo(1, total).join();
    for (const [index, seen] of readers.entries()) t.is(seen.join(), exact, `reader ${index}`);
  },
);

test.serial(
  "edge case 18: the server is killed during the upload of an object, before its commit and after it: it is never partly visible, and is committed once",
  async (t) => {
    const server = new Server(patient);
    t.teardown(() => server.remove());
    await server.start();
    const { path } = await newStream(server);
    const bytes = randomBytes(2_000_000);
    const intent = { idempotency_key: "k", digest: hashOf(bytes), size: bytes.length };
    const prepared = await post(server, `${path}/objects`, intent);
    const object = prepared.upload_path as string;
    const receipt = { "x-object-receipt": prepared.authorization_receipt as string };
    const raw = { ...receipt, "content-length": String(bytes.length) };
    const status = async () => (await sendRaw(server.ports.http!, "GET", object)).status;
    const restart = async () => {
      await server.kill();
      await server.start();
    };

    const half = httpRequest({ port: server.ports.http, method: "PUT", path: object, headers: raw });
    half.on("error", () => undefined);
    await new Promise((resolve) => half.write(bytes.subarray(0, 1_000_000), resolve));
    await restart();
    half.destroy();
    t.is(await status(), 404);
    await t.throwsAsync(post(server, `${object}/commit`, {}, receipt), { message: /OBJECT_NOT_UPLOADED/ });

    t.is((await sendRaw(server.ports.http!, "PUT", object, raw, bytes)).status, 200);
    await restart();
    t.is(await status(), 404);
    const { data } = (await (await fetch(`${server.url}${path}`)).json()) as { data: object };
    t.like(data, { latest_sequence: 0 });

    t.like(await post(server, `${object}/commit`, {}, receipt), { state: "committed", sequence: 1 });
    await restart();
    t.like(await post(server, `${object}/commit`, {}, receipt), { state: "committed", sequence: 1 });
    const down = await sendRaw(server.ports.http!, "GET", object);
    t.is(down.status, 200);
    t.is(hashOf(down.body), intent.digest);
  },
);

test.serial(
  "a server that stops tells the readers of a stream to reconnect: by an event, and by close code 1001",
  async (t) => {
    const server = new Server(patient);
    t.teardown(() => server.remove());
    await server.start();
    const { path, id } = await newStream(server);
    await post(server, `${path}/records`, { records: [{ payload: 1 }] });
    const reader = await openEvents(server.ports.http!, `${path}/subscribe`, {});
    const events = reader.events();
    t.like((await events.next()).value, { event: "record", id: "1" });
    const socket = openSocket(server, { run_id: run, stream_id: id });
    const frames: Record<string, unknown>[] = [];
    socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString())));
    await eventually(
      "the socket has its record",
      () => frames.some((frame) => "message" in frame) || undefined,
    );
    const closed = closeOf(socket);
    await server.terminate();
    const { value } = await events.next();
    t.is(value!.event, "error");
    t.like(JSON.parse(value!.data!), { errorCode: "UNAVAILABLE", reason: "DRAINING" });
    t.is(await closed, 1001);
    t.like(frames.at(-1)!.error, { errorCode: "UNAVAILABLE", reason: "DRAINING" });
  },
);
