// How many webhooks a second, durable, against a BullMQ worker that posts the same bodies, and what does a dead endpoint cost another?
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { webhookHeaders } from "../actors/notify/outbound/webhook-signature.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { onBullmq } from "./support/bullmq.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { secret, withReceiver } from "./support/notify.ts";
import { type BenchService, startService } from "./support/service.ts";

const posts = Number(process.env.BENCH_POSTS ?? 20_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 20);
const perSecond = 50;

export default defineBench({
  question:
    "How many webhooks a second, durable, against a BullMQ worker that posts the same bodies (appendfsync always), and what does a dead endpoint cost another?",
  needs: ["redis"],
  contenders: {
    webhooks: () => withReceiver("http", webhooks),
    bullmq: () => withReceiver("http", bullmq),
    alone: () => latencies(false),
    beside_dead: () => latencies(true),
  },
  bars: [
    { figure: "per_s", contender: "webhooks", against: "bullmq", atLeast: 1 },
    { figure: "p99_ms", contender: "beside_dead", against: "alone", atMost: 1.5 },
  ],
});

/** The count includes the items whose events are sent: they are enqueued meanwhile. */
function webhooks(port: number): Promise<Stats> {
  return onService(async (service, lane) => {
    await create(lane, `http://127.0.0.1:${port}/`, ["queue_item.enqueued"]);
    const pool = await service.createPool(0);
    const cpu = cpuSeconds(service.pid);
    const begin = performance.now();
    for (let n = 0; n < posts; n += 500)
      await lane.post(`/api/queues/${pool}/items:batch`, {
        items: Array.from({ length: Math.min(500, posts - n) }, () => ({ key: "k" })),
      });
    await received(port);
    const per_s = posts / ((performance.now() - begin) / 1_000);
    return { per_s, cpu_us: ((cpuSeconds(service.pid) - cpu) / posts) * 1e6 };
  });
}

/** A body as long as that of the event. */
const body = JSON.stringify({
  type: "queue_item.enqueued",
  timestamp: new Date(0).toISOString(),
  data: {
    pool_id: "0".repeat(26),
    id: "0".repeat(26),
    state: "ready",
    attempts: 0,
    deliveries: 0,
    record_version: 1,
  },
  tenant_id: "0".repeat(26),
  id: "12-123456-0-123",
  environment: "production",
  subject: "0".repeat(26),
});

async function bullmq(port: number): Promise<Stats> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  const post = async ({ index = 0 }: { readonly index?: number }) => {
    const signed = webhookHeaders(secret, { id: `msg_${index}`, now: Date.now(), body });
    const headers = { "content-type": "application/json", ...signed };
    const answer = await pool.request({ method: "POST", path: "/", headers, body });
    await answer.body.dump();
  };
  const stats = await onBullmq(post, async (queue) => {
    const begin = performance.now();
    for (let n = 0; n < posts; n += 500)
      await queue.addBulk(
        Array.from({ length: Math.min(500, posts - n) }, (_, i) => ({
          name: "j",
          data: { index: n + i, body },
        })),
      );
    await received(port);
    return { per_s: posts / ((performance.now() - begin) / 1_000) };
  });
  await pool.close();
  return stats;
}

async function received(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/count`);
    if (Number(await response.text()) >= posts) return;
    await sleep(10);
  }
}

/** From the change of a pool until its event has arrived, at a steady rate. */
function latencies(besideDead: boolean): Promise<Stats> {
  return onService(async (service, lane) => {
    const took: number[] = [];
    const receiver = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      response.end();
      const { data } = JSON.parse(text) as { data: { reason?: string } };
      if (data.reason) took.push(performance.now() - Number(data.reason));
    });
    // It accepts connections and never answers.
    const dead = createTcpServer((socket) => void socket.on("error", () => undefined));
    await create(lane, await listening(receiver), ["queue.paused"]);
    if (besideDead) await create(lane, await listening(dead as unknown as Server), ["queue.paused"]);
    const pool = await service.createPool(0);
    const turn = async () => {
      await lane.post(`/api/queues/${pool}/pause`, { reason: String(performance.now()) });
      await lane.post(`/api/queues/${pool}/resume`, {});
    };
    for (let n = 0; n < perSecond * 5; n++) await turn();
    took.length = 0;
    const begin = performance.now();
    const count = perSecond * seconds;
    for (let n = 0; n < count; n++) {
      const waitMs = begin + (n * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      await turn();
    }
    while (took.length < count) await sleep(10);
    receiver.closeAllConnections();
    receiver.close();
    took.sort((a, b) => a - b);
    const at = (share: number) => took[Math.floor((took.length - 1) * share)]!;
    return { p50_ms: at(0.5), p99_ms: at(0.99) };
  });
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function create(lane: Lane, url: string, kinds: readonly string[]): Promise<unknown> {
  return lane.post("/api/v2/webhooks", { name: "bench", url, kinds, max_in_flight: 64 });
}

function onService(run: (service: BenchService, lane: Lane) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lane = new Lane(service.ports.http);
    const stats = await run(service, lane);
    lane.close();
    await service.stop();
    return stats;
  });
}
