import { createECDH, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import test, { type ExecutionContext } from "ava";
// @ts-expect-error: it has no types.
import ece from "http_ece";
import { jwtVerify } from "jose";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Webhook } from "standardwebhooks";
import webPush from "web-push";
import { limits, systemClock } from "#base";
import { createOutgoing } from "../../../../gateway/egress/index.ts";
import type { JsonObject, OutboundConnection, OutboundMessage, Provider } from "../types.ts";
import { makeFcm } from "./fcm.ts";
import { makeSlack } from "./slack.ts";
import { makeSmtp } from "./smtp.ts";
import { makeTwilio } from "./twilio.ts";
import { makeWebPush } from "./web-push.ts";
import { makeWebhook } from "./webhook.ts";

const outgoing = createOutgoing({ mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] });
test.after.always(() => outgoing.close());
const parts = { outgoing, clock: systemClock };

const message: OutboundMessage = {
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

function send(
  provider: Provider,
  connection: Partial<OutboundConnection>,
  { settings = {}, ...more }: Partial<OutboundMessage> & { settings?: JsonObject } = {},
) {
  const whole = { providerKey: provider.key, config: {}, credential: {}, ...connection };
  return provider.send({ ...message, ...more }, settings, whole, new AbortController().signal);
}

interface Recorded {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** Records what it is sent, and answers as `answer` says. */
async function record(
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

const answering =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));

test("given a webhook, when it is sent, then standardwebhooks takes its signature and its id is the key", async (t) => {
  const { url, seen } = await record(t);
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const outcome = await send(makeWebhook(parts), { config: { url }, credential: { secret } });
  t.deepEqual(outcome, { type: "accepted", providerMessageId: message.key });
  const [{ request, body }] = seen as [Recorded];
  const headers = request.headers as Record<string, string>;
  const read = new Webhook(secret).verify(body.toString(), headers) as JsonObject;
  t.like(read, { type: "welcome", data: { text: "there", payload: { n: 1 } } });
  t.is(headers["webhook-id"], message.key);
  t.throws(() => new Webhook(secret).verify(`${body.toString()} `, headers));
});

test("given an HTTP provider, when it answers, then the status says whether the message was sent, and when to try again", async (t) => {
  const of = async (answer: (response: ServerResponse) => void) =>
    send(makeWebhook(parts), { config: { url: (await record(t, answer)).url } });
  for (const status of [401, 403])
    t.like(await of(answering(status)), { type: "not_sent", code: "UNAUTHORIZED" });
  t.like(await of(answering(429, {}, { "retry-after": "7" })), {
    type: "not_sent",
    code: "RATE_LIMITED",
    retryAfterMs: 7_000,
  });
  const at = new Date(Date.now() + 60_000).toUTCString();
  const dated = (await of(answering(503, {}, { "retry-after": at }))) as { retryAfterMs: number };
  t.true(dated.retryAfterMs > 30_000 && dated.retryAfterMs <= 60_000, JSON.stringify(dated));
  for (const status of [408, 500, 502])
    t.like(await of(answering(status)), { type: "not_sent", code: "PROVIDER_ERROR" });
  for (const status of [400, 404, 422])
    t.like(await of(answering(status)), { type: "refused", code: "PROVIDER_REFUSED" });
  t.like(await of(answering(302, {}, { location: "http://127.0.0.1:1/" })), {
    type: "refused",
    code: "REDIRECT",
  });
  t.like(await of(answering(200, "x".repeat(limits.providerAnswerBytesMax + 1))), {
    type: "refused",
    code: "ANSWER_TOO_LARGE",
  });
  t.like(await of((response) => void response.destroy()), { type: "maybe_sent" });
  t.like(await send(makeWebhook(parts), { config: { url: "http://127.0.0.1:1/" } }), {
    type: "not_sent",
    phase: "connect",
  });
  t.like(await send(makeWebhook(parts), { config: { url: "http://10.0.0.1/" } }), {
    type: "not_sent",
    code: "EGRESS_DENIED",
  });
});

test("given a header with a line break, when it would be sent, then it is refused and nothing leaves", async (t) => {
  const { url, seen } = await record(t);
  const outcome = await send(makeWebhook(parts), { config: { url } }, { key: "a\r\nx-evil: 1" });
  t.like(outcome, { type: "refused", code: "BAD_HEADER" });
  t.is(seen.length, 0);
});

test("given Slack, when a message is posted by token or by incoming webhook, then its errors are what they mean", async (t) => {
  const slack = makeSlack(parts);
  const ok = await record(t, answering(200, { ok: true, channel: "C1", ts: "1.2" }));
  const credential = { api_key: "xoxb-1" };
  t.deepEqual(await send(slack, { config: { base_url: ok.url }, credential }, { to: "C1" }), {
    type: "accepted",
    providerMessageId: "C1:1.2",
  });
  t.is(ok.seen[0]!.request.url, "/chat.postMessage");
  t.is(ok.seen[0]!.request.headers.authorization, "Bearer xoxb-1");
  t.deepEqual(JSON.parse(ok.seen[0]!.body.toString()), { channel: "C1", text: "*Hello*\nthere" });
  const saying = async (error: string) => {
    const { url } = await record(t, answering(200, { ok: false, error }));
    return send(slack, { config: { base_url: url }, credential });
  };
  t.like(await saying("invalid_auth"), { type: "not_sent", code: "UNAUTHORIZED" });
  t.like(await saying("ratelimited"), { type: "not_sent", code: "RATE_LIMITED" });
  t.like(await saying("channel_not_found"), { type: "refused", suppress: "gone" });
  t.like(await saying("msg_too_long"), { type: "refused", code: "PROVIDER_REFUSED" });
  t.like(await saying("fatal_error"), { type: "maybe_sent" });
  const hook = await record(t, answering(200, "ok"));
  t.like(await send(slack, { credential: { webhook_url: hook.url } }), { type: "accepted" });
  t.like(await send(slack, {}, { to: hook.url }), { type: "accepted" });
  t.is(hook.seen.length, 2);
  const gone = await record(t, answering(404, "no_service"));
  t.like(await send(slack, {}, { to: gone.url }), { type: "refused", suppress: "gone" });
});

test("given Twilio, when an SMS is sent, then the form, the account and the errors are right", async (t) => {
  const twilio = makeTwilio(parts);
  const { url, seen } = await record(t, answering(201, { sid: "SM1" }));
  const credential = { username: "AC1", password: "secret" };
  const settings = { from: "+4915112345678" };
  const sms = { channel: "sms" as const, to: "+14155552671" };
  const config = { base_url: url, account_sid: "AC1" };
  t.deepEqual(await send(twilio, { config, credential }, { ...sms, settings }), {
    type: "accepted",
    providerMessageId: "SM1",
  });
  t.is(seen[0]!.request.url, "/Accounts/AC1/Messages.json");
  t.is(seen[0]!.request.headers.authorization, `Basic ${Buffer.from("AC1:secret").toString("base64")}`);
  t.deepEqual(Object.fromEntries(new URLSearchParams(seen[0]!.body.toString())), {
    To: "+14155552671",
    From: "+4915112345678",
    Body: "there",
  });
  await send(
    twilio,
    { config, credential },
    { ...sms, to: "030 901820", settings: { ...settings, country: "DE" } },
  );
  t.is(new URLSearchParams(seen[1]!.body.toString()).get("To"), "+4930901820");
  t.like(await send(twilio, { config, credential }, { ...sms, to: "12", settings }), {
    type: "refused",
    suppress: "invalid",
  });
  t.like(await send(twilio, { config, credential }, sms), { type: "refused", code: "NO_SENDER" });
  t.is(seen.length, 2);
  for (const [code, suppress] of [
    [21_211, "invalid"],
    [21_610, "gone"],
    [21_617, undefined],
  ] as const) {
    const bad = await record(t, answering(400, { code, message: "no" }));
    const outcome = await send(
      twilio,
      { config: { ...config, base_url: bad.url }, credential },
      { ...sms, settings },
    );
    t.like(outcome, { type: "refused", ...(suppress && { suppress }) });
  }
});

test("given FCM, when two messages are sent, then one grant that jose verifies serves both, and 401 asks anew", async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const grants: string[] = [];
  let status = 200;
  const { url, seen } = await record(t, (response, { request, body }) => {
    if (request.url === "/token") {
      grants.push(new URLSearchParams(body.toString()).get("assertion")!);
      answering(200, { access_token: `token-${grants.length}`, expires_in: 3_600 })(response);
    } else answering(status, { name: "projects/p/messages/1" })(response);
  });
  const connection = {
    config: { project_id: "p", base_url: url, token_url: `${url}/token` },
    credential: { client_email: "a@p.iam", private_key },
  };
  const fcm = makeFcm(parts);
  const push = { channel: "push" as const, to: "device", settings: { data: { a: 1 } } };
  t.deepEqual(await send(fcm, connection, push), {
    type: "accepted",
    providerMessageId: "projects/p/messages/1",
  });
  await send(fcm, connection, push);
  t.is(grants.length, 1);
  const { payload } = await jwtVerify(
    grants[0]!,
    createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
    {
      issuer: "a@p.iam",
      audience: `${url}/token`,
    },
  );
  t.is(payload.scope, "https://www.googleapis.com/auth/firebase.messaging");
  const sent = seen.filter(({ request }) => request.url === "/v1/projects/p/messages:send");
  t.is(sent[0]!.request.headers.authorization, "Bearer token-1");
  const { message: body } = JSON.parse(sent[0]!.body.toString()) as { message: JsonObject };
  t.like(body, {
    token: "device",
    notification: { title: "Hello", body: "there" },
    data: { a: "1", delivery_key: message.key },
  });
  status = 401;
  t.like(await send(fcm, connection, push), { type: "not_sent", code: "UNAUTHORIZED" });
  status = 200;
  await send(fcm, connection, push);
  t.is(grants.length, 2);
});

