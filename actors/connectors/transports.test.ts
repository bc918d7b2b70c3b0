import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { Authority } from "../../test/support/certificates.ts";
import { needing } from "../../test/support/needing.ts";
import { type SmtpServer, sendMail } from "../notify/outbound/smtp.ts";
import { loadCatalogue } from "./catalogue/load.ts";
import { perform } from "./effects/perform.ts";
import { prepare, withCredential } from "./effects/request.ts";

const outgoing = createOutgoing({ mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] });
test.after.always(() => outgoing.close());
const mail = {
  from: { name: "", address: "a@example.com" },
  to: [{ name: "", address: "b@example.com" }],
  subject: "hello",
  text: "there",
};

async function smtp(t: ExecutionContext, options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ logger: false, ...options });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.server.address() as AddressInfo).port;
}

const send = (port: number, more: Partial<SmtpServer> = {}) =>
  sendMail(outgoing, { host: "127.0.0.1", port, security: "none", timeoutMs: 10_000, ...more }, mail);

needing(test, "openssl")("a mail is delivered over TLS with AUTH", async (t) => {
  const authority = new Authority();
  t.teardown(() => authority.remove());
  const { certFile, keyFile } = authority.issue("mail", "IP:127.0.0.1");
  const [ca, cert, key] = [authority.caFile, certFile, keyFile].map((file) => readFileSync(file, "utf8")) as [
    string,
    string,
    string,
  ];
  let received = "";
  const port = await smtp(t, {
    secure: true,
    cert,
    key,
    onAuth: ({ username, password }, _session, done) =>
      username === "user" && password === "pass" ? done(null, { user: "user" }) : done(new Error("no")),
    onData(stream, _session, done) {
      stream.on("data", (part: Buffer) => {
        received += part;
      });
      stream.on("end", () => done());
    },
  });
  t.like(await send(port, { security: "tls", ca, user: "user", password: "pass" }), {
    type: "accepted",
    accepted: ["b@example.com"],
  });
  t.regex(received, /Subject: hello[\s\S]*there/);
  t.like(await send(port, { security: "tls", ca, user: "user", password: "wrong" }), {
    type: "refused",
    code: 535,
  });
  t.like(await send(port, { security: "tls" }), { type: "unsent" }, "an authority that is not trusted");
});

test("4xx and 5xx are the server's word, a cut after DATA is unknown, and no server is unsent", async (t) => {
  const refusing = (responseCode: number) => ({
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo: (_address: unknown, _session: unknown, done: (error?: Error) => void) =>
      done(Object.assign(new Error("not now"), { responseCode })),
  });
  t.like(await send(await smtp(t, refusing(451))), { type: "refused", code: 451 });
  t.like(await send(await smtp(t, refusing(550))), { type: "refused", code: 550 });
  let cut: SMTPServer | undefined;
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream) {
      stream.resume();
      stream.on("end", () => {
        for (const connection of cut!.connections)
          (connection as { _socket: { destroy(): void } })._socket.destroy();
      });
    },
  });
  cut = server;
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  t.like(await send((server.server.address() as AddressInfo).port), { type: "unknown" });
  t.like(await send(1), { type: "unsent", denied: false });
  const guarded = { host: "10.0.0.1", port: 25, security: "none", timeoutMs: 1_000 } as const;
  t.like(await sendMail(outgoing, guarded, mail), { type: "unsent", denied: true });
});

test("given a mail with line breaks in an address, or with an address that is none, when it is sent, then its input is not valid, and no server is asked", async (t) => {
  const envelopes: string[][] = [];
  const port = await smtp(t, {
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, { envelope }, done) {
      envelopes.push(envelope.rcptTo.map(({ address }) => address));
      stream.resume();
      stream.on("end", () => done());
    },
  });
  const action = loadCatalogue({ disabled: [] }).actions.get("smtp.send")!;
  const config = { host: "127.0.0.1", port, security: "none" };
  const good = { from: "A <a@example.com>", to: "b@example.com", subject: "s", text: "t" };
  const sent = (input: object) => {
    const values = { input, config, now: Date.now() };
    return perform(outgoing, prepare(action, values), {
      action,
      values,
      mutation: "non_idempotent",
      credential: {},
      credentialVersion: 1,
      key: "k",
      signal: new AbortController().signal,
    });
  };
  const whole = {
    ...good,
    to: ["b@example.com", "C <c@example.com>"],
    cc: "d@example.com",
    bcc: ["e@example.com"],
  };
  t.true(action.validateInput(whole));
  t.like(await sent(whole), { type: "succeeded" });
  const bad = ["a@b.com>", "a@b.com\r\nBcc: c@d.com", "a@b.com, c@d.com", "a\n <a@b.com>", "a"];
  for (const field of ["from", "to", "cc", "bcc", "reply_to"])
    for (const address of bad) {
      const given = [{ ...good, [field]: address }];
      if (["to", "cc", "bcc"].includes(field)) given.push({ ...good, [field]: [address] });
      for (const input of given) {
        t.false(action.validateInput(input), JSON.stringify(input));
        t.like(
          await sent(input),
          { type: "failed", code: "BAD_ADDRESS", again: "no" },
          JSON.stringify(input),
        );
      }
    }
  t.deepEqual(envelopes, [["b@example.com", "c@example.com", "d@example.com", "e@example.com"]]);
});

test("a webhook that we send verifies with the library of Standard Webhooks", async (t) => {
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const seen: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    seen.push({ headers: request.headers as Record<string, string>, body });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => void server.close());
  const action = loadCatalogue({ disabled: [] }).actions.get("webhook.send")!;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  const values = { input: { payload: { n: 1 } }, config: { url }, now: Date.now() };
  const credential = { secret };
  const prepared = withCredential(prepare(action, values), action.provider.file.auth.secret!, {
    ...values,
    credential,
    key: "msg_1",
  });
  const about = {
    action,
    values,
    credential,
    credentialVersion: 1,
    key: "msg_1",
    signal: new AbortController().signal,
  };
  t.like(await perform(outgoing, prepared, { ...about, mutation: "idempotent" }), { type: "succeeded" });
  const [{ headers, body }] = seen as [(typeof seen)[0]];
  t.deepEqual(new Webhook(secret).verify(body, headers), { n: 1 });
  t.throws(() => new Webhook(secret).verify(`${body} `, headers));
});
