import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { RawConnection } from "../http/raw.ts";
import { eventually } from "../support/eventually.ts";
import { runService, startDev } from "./support.ts";

test.serial("SIGTERM ends an idle service with exit code 0", async (t) => {
  const service = await startDev(t);
  const created = await createPool(service.ports.http, "kept");
  t.is(created, 201);
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
});

test.serial(
  "SIGTERM under load: the service exits 0 and every request on an open connection is answered",
  async (t) => {
    const service = await startDev(t, ["--set", "server.workers=2", "--set", "server.drain_linger=20s"]);
    let answered = 0;
    const clients = Array.from({ length: 16 }, async () => {
      const connection = new RawConnection(service.ports.http);
      for (;;) {
        const answer = await connection.write(createPoolRequest).answer({ waitMs: 60_000 });
        if (answer === undefined) return "cut off";
        if (answer.status !== 201) return `refused with ${answer.status}`;
        answered++;
        if (answer.headers.get("connection") === "close") return "told to close";
      }
    });
    await eventually("there is load", () => answered >= 100 || undefined);
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended;
    t.is(code, 0, stderr);
    t.deepEqual(new Set(await Promise.all(clients)), new Set(["told to close"]));
  },
);

test.serial("SIGTERM ends open streams and long polls, each with the reason", async (t) => {
  const service = await startDev(t, ["--set", "server.workers=1"]);
  const { http, native, internal } = service.ports;
  const pool_id = await created(http, "/api/pools", { name: "waits" });
  const recipient_id = await created(http, `/api/pools/${pool_id}/recipients`, { name: "waits" });
  const hello = { pool_id, recipient_id, credit: 1 };
  const route = { ref: "1", route: { pool_id, key: "k" } };
  const streams = [
    openStream(native, "service.api.RoutingService/RouteStream", frameOf(route)),
    openStream(native, "service.api.QueueService/Work", frameOf({ hello })),
    openStream(internal, "service.api.EventService/Subscribe", frameOf({}), { saysMore: false }),
  ];
  const claimed = post(http, `/api/queues/${pool_id}/items:claim`, { recipient_id, wait_seconds: 30 });
  await eventually("the stream has its answer", () => /"ref":"1"/.test(streams[0]!.received()) || undefined);
  await eventually("the claim and the worker wait", async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${service.ports.metrics}/metrics`)).text();
    return /^service_long_polls_waiting\S* 2$/m.test(metrics) || undefined;
  });
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
  for (const stream of streams) t.regex(await stream.ended, /shutting down/);
  t.like(await claimed, { status: 503, body: { reason: "DRAINING" } });
});

test.serial(
  "SIGTERM is not delayed by clients that do not read their answers, nor by health watches",
  async (t) => {
    const service = await startDev(t, ["--set", "server.workers=1"]);
    const { http, native, grpc } = service.ports;
    const pool_id = await created(http, "/api/pools", { name: "unread" });
    const recipient_id = await created(http, `/api/pools/${pool_id}/recipients`, {
      name: "unread",
      capacity: 100,
    });
    const payload = { text: "x".repeat(200_000) };
    for (let i = 0; i < 12; i++)
      await created(http, `/api/queues/${pool_id}/items`, { key: `${i}`, payload });
    const hello = { pool_id, recipient_id, credit: 6 };
    const unread = [
      openStream(native, "service.api.QueueService/Work", frameOf({ hello }), { reads: false }),
      openStream(native, "service.api.QueueService/ListItems", Buffer.from(JSON.stringify({ pool_id })), {
        type: "application/json",
        reads: false,
        saysMore: false,
      }),
      openStream(grpc, "service.api.QueueService/Claim", claimOf(pool_id, recipient_id), {
        type: "application/grpc",
        reads: false,
        saysMore: false,
      }),
    ];
    const watcher = openStream(grpc, "grpc.health.v1.Health/Watch", Buffer.alloc(5), {
      type: "application/grpc",
      saysMore: false,
    });
    await eventually("the watcher is told", () => watcher.received() !== "" || undefined);
    await eventually(
      "all have the beginning of an answer",
      () => unread.every((one) => one.hasAnswer()) || undefined,
    );
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended;
    t.is(code, 0, stderr);
    t.is(await watcher.ended, "\0\0\0\0\x02\b\x01\0\0\0\0\x02\b\x02", "SERVING, then NOT_SERVING");
  },
);

test.serial("a second service on the same address is refused with a clear error", async (t) => {
  const service = await startDev(t);
  const second = await runService([
    "dev",
    "--ephemeral",
    "--random-ports",
    "--set",
    `server.http_addr=127.0.0.1:${service.ports.http}`,
  ]);
  t.is(second.code, 1);
  t.regex(second.stderr, /server\.http_addr: 127\.0\.0\.1:\d+ is in use/);
  const third = await runService([
    "dev",
    "--ephemeral",
    "--random-ports",
    "--set",
    `server.grpc_addr=127.0.0.1:${service.ports.grpc}`,
  ]);
  t.is(third.code, 1);
  t.regex(third.stderr, /server\.grpc_addr: 127\.0\.0\.1:\d+ is in use/);
  service.signal("SIGTERM");
  t.is((await service.ended).code, 0);
});

test.serial(
  "a start with --ephemeral leaves no files, and fails with a clear error if it cannot write its ports",
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "service-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const refused = await runService([
      "dev",
      "--ephemeral",
      "--random-ports",
      "--set",
      `storage.dir=${folder}/data`,
      "--ports-file",
      `${folder}/missing/ports.json`,
    ]);
    t.is(refused.code, 1);
    t.regex(refused.stderr, /^service: cannot start: ENOENT.*ports\.json'\n$/m);
    t.deepEqual(readdirSync(folder), [], "storage.dir is not used");
  },
);

/** With `saysMore` the client never ends its side of the stream. */
function openStream(
  port: number,
  method: string,
  first: Buffer,
  { type = "application/connect+json", saysMore = true, reads = true } = {},
) {
  const session = connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  const stream = session.request({
    ":method": "POST",
    ":path": `/${method}`,
    "content-type": type,
    te: "trailers",
  });
  stream.on("error", () => undefined);
  stream.write(first);
  if (!saysMore) stream.end();
  let received = "";
  let hasAnswer = false;
  stream.once("response", () => {
    hasAnswer = true;
  });
  if (reads)
    stream.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
    });
  const ended = new Promise<string>((resolve) => {
    stream.once("close", () => {
      session.destroy();
      resolve(received);
    });
  });
  return { received: () => received, hasAnswer: () => hasAnswer, ended };
}

function frameOf(message: unknown): Buffer {
  return enveloped(Buffer.from(JSON.stringify(message)));
}

/** A ClaimRequest of up to six items. */
function claimOf(poolId: string, recipientId: string): Buffer {
  const text = (field: number, value: string) => [field * 8 + 2, value.length, ...Buffer.from(value)];
  return enveloped(Buffer.from([...text(1, poolId), ...text(2, recipientId), 3 * 8, 6]));
}

function enveloped(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function post(port: number, path: string, body: object) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function created(port: number, path: string, body: object): Promise<string> {
  return ((await post(port, path, body)).body.data as { id: string }).id;
}

async function createPool(port: number, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/pools`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  await answer.text();
  return answer.status;
}

const poolBody = '{"name":"load"}';
const createPoolRequest = `POST /api/pools HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${poolBody.length}\r\n\r\n${poolBody}`;
