import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExecutionContext } from "ava";
import { systemClock } from "#base";
import type {
  JsonObject,
  OutboundConnection,
  OutboundMessage,
  Provider,
} from "../../actors/notify/outbound/types.ts";
import { createOutgoing } from "../../gateway/egress/index.ts";

/** What providers are made of, with loopback addresses allowed; the test file closes it. */
export const outgoing = createOutgoing({
  mode: "enforce",
  allowedDomains: [],
  allowedNetworks: ["127.0.0.0/8"],
});
export const parts = { outgoing, clock: systemClock };

export const message: OutboundMessage = {
  key: "01JDELIVERY.1",
  channel: "chat",
  to: "someone",
  metadata: {},
  subject: "Hello",
  text: "there",
  workflowKey: "welcome",
  payload: { n: 1 },
  expiresAtMs: Date.now() + 60_000,
};

/** One message by a provider, over a connection with these parts. */
export function send(
  provider: Provider,
  connection: Partial<OutboundConnection>,
  { settings = {}, ...more }: Partial<OutboundMessage> & { settings?: JsonObject } = {},
) {
  const whole = { providerKey: provider.key, config: {}, credential: {}, ...connection };
  return provider.send({ ...message, ...more }, settings, whole, new AbortController().signal);
}

export interface Recorded {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Records what it is sent, and answers as `answer` says. */
export async function record(
  t: ExecutionContext,
  answer: (response: ServerResponse, recorded: Recorded) => void = (response) => void response.end("{}"),
) {
  const seen: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const recorded = { request, body: Buffer.concat(chunks) };
    seen.push(recorded);
    answer(response, recorded);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const answering =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
