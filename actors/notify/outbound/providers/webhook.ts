import type { Provider } from "../types.ts";
import { webhookHeaders } from "../webhook-signature.ts";
import { isOutcome, outcomeOf, post, refused, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** A POST to the connection's `url`, signed by Standard Webhooks; `webhook-id` is the same in every attempt. */
export function makeWebhook({ outgoing, clock }: ProviderParts): Provider {
  return {
    key: "webhook",
    channels: ["email", "sms", "push", "chat"],
    keyed: true,
    connected: true,
    async send(message, _settings, connection, signal) {
      const url = textOf(connection?.config.url);
      if (url === undefined) return refused("NO_URL", "the connection has no url");
      const now = clock.now();
      const { key, channel, to, subject, html, text, workflowKey, payload, unsubscribeUrl } = message;
      const data = {
        delivery_key: key,
        channel,
        to,
        subject,
        text,
        ...(html !== undefined && { html }),
        ...(unsubscribeUrl !== undefined && { unsubscribe_url: unsubscribeUrl }),
        payload,
      };
      const body = JSON.stringify({ type: workflowKey, timestamp: new Date(now).toISOString(), data });
      const secret = textOf(connection?.credential.secret);
      const signed =
        secret === undefined ? { "webhook-id": key } : webhookHeaders(secret, { id: key, now, body });
      const headers = { "content-type": "application/json", ...signed };
      const answer = await post(outgoing, { url, headers, body, signal });
      if (isOutcome(answer)) return answer;
      if (answer.status >= 300) return outcomeOf(answer, clock.now());
      return { type: "accepted", providerMessageId: key };
    },
  };
}
