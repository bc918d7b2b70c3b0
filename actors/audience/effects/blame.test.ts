/** What a failure counts for: the integration, or the address that it says something about. With real servers. */
import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import webPush from "web-push";
import { limits, systemClock } from "#base";
import { answering, outgoing, parts, record, send } from "../../../test/support/providers.ts";
import { makeFcm } from "../../notify/outbound/providers/fcm.ts";
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

const account = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;

/** What FCM answers, and with which status its token endpoint does. */
const fcm =
  (status: number, error: object = {}, tokens = 200): Sent =>
  async (t) => {
    const { url } = await record(t, (response, { request }) =>
      request.url === "/token"
        ? answering(tokens, { access_token: "t", expires_in: 3_600 })(response)
        : answering(status, { error })(response),
    );
    const config = { project_id: "p", base_url: url, token_url: `${url}/token` };
    const private_key = account.export({ type: "pkcs8", format: "pem" }) as string;
    return send(makeFcm(parts), { config, credential: { client_email: "a", private_key } });
  };

/** As FCM writes it in `details`. */
const fcmError = (errorCode: string, ...more: object[]) => ({ details: [{ errorCode }, ...more] });
const badField = (field: string) => ({ fieldViolations: [{ field }] });
const badToken = {
  ...fcmError("INVALID_ARGUMENT"),
  message: "The registration token is not a valid FCM registration token",
};

const slack =
  (error: string): Sent =>
  async (t) => {
    const { url } = await record(t, answering(200, { ok: false, error }));
    return send(makeSlack(parts), { config: { base_url: url }, credential: { api_key: "k" } });
  };

const twilio =
  (status: number, code: number): Sent =>
  async (t) => {
    const { url } = await record(t, answering(status, { code, message: "no" }));
    const to = "+4915112345678";
    return send(makeTwilio(parts), { config: { base_url: url } }, { to, settings: { from: "+1" } });
  };

/** 0: a port at which nothing listens. */
async function urlOf(t: ExecutionContext, status: number): Promise<string> {
  return status === 0 ? "http://127.0.0.1:1" : (await record(t, answering(status))).url;
}

/** `suppressed`: for the address too, which is never tried again. */
type Owner = "integration" | "endpoint" | "suppressed" | "neither";

const cases: readonly (readonly [string, Owner, Sent])[] = [
  ["a mail server that is not there", "integration", smtp("closed")],
  ["SMTP 421 at the greeting", "integration", smtp("onConnect", 421)],
  ["SMTP 535 at the login", "integration", smtp("onAuth", 535)],
  ["SMTP 451 to MAIL FROM", "integration", smtp("onMailFrom", 451)],
  ["SMTP 421 to RCPT TO", "integration", smtp("onRcptTo", 421)],
  ["SMTP 450 to RCPT TO", "endpoint", smtp("onRcptTo", 450)],
  ["SMTP 452 to RCPT TO", "endpoint", smtp("onRcptTo", 452)],
  ["SMTP 550 to RCPT TO", "suppressed", smtp("onRcptTo", 550)],
  ["a push endpoint that is not there", "endpoint", push(0)],
  ...[500, 429, 401, 403].map(
    (status) => [`${status} of a push endpoint`, "endpoint", push(status)] as const,
  ),
  ["410 of a push endpoint", "suppressed", push(410)],
  ["413 of a push endpoint", "neither", push(413)],
  ["a device that FCM calls unregistered", "suppressed", fcm(404, fcmError("UNREGISTERED"))],
  ["a token that FCM calls none", "suppressed", fcm(400, badToken)],
  [
    "a token that FCM names as a bad field",
    "suppressed",
    fcm(400, fcmError("INVALID_ARGUMENT", badField("message.token"))),
  ],
  [
    "another bad field of FCM",
    "neither",
    fcm(400, fcmError("INVALID_ARGUMENT", badField("message.data[0].value"))),
  ],
  ["a token of another FCM project", "endpoint", fcm(403, fcmError("SENDER_ID_MISMATCH"))],
  ["an FCM project that is not there", "neither", fcm(404, { status: "NOT_FOUND" })],
  ["403 of FCM", "integration", fcm(403, { status: "PERMISSION_DENIED" })],
  ["401 of FCM", "integration", fcm(401, { status: "UNAUTHENTICATED" })],
  ["a certificate that FCM has not", "integration", fcm(401, fcmError("THIRD_PARTY_AUTH_ERROR"))],
  ["429 of FCM", "integration", fcm(429, fcmError("QUOTA_EXCEEDED"))],
  ["500 of FCM", "integration", fcm(500, fcmError("INTERNAL"))],
  ["503 of FCM", "integration", fcm(503, fcmError("UNAVAILABLE"))],
  ["FCM's token endpoint with 401", "integration", fcm(200, {}, 401)],
  ["FCM's token endpoint with 500", "integration", fcm(200, {}, 500)],
  ...["channel_not_found", "is_archived", "user_not_found"].map(
    (error) => [`Slack's ${error}`, "suppressed", slack(error)] as const,
  ),
  ...["invalid_auth", "token_revoked", "ratelimited", "service_unavailable", "internal_error"].map(
    (error) => [`Slack's ${error}`, "integration", slack(error)] as const,
  ),
  ["Slack's msg_too_long", "neither", slack("msg_too_long")],
  ["a number that Twilio calls none", "suppressed", twilio(400, 21_211)],
  ["a person who told Twilio STOP", "suppressed", twilio(400, 21_610)],
  ["a sender that Twilio does not know", "neither", twilio(400, 21_606)],
  ["429 of Twilio", "integration", twilio(429, 20_429)],
  ["500 of Twilio", "integration", twilio(500, 20_500)],
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
    t.is("suppress" in result, owner === "suppressed", JSON.stringify(result));
    t.is(breaker.waitMs(here) > 0, owner === "endpoint" || owner === "integration", JSON.stringify(result));
    t.is(breaker.waitMs({ ...here, to: "there" }) > 0, owner === "integration", JSON.stringify(result));
    t.is(breaker.waitMs({ ...here, integration: "other" }), 0);
  });