test("given FCM, when the device is unregistered or the account cannot be used, then the endpoint or the integration is at fault", async (t) => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const details = [{ errorCode: "UNREGISTERED" }];
  const { url } = await record(t, (response, { request }) =>
    request.url === "/token"
      ? answering(200, { access_token: "t", expires_in: 3_600 })(response)
      : answering(404, { error: { status: "NOT_FOUND", details } })(response),
  );
  const config = { project_id: "p", base_url: url, token_url: `${url}/token` };
  const fcm = makeFcm(parts);
  const gone = await send(fcm, { config, credential: { client_email: "a", private_key } });
  t.like(gone, { type: "refused", suppress: "gone" });
  t.like(await send(fcm, { config, credential: { client_email: "a", private_key: "none" } }), {
    type: "not_sent",
    phase: "connect",
    code: "UNAUTHORIZED",
  });
});

const rfc8291 = {
  privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

function decrypted(body: Buffer, privateKey: string, auth: string): string {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return String(ece.decrypt(body, { version: "aes128gcm", privateKey: curve, authSecret: auth }));
}

test("given the browser of RFC 8291's example, when a push is sent, then the browser's key opens it as it opens the example", async (t) => {
  const { privateKey, publicKey, auth, body } = rfc8291;
  t.is(
    decrypted(Buffer.from(body, "base64url"), privateKey, auth),
    "When I grow up, I want to be a watermelon",
  );
  const { url, seen } = await record(t, answering(201));
  const vapid = webPush.generateVAPIDKeys();
  const connection = {
    config: { subject: "mailto:a@example.com", public_key: vapid.publicKey },
    credential: { private_key: vapid.privateKey },
  };
  const to = JSON.stringify({ endpoint: `${url}/push`, keys: { p256dh: publicKey, auth } });
  const provider = makeWebPush(parts);
  const push = { channel: "push" as const, to };
  t.like(await send(provider, connection, push), { type: "accepted" });
  const { request, body: sent } = seen[0]!;
  t.like(JSON.parse(decrypted(sent, privateKey, auth)), { title: "Hello", body: "there", key: message.key });
  t.is(request.headers["content-encoding"], "aes128gcm");
  t.regex(request.headers.authorization!, /^vapid t=.+, k=/);
  t.true(Number(request.headers.ttl) <= 60);
  await send(provider, connection, push);
  t.is(seen[1]!.request.headers.topic, request.headers.topic, "a repeat collapses");
  t.like(await send(provider, connection, { ...push, to: "{}" }), { type: "refused", suppress: "invalid" });
  t.like(await send(provider, connection, { ...push, text: "x".repeat(4_000) }), {
    type: "refused",
    code: "PAYLOAD_TOO_LARGE",
  });
  const gone = await record(t, answering(410));
  const there = JSON.stringify({ endpoint: gone.url, keys: { p256dh: publicKey, auth } });
  t.like(await send(provider, connection, { ...push, to: there }), { type: "refused", suppress: "gone" });
});

async function smtp(t: ExecutionContext, options: SMTPServerOptions): Promise<OutboundConnection> {
  const server = new SMTPServer({ logger: false, disabledCommands: ["AUTH", "STARTTLS"], ...options });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { providerKey: "smtp", config: { host: "127.0.0.1", port, security: "none" }, credential: {} };
}

const mail = {
  channel: "email" as const,
  to: "b@example.com",
  html: "<p>there</p>",
  settings: { from: "A <a@example.com>" },
};

test("given a mail server, when two mails are sent, then one connection carries both, with both parts and a DKIM signature", async (t) => {
  let connections = 0;
  const received: string[] = [];
  const connection = await smtp(t, {
    onConnect: (_session: unknown, done: () => void) => {
      connections++;
      done();
    },
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (part: Buffer) => {
        text += part;
      });
      stream.on("end", () => {
        received.push(text);
        done();
      });
    },
  });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const dkim_private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const config = { ...connection.config, dkim_domain: "example.com", dkim_selector: "s1" };
  const provider = makeSmtp(parts);
  const outcome = await send(provider, { config, credential: { dkim_private_key } }, mail);
  t.deepEqual(outcome, { type: "accepted", providerMessageId: `<${message.key}@example.com>` });
  await send(provider, { config, credential: { dkim_private_key } }, mail);
  t.is(connections, 1);
  t.is(received.length, 2);
  t.regex(received[0]!, /^DKIM-Signature: v=1;[\s\S]*d=example\.com;[\s\S]*s=s1/m);
  t.regex(received[0]!, /Subject: Hello[\s\S]*text\/plain[\s\S]*there[\s\S]*text\/html[\s\S]*<p>there<\/p>/);
});

