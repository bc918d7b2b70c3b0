/** What a failure counts for: the integration, or the address that it says something about. With real servers. */
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import webPush from "web-push";
import { limits, systemClock } from "#base";
import { answering, outgoing, parts, record, send } from "../../../test/support/providers.ts";
import { makeSlack } from "../../notify/outbound/providers/slack.ts";
import { makeSmtp } from "../../notify/outbound/providers/smtp.ts";
import { makeTwilio } from "../../notify/outbound/providers/twilio.ts";
import { makeWebPush } from "../../notify/outbound/providers/web-push.ts";
import { makeWebhook } from "../../notify/outbound/providers/webhook.ts";
import type { SendOutcome } from "../../notify/outbound/types.ts";
import { Breaker } from "./breaker.ts";

test.after.always(() => outgoing.close());

type Sent = (t: ExecutionContext) => Promise<SendOutcome>;

const smtp =
  (step: keyof SMTPServerOptions | "closed", responseCode = 0, text = "no"): Sent =>
  async (t) => {
    const refusing = (...given: unknown[]) =>
      (given.at(-1) as (error: Error) => void)(Object.assign(new Error(text), { responseCode }));
    const disabledCommands = step === "onAuth" ? ["STARTTLS"] : ["AUTH", "STARTTLS"];
    const options = step === "closed" ? {} : { [step]: refusing };
    const server = new SMTPServer({ logger: false, disabledCommands, ...options });
    server.on("error", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.server.address() as AddressInfo;
    const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
    if (step === "closed") await close();
    else t.teardown(close);
    const config = { host: "127.0.0.1", port, security: "none" };
    const credential = step === "onAuth" ? { username: "a", password: "b" } : {};
    const settings = { from: "a@example.com" };
    return send(makeSmtp(parts), { config, credential }, { channel: "email", to: "b@example.com", settings });
  };

const vapid = webPush.generateVAPIDKeys();
const push =
  (status: number): Sent =>
  async (t) => {
    const url = await urlOf(t, status);
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const config = { subject: "mailto:a@example.com", public_key: vapid.publicKey };
    const connection = { config, credential: { private_key: vapid.privateKey } };
    return send(makeWebPush(parts), connection, { to: JSON.stringify({ endpoint: url, keys }) });
  };

/** 0: a port at which nothing listens. */
async function urlOf(t: ExecutionContext, status: number): Promise<string> {
  return status === 0 ? "http://127.0.0.1:1" : (await record(t, answering(status))).url;
}

const cases: readonly (readonly [string, "integration" | "endpoint" | "neither", Sent])[] = [
  ["a mail server that is not there", "integration", smtp("closed")],
  ["SMTP 421 at the greeting", "integration", smtp("onConnect", 421)],
  ["SMTP 535 at the login", "integration", smtp("onAuth", 535)],
  ["SMTP 451 to MAIL FROM", "integration", smtp("onMailFrom", 451)],
  ["SMTP 421 to RCPT TO", "integration", smtp("onRcptTo", 421)],
  ["SMTP 450 to RCPT TO", "endpoint", smtp("onRcptTo", 450)],
  ["SMTP 452 to RCPT TO", "endpoint", smtp("onRcptTo", 452)],
  ["SMTP 550 to RCPT TO", "neither", smtp("onRcptTo", 550)],
  ["a push endpoint that is not there", "endpoint", push(0)],
  ...[500, 429, 401, 403].map(
    (status) => [`${status} of a push endpoint`, "endpoint", push(status)] as const,
  ),
  ["410 of a push endpoint", "neither", push(410)],
  [
    "500 of a subscriber's Slack hook",
    "endpoint",
    async (t) => send(makeSlack(parts), {}, { to: await urlOf(t, 500) }),
  ],
  [
    "500 of the connection's Slack hook",
    "integration",
    async (t) => send(makeSlack(parts), { credential: { webhook_url: await urlOf(t, 500) } }),
  ],
  [
    "500 of Slack",
    "integration",
    async (t) =>
      send(makeSlack(parts), { config: { base_url: await urlOf(t, 500) }, credential: { api_key: "k" } }),
  ],
  [
    "503 of the connection's webhook",
    "integration",
    async (t) => send(makeWebhook(parts), { config: { url: await urlOf(t, 503) } }),
  ],
  [
    "a webhook that is not there",
    "integration",
    async (t) => send(makeWebhook(parts), { config: { url: await urlOf(t, 0) } }),
  ],
  [
    "401 of Twilio",
    "integration",
    async (t) =>
      send(
        makeTwilio(parts),
        { config: { base_url: await urlOf(t, 401) } },
        { to: "+4915112345678", settings: { from: "+1" } },
      ),
  ],
];

for (const [what, owner, sent] of cases)
  test(`given ${what}, when it happens ${limits.breakerFailures} times, then it counts for: ${owner}`, async (t) => {
    const breaker = new Breaker(systemClock);
    const here = { tenant: "t", integration: "i", to: "here" };
    const result = await sent(t);
    t.not(result.type, "accepted");
    for (let n = 0; n < limits.breakerFailures; n++) breaker.note(here, result as never);
    t.is(breaker.waitMs(here) > 0, owner !== "neither", JSON.stringify(result));
    t.is(breaker.waitMs({ ...here, to: "there" }) > 0, owner === "integration", JSON.stringify(result));
    t.is(breaker.waitMs({ ...here, integration: "other" }), 0);
  });
