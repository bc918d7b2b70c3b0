import { limits } from "#base";
import type { OutboundMessage, Provider, SendOutcome } from "./types.ts";

/**
 * Takes everything and sends nothing: for development. It remembers the last messages of its thread. `answer` in the integration's
 * metadata (`refuse`, `fail` or `lose`) is what the sink answers instead, to try what follows from it.
 */
export const sink: Provider = {
  key: "sink",
  channels: ["email", "sms", "push", "chat"],
  keyed: false,
  connected: false,
  send(message, { answer }) {
    const given = typeof answer === "string" ? answers[answer] : undefined;
    if (given) return Promise.resolve(given);
    if (taken.length >= limits.sinkMessagesMax) taken.shift();
    taken.push(message);
    return Promise.resolve({ type: "accepted", providerMessageId: `sink-${message.key}` });
  },
};

const answers: Readonly<Record<string, SendOutcome>> = {
  refuse: { type: "refused", phase: "provider", code: "PROVIDER_REFUSED", message: "as its metadata asks" },
  fail: { type: "not_sent", phase: "connect", code: "NETWORK", message: "as its metadata asks" },
  lose: { type: "maybe_sent", phase: "provider", code: "TIMEOUT", message: "as its metadata asks" },
};

const taken: OutboundMessage[] = [];

/** Of this thread, the oldest first. */
export function sinkMessages(): readonly OutboundMessage[] {
  return taken;
}
