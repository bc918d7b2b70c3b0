import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import test, { type ExecutionContext } from "ava";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Authority } from "../../../../test/support/certificates.ts";
import { needing } from "../../../../test/support/needing.ts";
import { message, outgoing, parts, send } from "../../../../test/support/providers.ts";
import type { OutboundConnection } from "../types.ts";
import { makeSmtp } from "./smtp.ts";

test.after.always(() => outgoing.close());

async function smtp(t: ExecutionContext, options: SMTPServerOptions): Promise<OutboundConnection> {
  const server = new SMTPServer({ logger: false, disabledCommands: ["AUTH", "STARTTLS"], ...options });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { providerKey: "smtp", config: { host: "127.0.0.1", port, security: "none" }, credential: {} };
}

function keeping(received: string[]): NonNullable<SMTPServerOptions["onData"]> {
  return (stream, _session, done) => {
    let text = "";
    stream.on("data", (part: Buffer) => {
      text += part;
    });
    stream.on("end", () => {
      received.push(text);
      done();
    });
  };
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
    onData: keeping(received),
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

/** The server answers this code at a step; `end` is after the content. */
function answeringAt(step: string, responseCode: number): SMTPServerOptions {
  const refusing = (...given: unknown[]) =>
    (given.at(-1) as (error: Error) => void)(Object.assign(new Error("no"), { responseCode }));
  if (step !== "end") return { [step]: refusing };
  return {
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => refusing(done));
    },
  };
}

for (const step of ["onConnect", "onMailFrom", "onRcptTo", "end"])
  test(`given a mail server that refuses at ${step}, when a mail is sent, then 4xx is not sent and 5xx is refused once it was asked to take it, of the address a hard bounce`, async (t) => {
    const at = async (code: number) => send(makeSmtp(parts), await smtp(t, answeringAt(step, code)), mail);
    for (const code of [421, 450])
      t.like(await at(code), { type: "not_sent", code: "PROVIDER_ERROR", providerStatus: code });
    const refused = await at(550);
    if (step === "onConnect")
      return t.like(refused, { type: "not_sent", code: "PROVIDER_ERROR", providerStatus: 550 });
    t.like(refused, { type: "refused", code: "PROVIDER_REFUSED", providerStatus: 550 });
    t.is("suppress" in refused, step === "onRcptTo");
  });

needing(test, "openssl")(
  "given a mail server with TLS and accounts, when a mail is sent, then its CA and the password count, and nothing goes in the clear",
  async (t) => {
    const authority = new Authority();
    t.teardown(() => authority.remove());
    const { certFile, keyFile } = authority.issue("mail", "IP:127.0.0.1,DNS:localhost");
    const ca = readFileSync(authority.caFile, "utf8");
    const secrets = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    for (const security of ["tls", "starttls"]) {
      const received: string[] = [];
      const { config } = await smtp(t, {
        ...secrets,
        secure: security === "tls",
        disabledCommands: [],
        authMethods: ["PLAIN"],
        onAuth: ({ username, password }, _session, done) =>
          username === "app" && password === "right"
            ? done(null, { user: username })
            : done(Object.assign(new Error("no"), { responseCode: 535 })),
        onData: keeping(received),
      });
      const to = (password: string, more: object) =>
        send(
          makeSmtp(parts),
          { config: { ...config, security, ...more }, credential: { username: "app", password } },
          mail,
        );
      t.like(await to("right", { ca }), { type: "accepted" }, security);
      t.like(await to("wrong", { ca }), { type: "not_sent", code: "UNAUTHORIZED" }, security);
      t.like(
        await to("right", {}),
        { type: "not_sent", phase: "connect" },
        "an authority that nobody trusts",
      );
      t.is(received.length, 1);
    }
    const heard: string[] = [];
    const { config } = await smtp(t, {
      disabledCommands: ["STARTTLS"],
      authOptional: true,
      onAuth: ({ password }, _session, done) => {
        heard.push(password);
        done(null, { user: "app" });
      },
      onData: keeping(heard),
    });
    const stripped = {
      config: { ...config, security: "starttls" },
      credential: { username: "app", password: "right" },
    };
    t.like(await send(makeSmtp(parts), stripped, mail), { type: "not_sent" });
    t.deepEqual(heard, [], "a server that does not offer STARTTLS hears no password");
  },
);

