import webPush from "web-push";
import { asError, limits } from "#base";
import type { OutboundMessage, Provider, SendOutcome } from "../types.ts";
import { collapseKey } from "./collapse.ts";
import { isOutcome, ofEndpoint, outcomeOf, post, refused, textOf } from "./http.ts";
import type { ProviderParts } from "./parts.ts";

/** Encrypted for one browser (RFC 8291) and signed with the connection's VAPID keys. The library makes the request, and sends nothing. */
export function makeWebPush({ outgoing, clock }: ProviderParts): Provider {
  return {
    key: "web_push",
    channels: ["push"],
    keyed: true,
    connected: true,
    async send(message, settings, connection, signal) {
      const subscription = subscriptionOf(message.to);
      if (subscription === undefined) return invalid("the identity is not the JSON of a push subscription");
      const { public_key, private_key } = { ...connection?.config, ...connection?.credential };
      const publicKey = textOf(public_key);
      const privateKey = textOf(private_key);
      const subject = textOf(connection?.config.subject);
      if (publicKey === undefined || privateKey === undefined || subject === undefined)
        return refused("NO_VAPID", "the connection needs subject, public_key and private_key");
      const body = payloadOf(message, settings.data);
      if (Buffer.byteLength(body) > limits.webPushPayloadBytesMax)
        return refused(
          "PAYLOAD_TOO_LARGE",
          `a push message has at most ${limits.webPushPayloadBytesMax} bytes`,
        );
      const ttl = Math.max(0, Math.floor((message.expiresAtMs - clock.now()) / 1_000));
      let made: webPush.RequestDetails;
      try {
        made = webPush.generateRequestDetails(subscription, body, {
          vapidDetails: { subject, publicKey, privateKey },
          TTL: Math.min(ttl, limits.webPushTtlSecondsMax),
          topic: collapseKey(message.key),
          contentEncoding: "aes128gcm",
        });
      } catch (error) {
        return invalid(asError(error).message);
      }
      const headers = Object.fromEntries(
        Object.entries(made.headers)
          .filter(([name]) => name.toLowerCase() !== "content-length")
          .map(([name, value]) => [name.toLowerCase(), String(value)]),
      );
      const answer = await post(outgoing, { url: made.endpoint, headers, body: made.body!, signal });
      if (isOutcome(answer)) return ofEndpoint(answer);
      if (answer.status < 300)
        return { type: "accepted", providerMessageId: answer.headers.location ?? message.key };
      const outcome = ofEndpoint(outcomeOf(answer, clock.now()));
      const isGone = answer.status === 404 || answer.status === 410;
      return outcome.type === "refused" && isGone ? { ...outcome, suppress: "gone" } : outcome;
    },
  };
}

function payloadOf({ subject, text, key }: OutboundMessage, data: unknown): string {
  return JSON.stringify({ title: subject, body: text, key, ...(data !== undefined && { data }) });
}

function subscriptionOf(identity: string): webPush.PushSubscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(identity) as webPush.PushSubscription;
    const isWhole = [endpoint, keys.p256dh, keys.auth].every((text) => typeof text === "string");
    return isWhole ? { endpoint, keys } : undefined;
  } catch {
    return undefined;
  }
}

function invalid(message: string): SendOutcome {
  return { type: "refused", phase: "provider", code: "BAD_SUBSCRIPTION", message, suppress: "invalid" };
}
