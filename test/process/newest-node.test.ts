import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { Client, credentials } from "@grpc/grpc-js";
import test, { type ExecutionContext } from "ava";
import { canSharePorts } from "../../gateway/http/shared-port.ts";
import { needing } from "../support/needing.ts";
import { newestNodePath } from "../support/parts.ts";
import { type RunningService, startDev } from "./support.ts";

const onNewest = needing(test.serial, "newest node");
const twoWorkers = ["--set", "server.workers=2"];

onNewest(
  "on the newest Node every worker listens for HTTP, gRPC and HTTP/2, and all listeners serve",
  async (t) => {
    const service = await startDev(t, [...twoWorkers, "--set", "log.level=info"], {}, newestNodePath());
    const { http, grpc, native, internal } = service.ports;
    for (const port of [http, grpc, native]) t.is(listeners(port), 2, `${port}`);
    t.is(listeners(internal), 1);
    await lifeCycle(t, service);
    // The kernel spreads connections over both workers: that all 16 go to one has a chance of 1 in 32,768.
    for (let i = 0; i < 16; i++) {
      t.deepEqual([...(await grpcCall(grpc))], [8, 1], "SERVING");
      t.is(await http2Get(native, "/api/pools"), 200);
    }
    service.signal("SIGTERM");
    const { code, stdout, stderr } = await service.ended;
    t.is(code, 0, stderr);
    t.notRegex(stdout + stderr, /served by the first worker/);
  },
);

test.serial(
  "on a Node that cannot share ports, only the first worker serves gRPC and HTTP/2, and the log says so",
  async (t) => {
    if (canSharePorts()) return t.pass("this Node can");
    const service = await startDev(t, [...twoWorkers, "--set", "log.level=info"]);
    t.is(listeners(service.ports.grpc), 1);
    t.is(listeners(service.ports.native), 1);
    service.signal("SIGTERM");
    const { code, stdout, stderr } = await service.ended;
    t.is(code, 0);
    t.regex(stdout + stderr, /served by the first worker/);
  },
);

/** Takes an item through a new pool to its completion, over HTTP/1.1. */
async function lifeCycle(t: ExecutionContext, { ports }: RunningService): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${ports.http}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    t.true(response.ok, `${path}: ${response.status}`);
    return ((await response.json()) as { data: Record<string, unknown> }).data;
  };
  const pool = (await post("/api/pools", { name: "a" })).id as string;
  const recipient = (await post(`/api/pools/${pool}/recipients`, { name: "r" })).id as string;
  await post(`/api/queues/${pool}/items`, { payload: { ticket: 1 } });
  const claimed = await post(`/api/queues/${pool}/items:claim`, { recipient_id: recipient, max_items: 1 });
  const [{ item, lease_token }] = claimed.items as [{ item: { id: string }; lease_token: string }];
  await post(`/api/queues/${pool}/items/${item.id}/complete`, { lease_token });
}

/** How many sockets listen on a port of this machine. */
function listeners(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .filter((line) => new RegExp(`^ *\\d+: [0-9A-F]{8}:${hex} [0-9A-F]{8}:0000 0A `).test(line)).length;
}

/** The health of the whole service, over a new connection. */
async function grpcCall(port: number): Promise<Buffer> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
  });
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        Buffer.alloc(0),
        (error, answer) => (error === null ? resolve(answer!) : reject(error)),
      );
    });
  } finally {
    client.close();
  }
}

async function http2Get(port: number, path: string): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({ ":path": path });
      stream.on("error", reject);
      stream.on("response", (headers) => resolve(Number(headers[":status"])));
      stream.resume();
    });
  } finally {
    session.close();
  }
}
