import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#base";
import type { Message, Service } from "./service.ts";

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

/** Creates some of every resource, in every lasting state. Returns the paths that no list contains. */
export async function fill({ call }: Service): Promise<string[]> {
  const post = (path: string, body: Message, headers?: Record<string, string>) =>
    call("POST", path, body, headers);
  const pool = await post("/api/pools", {
    name: "all states",
    description: "Items in every state.",
    config: { lease_seconds: 3_600, max_attempts: 1 },
  });
  const grouped = await post("/api/pools", {
    name: "admission",
    config: {
      lease_seconds: 3_600,
      admission: {
        concurrency: [{ key: "item.key", limit: 1 }],
        throttle: { key: "item.attributes.customer", limit: 1, period_ms: 3_600_000, burst: 1 },
      },
    },
  });
  const recipients: Message[] = [];
  for (const name of ["first", "second", "paused"])
    recipients.push(
      await post(`/api/pools/${pool.id}/recipients`, {
        name,
        weight: 3,
        capacity: 8,
        labels: { name },
        skills: { math: 2 },
      }),
    );
  await post(`/api/recipients/${recipients[2]!.id}/pause`, {});
  const groupedRecipient = await post(`/api/pools/${grouped.id}/recipients`, { name: "only" });
  await post(`/api/pools/${pool.id}/rules`, {
    name: "urgent",
    order: 1,
    condition: 'item.key == "urgent"',
    action: { set_priority: { priority: 1 } },
  });
  await post(`/api/pools/${pool.id}/rules`, {
    name: "prefer",
    order: 2,
    condition: "true",
    action: { prefer: { labels: { name: "first" } } },
  });
  const routing = await post(`/api/pools/${pool.id}:route`, { key: "routed", attributes: { a: 1 } });
  await queueOf(call, `/api/queues/${pool.id}`, recipients[0]!.id as string);
  await post(`/api/queues/${grouped.id}/items:batch`, {
    items: ["a", "a", "b", "c"].map((key) => ({ key, attributes: { customer: "acme" } })),
  });
  await post(`/api/queues/${grouped.id}/items:claim`, { recipient_id: groupedRecipient.id, max_items: 2 });
  const empty = await post("/api/pools", { name: "paused" });
  await post(`/api/queues/${empty.id}/pause`, { reason: "by hand" });
  await lineOf(call);
  const gone = await post("/api/pools", { name: "deleted" });
  await call("DELETE", `/api/pools/${gone.id}`);
  return [
    `/api/routings/${(routing.routing as Message | undefined)?.id ?? routing.id}`,
    ...(await notificationsOf(call)),
  ];
}

/** A message that is sent, and one that no integration takes. */
async function notificationsOf(call: Service["call"]): Promise<string[]> {
  const post = (path: string, body: Message) => call("POST", `/api/v2/${path}`, body);
  await post("notification/integrations", { channel: "email", name: "sink", provider_key: "sink" });
  const subscriber_id = (
    await post("notification/subscribers", {
      external_id: "ada",
      email: "ada@example.com",
      phone: "+41446681800",
    })
  ).id as string;
  const channels = {
    email: { engine: "handlebars", subject: "s", body: "b" },
    sms: { engine: "handlebars", body: "b" },
  };
  await call("PUT", "/api/v2/notification/workflows/news", { channels });
  const { outcomes } = await post("notifications/trigger", { workflow_key: "news", subscriber_id });
  return [
    `/api/v2/notification/subscribers/${subscriber_id}`,
    `/api/v2/notifications/deliveries?subscriber_id=${subscriber_id}`,
    ...(outcomes as Message[]).map(({ delivery_id }) => `/api/v2/notifications/deliveries/${delivery_id}`),
  ];
}

async function queueOf(call: Service["call"], queue: string, recipient_id: string): Promise<void> {
  const post = (path: string, body: Message) => call("POST", `${queue}/${path}`, body);
  const ids: string[] = [];
  for (const key of ["completed", "dead", "leased", "cancelled"]) {
    const { item } = (await post("items", { key, payload: { key } })) as { item: { id: string } };
    ids.push(item.id);
    if (key === "cancelled") await post(`items/${item.id}/cancel`, {});
  }
  const claimed = await post("items:claim", { recipient_id, max_items: 3 });
  const [completed, dead] = claimed.items as Leased[];
  await post(`items/${completed!.item.id}/complete`, {
    lease_token: completed!.lease_token,
    result: { ok: 1 },
  });
  await post(`items/${dead!.item.id}/fail`, { lease_token: dead!.lease_token, error: "broken" });
  for (let n = 0; n < 20; n++)
    await call("POST", `${queue}/items`, repeated(n), { "idempotency-key": `item-${n}` });
  await post("items", { key: "without payload" });
  await post("items", { key: "null payload", payload: null });
  const later = new Date(Date.now() + 3_000_000).toISOString();
  await post("items", { key: "later", not_before: later, payload: "text" });
}

/** Items that have waited long enough for rows in line; the first of them are leased. */
async function lineOf(call: Service["call"]): Promise<void> {
  const pool = await call("POST", "/api/pools", { name: "in line", config: { lease_seconds: 3_600 } });
  const recipient = await call("POST", `/api/pools/${pool.id}/recipients`, { name: "only" });
  const items = Array.from({ length: 8 }, (_, n) => ({ key: `${n}`, payload: { n } }));
  await call("POST", `/api/queues/${pool.id}/items:batch`, { items });
  await sleep(limits.queueLineAfterMs + 5_000);
  await call("POST", `/api/queues/${pool.id}/items:claim`, { recipient_id: recipient.id, max_items: 3 });
}

/** Sent with the key `item-${n}`. */
export function repeated(n: number): Message {
  return {
    key: `key-${n % 3}`,
    priority: 1 + (n % 5),
    payload: { n, text: "x".repeat(n * 100) },
    attributes: { size: n },
  };
}