/** Speaks SMTP up to a step, and cuts the connection there. */
async function cutting(
  t: ExecutionContext,
  step: string,
): Promise<{ connection: OutboundConnection; mails: () => number; connections: () => number }> {
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
  return {
    connection: { providerKey: "smtp", config, credential: {} },
    mails: () => mails,
    connections: () => sockets.size,
  };
}

for (const step of ["greeting", "EHLO", "MAIL", "RCPT", "DATA"])
  test(`given a connection that is cut at ${step}, when a mail is sent, then it was not sent`, async (t) => {
    const { connection, mails, connections } = await cutting(t, step);
    t.like(await send(makeSmtp(parts), connection, mail), { type: "not_sent", phase: "connect" });
    t.is(mails(), 0);
    t.is(connections(), 1, "the pool does not try again by itself");
  });

test("given a connection that is cut after the content, when a mail is sent, then it may have been sent, and is not sent again", async (t) => {
  const { connection, mails, connections } = await cutting(t, "content");
  t.like(await send(makeSmtp(parts), connection, mail), { type: "maybe_sent" });
  t.is(mails(), 1);
  t.is(connections(), 1);
});

test("given a mail with headers of the list, when it is sent, then they are there, and the recipient is the only one", async (t) => {
  const envelopes: string[][] = [];
  const received: string[] = [];
  const keep = keeping(received);
  const connection = await smtp(t, {
    onData(stream, session, done) {
      envelopes.push(session.envelope.rcptTo.map(({ address }) => address));
      keep(stream, session, done);
    },
  });
  const settings = { ...mail.settings, reply_to: "R <r@example.com>", headers: { "X-Priority": "1" } };
  t.like(await send(makeSmtp(parts), connection, { ...mail, settings }), { type: "accepted" });
  t.deepEqual(envelopes, [["b@example.com"]]);
  t.regex(received[0]!, /^X-Priority: 1\r$/m);
  t.regex(received[0]!, /^Reply-To: R <r@example\.com>\r$/m);
});

test("given a mail that one can unsubscribe from, when it is sent, then both headers of RFC 8058 are there, unbroken and signed", async (t) => {
  const received: string[] = [];
  const { config } = await smtp(t, { onData: keeping(received) });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const dkim_private_key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const connection = {
    config: { ...config, dkim_domain: "example.com", dkim_selector: "s1" },
    credential: { dkim_private_key },
  };
  const unsubscribeUrl = `https://notify.example.com/notifications/unsubscribe/${"Ab-_".repeat(120)}`;
  t.like(await send(makeSmtp(parts), connection, { ...mail, unsubscribeUrl }), { type: "accepted" });
  const head = received[0]!.split("\r\n\r\n")[0]!.replaceAll(/\r\n[ \t]+/g, " ");
  t.true(head.includes(`List-Unsubscribe: <${unsubscribeUrl}>\r\n`), head);
  t.true(head.includes("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), head);
  const signed = /DKIM-Signature:.*? h=([^;]+);/i
    .exec(head)![1]!
    .replaceAll(" ", "")
    .toLowerCase()
    .split(":");
  for (const name of ["from", "subject", "list-unsubscribe", "list-unsubscribe-post"])
    t.true(signed.includes(name), `${name} of ${signed}`);
});

test("given line breaks in what becomes a header of a mail, when it is sent, then it is refused and no server is asked", async (t) => {
  const { connection, mails } = await cutting(t, "never");
  const evil = "a\r\nBcc: c@example.com";
  for (const more of [
    { subject: evil },
    { settings: { from: evil } },
    { settings: { ...mail.settings, reply_to: evil } },
    { settings: { ...mail.settings, headers: { "x-priority": evil } } },
    { settings: { ...mail.settings, headers: { Bcc: "c@example.com" } } },
    { settings: { ...mail.settings, headers: { cc: "c@example.com" } } },
  ])
    t.like(await send(makeSmtp(parts), connection, { ...mail, ...more }), {
      type: "refused",
      code: "BAD_HEADER",
    });
  for (const to of [evil, "a@b.com>", "a@b.com, c@d.com", "<a@b.com>, <c@d.com>"])
    t.like(await send(makeSmtp(parts), connection, { ...mail, to }), {
      type: "refused",
      code: "BAD_ADDRESS",
      suppress: "invalid",
    });
  t.is(mails(), 0);
});