test("given a mail server that refuses, when a mail is sent, then 4xx is not sent and 5xx is refused, of the address a hard bounce", async (t) => {
  const at = async (step: "onMailFrom" | "onRcptTo", responseCode: number) =>
    send(
      makeSmtp(parts),
      await smtp(t, {
        [step]: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
          done(Object.assign(new Error("no"), { responseCode })),
      }),
      mail,
    );
  for (const code of [421, 450])
    t.like(await at("onRcptTo", code), { type: "not_sent", code: "PROVIDER_ERROR", providerStatus: code });
  t.like(await at("onRcptTo", 550), { type: "refused", suppress: "hard_bounce" });
  const sender = await at("onMailFrom", 550);
  t.like(sender, { type: "refused" });
  t.false("suppress" in sender);
  const data = (responseCode: number): SMTPServerOptions => ({
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done(Object.assign(new Error("no"), { responseCode })));
    },
  });
  t.like(await send(makeSmtp(parts), await smtp(t, data(450)), mail), { type: "not_sent" });
  t.like(await send(makeSmtp(parts), await smtp(t, data(554)), mail), { type: "refused" });
});

/** Speaks SMTP up to a step, and cuts the connection there. */
async function cutting(
  t: ExecutionContext,
  step: string,
): Promise<{ connection: OutboundConnection; mails: () => number }> {
  let mails = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (step === "greeting") return void socket.destroy();
    socket.write("220 here\r\n");
    let isData = false;
    socket.on("data", (chunk: Buffer) => {
      const line = chunk.toString();
      if (isData) {
        if (!line.includes("\r\n.\r\n")) return;
        mails++;
        if (step === "content") return void socket.destroy();
        isData = false;
        return void socket.write("250 taken\r\n");
      }
      const [verb = ""] = line.trim().toUpperCase().split(" ");
      if (verb === step) return void socket.destroy();
      isData = verb === "DATA";
      socket.write(isData ? "354 go on\r\n" : "250 fine\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const config = { host: "127.0.0.1", port, security: "none" };
  return { connection: { providerKey: "smtp", config, credential: {} }, mails: () => mails };
}

for (const step of ["greeting", "MAIL", "RCPT", "DATA"])
  test(`given a connection that is cut at ${step}, when a mail is sent, then it was not sent`, async (t) => {
    const { connection, mails } = await cutting(t, step);
    t.like(await send(makeSmtp(parts), connection, mail), { type: "not_sent", phase: "connect" });
    t.is(mails(), 0);
  });

test("given a connection that is cut after the content, when a mail is sent, then it may have been sent, and is not sent again", async (t) => {
  const { connection, mails } = await cutting(t, "content");
  t.like(await send(makeSmtp(parts), connection, mail), { type: "maybe_sent" });
  t.is(mails(), 1);
});

test("given line breaks in what becomes a header of a mail, when it is sent, then it is refused and no server is asked", async (t) => {
  const { connection, mails } = await cutting(t, "never");
  const evil = "a\r\nBcc: c@example.com";
  for (const more of [
    { subject: evil },
    { to: evil },
    { settings: { from: evil } },
    { settings: { ...mail.settings, reply_to: evil } },
    { settings: { ...mail.settings, headers: { "x-a": evil } } },
  ])
    t.like(await send(makeSmtp(parts), connection, { ...mail, ...more }), {
      type: "refused",
      code: "BAD_HEADER",
    });
  t.is(mails(), 0);
});
