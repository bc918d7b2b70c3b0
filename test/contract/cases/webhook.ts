import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

/** No area makes an event of these kinds, so nothing is sent unless a case asks for it. */
const kinds = ["evidence_run.expired", "endpoint.suppressed"];
const settings = { name: "orders", url: "https://hooks.example.com/in", kinds };

/** All interfaces share a tenant, which may have 50. */
async function room(world: World): Promise<void> {
  const { webhooks } = await world.call<{ webhooks: { id: string }[] }>("WebhookService.ListWebhooks", {
    page_size: 50,
  });
  if (webhooks.length < 10) return;
  for (const { id } of webhooks) await world.call("WebhookService.DeleteWebhook", { webhook_id: id });
}

async function webhook(world: World, more: object = {}): Promise<string> {
  await room(world);
  return (await world.call<{ id: string }>("WebhookService.CreateWebhook", { ...settings, ...more })).id;
}

/** It waits for the one before it, which does not arrive. */
async function delivery(world: World): Promise<{ webhook_id: string; delivery_id: string }> {
  const webhook_id = await webhook(world, { ordering: "strict" });
  await world.call("WebhookService.TestWebhook", { webhook_id });
  const { id } = await world.call<{ id: string }>("WebhookService.TestWebhook", { webhook_id });
  return { webhook_id, delivery_id: id };
}

/** A job that waits for its endpoint, so that all doors find it running. */
async function job(world: World): Promise<{ webhook_id: string; operation_id: string }> {
  const webhook_id = await webhook(world);
  await world.call("WebhookService.UpdateWebhook", { webhook_id, status: "disabled" });
  const request = { webhook_id, since: new Date(0).toISOString() };
  const { operation_id } = await world.call<{ operation_id: string }>("WebhookService.RedeliverAll", request);
  return { webhook_id, operation_id };
}

const missing = (method: string, more: object = {}): Case => ({
  method: `WebhookService.${method}`,
  claim: "an unknown webhook is refused",
  request: () => ({ webhook_id: nobody, ...more }),
  refused: "NOT_FOUND",
});

