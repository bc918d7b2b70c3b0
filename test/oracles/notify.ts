/**
 * The messages that the providers send, for notify.py: one line of JSON. Arguments: the ports of its mail and HTTP
 * servers, and its push keys.
 */

import webPush from "web-push";
import { systemClock } from "#base";
import { makeSmtp } from "../../actors/notify/outbound/providers/smtp.ts";
import { makeWebPush } from "../../actors/notify/outbound/providers/web-push.ts";
import { makeWebhook } from "../../actors/notify/outbound/providers/webhook.ts";
import type { OutboundConnection, OutboundMessage } from "../../actors/notify/outbound/types.ts";
import { createOutgoing } from "../../gateway/egress/index.ts";

const [mailPort, httpPort, p256dh, auth, secret, ...addresses] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  ...string[],
];
const outgoing = createOutgoing({ mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] });
const parts = { outgoing, clock: systemClock };
const { signal } = new AbortController();
const message: OutboundMessage = {
  key: "01JDELIVERY.1",
  channel: "email",
  to: "",
  metadata: {},
  subject: "Grüße",
  text: "there",
  workflowKey: "welcome",
  payload: { n: 1 },
  expiresAtMs: Date.now() + 60_000,
};
const connection = (
  config: OutboundConnection["config"],
  credential: OutboundConnection["credential"] = {},
) => ({
  providerKey: "",
  config,
  credential,
});

const smtp = makeSmtp(parts);
const server = connection({ host: "127.0.0.1", port: Number(mailPort), security: "none" });
const mails: Record<string, unknown> = {};
for (const to of addresses)
  mails[to] = await smtp.send({ ...message, to }, { from: "a@example.com" }, server, signal);

const url = `http://127.0.0.1:${httpPort}`;
const hook = connection({ url: `${url}/hook` }, { secret });
const webhook = await makeWebhook(parts).send({ ...message, to: "x" }, {}, hook, signal);

const vapid = webPush.generateVAPIDKeys();
const pushing = connection(
  { subject: "mailto:a@example.com", public_key: vapid.publicKey },
  { private_key: vapid.privateKey },
);
const to = JSON.stringify({ endpoint: `${url}/push`, keys: { p256dh, auth } });
const push = await makeWebPush(parts).send({ ...message, channel: "push", to }, {}, pushing, signal);

console.log(JSON.stringify({ mails, webhook, push }));
await outgoing.close();
process.exit(0);
