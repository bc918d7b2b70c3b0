/** Real processes are killed while signed events arrive: each event that was answered with 200 is one item. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { Random } from "#base";
import { standardSignature } from "../../actors/notify/outbound/webhook-signature.ts";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

type Message = Record<string, unknown>;

/** `HOOK_EVENTS=10000 HOOK_KILLS=20` is the full size. */
const events = Number(process.env.HOOK_EVENTS ?? 60);
const kills = Number(process.env.HOOK_KILLS ?? 1);

test("kill -9 while events arrive, in any order and twice: each is enqueued once", async (t) => {
  t.timeout(900_000);
  const folder = await mkdtemp(join(tmpdir(), "switchyard.hooks-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const settings = ["--set", `storage.dir=${folder}/data`];
  let service: RunningService = await startDev(t, settings);
  let over = false;
  t.teardown(() => {
    over = true;
  });
  /** Repeats until a running process answers. */
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    while (!over) {
      try {
        const answer = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
          method,
          headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(30_000),
        });
        const text = await answer.text();
        if (answer.status !== 429 && answer.status < 500) return { status: answer.status, text };
      } catch {
        // The process is gone, or going.
      }
      await sleep(50);
    }
    throw new Error("the test is over");
  };
  const call = async (method: string, path: string, body?: object, key?: string): Promise<Message> => {
    const { text } = await send(
      method,
      path,
      body && JSON.stringify(body),
      key ? { "idempotency-key": key } : {},
    );
    return JSON.parse(text) as Message;
  };
  const made = async (path: string, body: object) => (await call("POST", path, body, path)).data as Message;

  const at = "/api/v2/connector";
  const pool = await made("/api/pools", { name: "events" });
  const config = { url: "http://127.0.0.1:9" };
  const provider = { name: "hooks", provider_key: "webhook", auth: "none", config };
  const { id: provider_config_id } = await made(`${at}/provider-configs`, provider);
  await made(`${at}/provider-configs/${provider_config_id}:activate`, {});
  const session = await made(`${at}/connect-sessions`, { provider_config_id });
  await made(`${at}/connect-sessions/${session.id}/submit`, { fields: {} });
  const subscription = await made(`${at}/trigger-subscriptions`, {
    connection_id: session.connection_id,
    trigger_key: "webhook.received",
    target: { pool_id: pool.id },
  });
  const { hook_url, secret } = subscription as { hook_url: string; secret: string };

  const random = new Random("hooks");
  // Each of them at least once, a third of them twice, in random order.
  const order = Array.from({ length: events }, (_, n) => n).flatMap((n) => (n % 3 === 0 ? [n, n] : [n]));
  for (let from = order.length - 1; from > 0; from--) {
    const to = random.int(from + 1);
    [order[from], order[to]] = [order[to]!, order[from]!];
  }
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let index = sender; index < order.length; index += 8) {
      const id = `event-${order[index]}`;
      const body = JSON.stringify({ n: order[index] });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const { status, text } = await send("POST", hook_url, body, {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": standardSignature(secret, { id, timestamp, body }),
      });
      if (status !== 200) throw new Error(`${id}: ${status} ${text}`);
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + random.int(1_200));
    service.signal("SIGKILL");
    await service.ended;
    service = await startDev(t, settings);
  }
  await Promise.all(senders);
  const total = async () => (await call("GET", `/api/queues/${pool.id}/items?limit=1`)).total as number;
  await eventually("every event is an item", async () => (await total()) >= events || undefined);
  const seen = new Set<number>();
  for (let cursor = ""; ; ) {
    const page = await call("GET", `/api/queues/${pool.id}/items?limit=200${cursor && `&cursor=${cursor}`}`);
    for (const { payload } of page.data as { payload: { event: { n: number } } }[]) seen.add(payload.event.n);
    if (!page.next_cursor) break;
    cursor = page.next_cursor as string;
  }
  t.is(seen.size, events);
  t.is(await total(), events, "none twice");
  t.log(`${events} events in ${order.length} requests, ${kills} kills`);
});
