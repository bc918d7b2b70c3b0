import { limits } from "#base";
import type { EffectHandler } from "#runtime";
import { askAs } from "../../kit/ask.ts";
import { decrypt, type EncryptedSecret, secretOf } from "../../kit/secrets.ts";
import { webhookKind } from "../../kit/webhook.ts";
import { asymmetricSignature, standardSignature } from "../../notify/outbound/webhook-signature.ts";
import { OutgoingError, type OutgoingResponse, waitAskedFor } from "../../outgoing.ts";
import type { Settled } from "../deliveries.ts";
import type { Parts } from "../parts.ts";
import { type OpenDelivery, openDelivery, type Secrets, type Webhook } from "../record.ts";
import { isServed } from "./served.ts";

interface Asked {
  readonly id: string;
  readonly generation: number;
}

/** One attempt: with the address and the secrets that the endpoint has now. */
export function sendHandler(parts: Parts): EffectHandler<Asked> {
  return {
    laneMax: limits.webhookInFlightMax,
    async run({ address, body: asked, signal }): Promise<Settled> {
      const nothing = { ...asked, status: 0, error: "" };
      if (!parts.isOn) return { ...nothing, off: true };
      const as = { tenant: address.tenant, subject: "webhooks", key: "", signal };
      const open = await askAs(parts.call, openDelivery, { key: address.key, request: asked }, as);
      // It was disabled meanwhile, or the delivery has ended: nothing was sent, so nothing has failed.
      if (open === null) return { ...nothing, off: true };
      if (!(await isServed(parts, open.webhook.id, as))) return { ...nothing, off: true };
      const { error, ...answer } = await attempt(parts, open, signal);
      const result = answer.status === 0 ? "none" : `${Math.floor(answer.status / 100)}xx`;
      parts.metrics.add("service_webhook_attempts_total", { result });
      return { ...asked, ...answer, error: error.slice(0, limits.webhookErrorLengthMax) };
    },
  };
}

type Answered = Omit<Settled, "id" | "generation" | "off">;

async function attempt(parts: Parts, open: OpenDelivery, signal: AbortSignal): Promise<Answered> {
  const { webhook, delivery, body } = open;
  const now = parts.clock.now();
  const id = `msg_${delivery.eventId}`;
  const timestamp = String(Math.floor(now / 1_000));
  const current = secretsOf(parts, webhook, webhook.secret);
  if (current === undefined) return { status: 0, error: "the key that encrypted the secret is not here" };
  const { previous } = webhook;
  const older = previous && previous.untilMs > now ? secretsOf(parts, webhook, previous) : undefined;
  const signatures = [current, ...(older ? [older] : [])].map(({ key }) => {
    const signed = { id, timestamp, body };
    if (webhook.signing === "v1") return standardSignature(`whsec_${key}`, signed);
    return asymmetricSignature(Buffer.from(key, "base64"), signed);
  });
  const own = {
    "content-type": "application/json",
    "user-agent": "Switchyard-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
  try {
    const answer = await parts.outgoing.request({
      method: "POST",
      url: webhook.url,
      headers: { ...current.headers, ...own },
      body,
      signal,
      timeoutMs: limits.webhookTimeoutMs,
      maxBytes: limits.webhookAnswerBytesMax,
    });
    return answered(answer, now);
  } catch (error) {
    // The attempt is over: another one begins, or none.
    if (signal.aborted || !(error instanceof OutgoingError)) throw error;
    return { status: 0, error: `${error.stage}: ${error.message}` };
  }
}

function answered({ status, headers }: OutgoingResponse, now: number): Answered {
  const retryAfterMs = waitAskedFor(headers["retry-after"], now);
  const isTaken = status >= 200 && status < 300;
  const error = isTaken ? "" : `the endpoint answered ${status}`;
  return { status, error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function secretsOf(
  parts: Parts,
  webhook: Webhook,
  { encrypted, version }: EncryptedSecret,
): Secrets | undefined {
  return decrypt<Secrets>(parts, encrypted, secretOf(webhookKind, webhook, version));
}
