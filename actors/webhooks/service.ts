import { answered, answering, takes, versionOf } from "../kit/methods.ts";
import { reencryptWebhook, webhookSecrets } from "../kit/webhook.ts";
import type { Command } from "./decide.ts";
import { changeWebhook, getWebhook, lookWebhook, openDelivery, rotateWebhook } from "./record.ts";

interface OfDelivery {
  readonly delivery_id: string;
}

interface OfJob {
  readonly operation_id: string;
}

interface RedeliverAll {
  readonly since: string;
  readonly until?: string;
  readonly kinds: readonly string[];
  readonly states: readonly string[];
}

const one = (type: "get_delivery" | "redeliver") =>
  answered<Command, OfDelivery>(({ delivery_id: id }) => ({ type, id }));
const job = (type: "get_job" | "cancel_job") =>
  answered<Command, OfJob>(({ operation_id: id }) => ({ type, id }));

export const methods = {
  [getWebhook.name]: answered<Command>(() => ({ type: "get" })),
  [lookWebhook.name]: answered<Command>(() => ({ type: "look" })),
  [webhookSecrets.name]: answered<Command>(() => ({ type: "secrets" })),
  [changeWebhook.name]: takes<Command>("change"),
  [rotateWebhook.name]: takes<Command>("rotate"),
  [reencryptWebhook.name]: takes<Command>("reencrypt"),
  [openDelivery.name]: answering(openDelivery, (request): Command => ({ type: "open", ...request })),
  "WebhookService.DeleteWebhook": answered<Command>((request) => ({ type: "delete", ...versionOf(request) })),
  "WebhookService.TestWebhook": answered<Command>(() => ({ type: "test" })),
  "WebhookService.ListDeliveries": answered<Command>((request) => ({ type: "list", request })),
  "WebhookService.GetDelivery": one("get_delivery"),
  "WebhookService.Redeliver": one("redeliver"),
  "WebhookService.RedeliverAll": answered<Command, RedeliverAll>(({ since, until, kinds, states }) => ({
    type: "redeliver_all",
    selection: {
      since: Date.parse(since),
      kinds,
      states,
      ...(until !== undefined && { until: Date.parse(until) }),
    },
  })),
  "WebhookService.ListWebhookJobs": answered<Command>((request) => ({ type: "list_jobs", request })),
  "WebhookService.GetWebhookJob": job("get_job"),
  "WebhookService.CancelWebhookJob": job("cancel_job"),
};