export const cases: readonly Case[] = [
  {
    method: "WebhookService.CreateWebhook",
    claim: "an endpoint with its secret",
    request: async (world) => {
      await room(world);
      return settings;
    },
  },
  {
    method: "WebhookService.CreateWebhook",
    claim: "an endpoint with all settings",
    request: async (world) => {
      await room(world);
      const headers = { authorization: "Bearer x" };
      const more = { signing: "v1", ordering: "strict", max_in_flight: 1, environment: "staging", headers };
      return { ...settings, ...more };
    },
  },
  {
    method: "WebhookService.CreateWebhook",
    claim: "an unknown kind is refused",
    request: () => ({ ...settings, kinds: ["queue.pausd"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WebhookService.CreateWebhook",
    claim: "an address of the link is refused",
    request: () => ({ ...settings, url: "https://169.254.169.254/" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WebhookService.CreateWebhook",
    claim: "a header that the service sets is refused",
    request: () => ({ ...settings, headers: { "webhook-id": "x" } }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WebhookService.GetWebhook",
    claim: "an endpoint without its secret",
    request: async (world) => ({ webhook_id: await webhook(world) }),
  },
  missing("GetWebhook"),
  {
    method: "WebhookService.ListWebhooks",
    claim: "a page of endpoints",
    request: async (world) => {
      for (let i = 0; i < 2; i++) await webhook(world);
      return { page_size: 1, status: "active" };
    },
  },
  {
    method: "WebhookService.ListWebhooks",
    claim: "a forged page token is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "WebhookService.UpdateWebhook",
    claim: "an endpoint is disabled",
    request: async (world) => ({ webhook_id: await webhook(world), status: "disabled" }),
  },
  missing("UpdateWebhook", { name: "x" }),
  {
    method: "WebhookService.DeleteWebhook",
    claim: "an endpoint is deleted",
    request: async (world) => ({ webhook_id: await webhook(world) }),
  },
  missing("DeleteWebhook"),
  {
    method: "WebhookService.RotateSecret",
    claim: "a new secret, and the old one for an hour",
    request: async (world) => ({ webhook_id: await webhook(world), overlap_seconds: 3_600 }),
  },
  missing("RotateSecret"),
  {
    method: "WebhookService.TestWebhook",
    claim: "a delivery that is going to be sent",
    request: async (world) => ({ webhook_id: await webhook(world) }),
  },
  missing("TestWebhook"),
  {
    method: "WebhookService.ListDeliveries",
    claim: "the deliveries of an endpoint",
    request: async (world) => ({ webhook_id: (await delivery(world)).webhook_id, state: "delivered" }),
  },
  missing("ListDeliveries"),
  {
    method: "WebhookService.GetDelivery",
    claim: "an unknown delivery is refused",
    request: async (world) => ({ webhook_id: await webhook(world), delivery_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "WebhookService.GetDelivery",
    claim: "a delivery with its body",
    request: delivery,
  },
  {
    method: "WebhookService.Redeliver",
    claim: "a delivery that is on its way stays so",
    request: delivery,
  },
  missing("Redeliver", { delivery_id: nobody }),
  {
    method: "WebhookService.RedeliverAll",
    claim: "a job of what has been delivered",
    request: async (world) => ({
      webhook_id: await webhook(world),
      since: new Date(0).toISOString(),
      states: ["delivered"],
      kinds: ["pool"],
    }),
  },
  missing("RedeliverAll", { since: new Date(0).toISOString() }),
  {
    method: "WebhookService.ListWebhookJobs",
    claim: "the jobs of an endpoint",
    request: async (world) => ({ webhook_id: (await job(world)).webhook_id }),
  },
  missing("ListWebhookJobs"),
  { method: "WebhookService.GetWebhookJob", claim: "a job", request: job },
  missing("GetWebhookJob", { operation_id: nobody }),
  {
    method: "WebhookService.CancelWebhookJob",
    claim: "an unknown job is refused",
    request: async (world) => ({ webhook_id: await webhook(world), operation_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "WebhookService.CancelWebhookJob",
    claim: "a job that waits for its endpoint is ended",
    request: job,
  },
];

const one = "/api/v2/webhooks/{webhook_id}";
export const decided = `
WebhookService.CreateWebhook    | POST /api/v2/webhooks                             | webhook:write | admin | I
WebhookService.GetWebhook       | GET ${one}                                        | webhook:read | | R
WebhookService.ListWebhooks     | GET /api/v2/webhooks                              | webhook:read | | R C
WebhookService.UpdateWebhook    | PATCH ${one}                                      | webhook:write | admin | I
WebhookService.DeleteWebhook    | DELETE ${one}                                     | webhook:delete | admin | I
WebhookService.RotateSecret     | POST ${one}:rotate-secret                         | webhook:write | admin | I
WebhookService.TestWebhook      | POST ${one}:test                                  | webhook:write | admin | I
WebhookService.ListDeliveries   | GET ${one}/deliveries                             | webhook:read | | R C
WebhookService.GetDelivery      | GET ${one}/deliveries/{delivery_id}               | webhook:read | | R
WebhookService.Redeliver        | POST ${one}/deliveries/{delivery_id}:redeliver    | webhook:write | admin | I
WebhookService.RedeliverAll     | POST ${one}/deliveries:redeliver                  | webhook:write | admin | I
WebhookService.ListWebhookJobs  | GET ${one}/jobs                                   | webhook:read | | R C
WebhookService.GetWebhookJob    | GET ${one}/jobs/{operation_id}                    | webhook:read | | R
WebhookService.CancelWebhookJob | POST ${one}/jobs/{operation_id}:cancel            | webhook:write | admin | I
`;
