/** One attempt with the real way out: what receivers verify, and what comes of receivers that behave badly. */
import { execFile } from "node:child_process";
import { createPublicKey, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { Webhook as Verifier } from "standardwebhooks";
import { limits, systemClock } from "#base";
import { createOutgoing } from "../../../gateway/egress/index.ts";
import { testParts } from "../../../test/support/module-parts.ts";
import { needing } from "../../../test/support/needing.ts";
import { webhookVerifiersPath } from "../../../test/support/parts.ts";
import { encrypt, secretOf } from "../../kit/secrets.ts";
import { webhookKind } from "../../kit/webhook.ts";
import { privateKeyOf } from "../../notify/outbound/webhook-signature.ts";
import type { Settled } from "../deliveries.ts";
import { type OpenDelivery, openDelivery, type Signing, type Webhook, webhookAt } from "../record.ts";
import { sendHandler } from "./send.ts";

Object.assign(limits, { webhookTimeoutMs: 4_000 });

const tenant = "01JTENANT00000000000000000";
const id = "01JWEBH00K0000000000000000";
const keyRing = testParts().keyRing!;
const body = JSON.stringify({ type: "pool.created", data: { name: "Ä ünï" }, id: "1-2-0" });

interface Sender {
  readonly url: string;
  readonly signing?: Signing;
  readonly keys?: readonly Buffer[];
  readonly untilMs?: number;
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** Sends one delivery of an endpoint; of two keys the second one is that from before the rotation. */
function sender(
  t: ExecutionContext,
  { url, signing = "v1", keys = [randomBytes(32)], untilMs = Number.MAX_SAFE_INTEGER, ...net }: Sender,
): () => Promise<Settled> {
  const outgoing = createOutgoing(
    { mode: "enforce", allowedDomains: [], allowedNetworks: net.allowedNetworks ?? ["127.0.0.0/8"] },
    net.resolve ? { resolve: net.resolve } : {},
  );
  t.teardown(() => outgoing.close());
  const [secret, older] = keys.map((key, index) => {
    const secrets = { key: key.toString("base64"), headers: { authorization: "Bearer planted-secret" } };
    return encrypt({ keyRing }, secrets, secretOf(webhookKind, { id, tenant, environment: "" }, 2 - index));
  });
  const webhook = { id, tenant, environment: "", url, signing, secret: secret! };
  const previous = older ? { ...older, untilMs } : null;
  const open = { webhook: { ...webhook, previous } as Webhook, delivery: { eventId: "1-2-0" }, body };
  const parts = {
    ...{ outgoing, keyRing, clock: systemClock, metrics: { add: () => {} }, isOn: true, loopback: true },
    call: async (name: string) => (name === openDelivery.name ? (open as OpenDelivery) : {}),
  };
  const run = { address: webhookAt(tenant, id), signal: new AbortController().signal };
  const asked = { id: "d", generation: 1 };
  return () => sendHandler(parts as never).run({ ...run, body: asked } as never) as Promise<Settled>;
}

type Behaviour = (socket: Socket, request: string) => void;

/** A server that does with each connection what it is told, when the request is there; what it was sent is kept. */
async function serve(t: ExecutionContext, behave: Behaviour, host = "127.0.0.1", port = 0) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      text += chunk;
      const [head, sent = ""] = text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head!)?.[1]);
      if (Buffer.byteLength(sent) < length || !text.includes("\r\n\r\n")) return;
      requests.push(text);
      text = "";
      behave(socket, requests.at(-1)!);
    });
  }).listen(port, host);
  await once(server, "listening");
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: taken } = server.address() as AddressInfo;
  return { requests, port: taken, url: `http://${host}:${taken}/in` };
}

const answer =
  (status: string, ...headers: readonly string[]): Behaviour =>
  (socket) =>
    socket.write(`HTTP/1.1 ${status}\r\n${[...headers, "content-length: 0"].join("\r\n")}\r\n\r\n`);

function readRequest(text: string): { headers: Record<string, string>; text: string } {
  const [head, sent] = text.split("\r\n\r\n") as [string, string];
  const lines = head.split("\r\n").slice(1);
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string]);
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    text: sent,
  };
}

const publicKeyOf = (seed: Buffer) =>
  Buffer.from(createPublicKey(privateKeyOf(seed)).export({ format: "jwk" }).x!, "base64url");
const secretText = (key: Buffer) => `whsec_${key.toString("base64")}`;

test("given a rotation with overlap, then both secrets verify, and the older one no longer when it is over", async (t) => {
  const { requests, url } = await serve(t, answer("204 No Content"));
  const [now, before, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  t.like(await sender(t, { url, keys: [now, before] })(), { status: 204, error: "" });
  await sender(t, { url, keys: [now, before], untilMs: Date.now() - 1 })();
  const [overlapping, over] = requests.map(readRequest);
  const isTaken = (key: Buffer, { text, headers }: NonNullable<typeof over>) => {
    try {
      new Verifier(secretText(key)).verify(text, headers);
      return true;
    } catch {
      return false;
    }
  };
  t.deepEqual(
    [now, before, foreign].map((key) => isTaken(key, overlapping!)),
    [true, true, false],
  );
  t.deepEqual(
    [now, before].map((key) => isTaken(key, over!)),
    [true, false],
  );
  t.is(overlapping!.headers.authorization, "Bearer planted-secret");
});

needing(test, "webhook verifiers")(
  "given deliveries of v1 and v1a, then standardwebhooks and cryptography of PyPI take them, and none that was changed",
  async (t) => {
    const { requests, url } = await serve(t, answer("204 No Content"));
    const [one, before, seed] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    await sender(t, { url, keys: [one, before] })();
    await sender(t, { url, keys: [seed, before], signing: "v1a" })();
    const [v1, v1a] = requests.map(readRequest);
    const public_key = `whpk_${publicKeyOf(seed).toString("base64")}`;
    const changed = { text: `${v1!.text} ` };
    const deliveries = [
      { ...v1, secret: secretText(one) },
      { ...v1, secret: secretText(before) },
      { ...v1a, public_key },
      { ...v1a, public_key: `whpk_${publicKeyOf(before).toString("base64")}` },
      { ...v1, ...changed, secret: secretText(one) },
      { ...v1, secret: secretText(seed) },
      { ...v1a, ...changed, public_key },
      { ...v1a, public_key: `whpk_${publicKeyOf(one).toString("base64")}` },
    ];
    const script = fileURLToPath(new URL("../../../test/webhooks/verify.py", import.meta.url));
    const found = await new Promise<string>((resolve, reject) => {
      const python = execFile(webhookVerifiersPath()!, [script], (error, out) =>
        error ? reject(error) : resolve(out),
      );
      python.stdin!.end(JSON.stringify(deliveries));
    });
    t.deepEqual(JSON.parse(found), [true, true, true, true, false, false, false, false]);
    const signatures = v1a!.headers["webhook-signature"]!.split(" ");
    const signed = Buffer.from(`msg_1-2-0.${v1a!.headers["webhook-timestamp"]}.${body}`);
    const key = createPublicKey(privateKeyOf(seed));
    t.true(signatures.some((given) => verify(null, signed, key, Buffer.from(given.slice(4), "base64"))));
  },
);

/** Writes again and again, until the other side has had enough. */
const endless =
  (head: string, piece: string | Buffer, everyMs?: number): Behaviour =>
  (socket) => {
    socket.write(head);
    const timer = everyMs && setInterval(() => socket.write(piece), everyMs);
    const more = () => {
      while (!timer && socket.writable && socket.write(piece));
    };
    socket.on("drain", more).on("close", () => clearInterval(timer || undefined));
    more();
  };

const ok = "HTTP/1.1 200 OK\r\n";
const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024));
const megabyte = Buffer.alloc(1_024 * 1_024, "x");

const hostile: readonly (readonly [claim: string, Behaviour, expected: Partial<Settled>, error?: RegExp])[] =
  [
    ["never answers", () => {}, { status: 0 }, /^timeout: /],
    ["answers a byte at a time", endless("HTTP/1.1 200 ", "O", 20), { status: 0 }, /^timeout: /],
    [
      "answers with a body that never ends, slowly",
      endless(`${ok}content-length: 9999\r\n\r\n`, "x", 20),
      { status: 0 },
      /^timeout: /,
    ],
    ["cuts the connection", (socket) => socket.destroy(), { status: 0 }, /^receive: /],
    [
      "cuts the connection in its answer",
      (socket) => socket.end(`${ok}content-length: 9\r\n\r\nx`),
      { status: 0 },
      /^receive: /,
    ],
    [
      "sends a body without an end",
      endless(
        `${ok}transfer-encoding: chunked\r\n\r\n`,
        Buffer.concat([Buffer.from("100000\r\n"), megabyte, Buffer.from("\r\n")]),
      ),
      { status: 0 },
      /^too_large: /,
    ],
    [
      "says that its body is huge",
      endless(`${ok}content-length: 99999999999\r\n\r\n`, megabyte),
      { status: 0 },
      /^too_large: /,
    ],
    [
      "sends a small body that inflates",
      (socket) =>
        socket.write(
          Buffer.concat([
            Buffer.from(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`),
            bomb,
          ]),
        ),
      { status: 0 },
      /^too_large: /,
    ],
    ["sends headers without an end", endless(`${ok}x: `, megabyte), { status: 0 }],
    ["speaks no HTTP", (socket) => socket.write("SSH-2.0-OpenSSH\r\n"), { status: 0 }],
    ["answers 500", answer("500 Oops"), { status: 500 }],
    ["answers 502", answer("502 Bad Gateway"), { status: 502 }],
    ["answers 410", answer("410 Gone"), { status: 410 }],
    [
      "answers 429 with a wait",
      answer("429 Too Many", "retry-after: 120"),
      { status: 429, retryAfterMs: 120_000 },
    ],
    [
      "answers 429 with a wait that is none",
      answer("429 Too Many", "retry-after: -5, soon"),
      { status: 429 },
    ],
    ["answers 503 with a wait of centuries", answer("503 No", "retry-after: 999999999"), { status: 503 }],
  ];

for (const [claim, behave, expected, error] of hostile)
  test(`given a receiver that ${claim}, then the attempt ends, and says so without its secrets`, async (t) => {
    let taken = 0;
    const { url } = await serve(t, (socket, request) => {
      behave(socket, request);
      socket.on("close", () => {
        taken = socket.bytesWritten;
      });
    });
    const settled = await sender(t, { url })();
    t.like(settled, expected);
    if (error) t.regex(settled.error, error);
    t.true(settled.error.length > 0 && settled.error.length <= limits.webhookErrorLengthMax);
    t.false(JSON.stringify(settled).includes("planted"));
    // What the kernel holds for both ends is part of it.
    t.true(taken < 64 * megabyte.length, `${taken} bytes`);
  });

test("given a receiver that answers with a redirect, then nothing is sent there", async (t) => {
  const elsewhere = await serve(t, answer("204 No Content"));
  for (const status of ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"]) {
    const { url } = await serve(t, answer(status, `location: ${elsewhere.url}`));
    t.is((await sender(t, { url })()).status, Number(status.slice(0, 3)));
  }
  t.deepEqual(elsewhere.requests, []);
});

test("given a name whose address changes, then each attempt goes to what was checked for it, and to none that is private", async (t) => {
  const outside = await serve(t, answer("204 No Content"), "127.0.0.2");
  const inside = await serve(t, answer("204 No Content"), "127.0.0.1", outside.port);
  const addresses = [
    ["127.0.0.2"],
    ["127.0.0.1"],
    ["127.0.0.2", "127.0.0.1"],
    ["169.254.169.254"],
    [],
    ["127.0.0.2"],
  ];
  const left = [...addresses];
  const send = sender(t, {
    url: `http://hooks.example:${outside.port}/in`,
    allowedNetworks: ["127.0.0.2/32"],
    resolve: async () => left.shift()!,
  });
  const errors: string[] = [];
  for (const _ of addresses) errors.push((await send()).error.replace(/:.*/, ""));
  t.deepEqual(errors, ["", "denied", "denied", "denied", "dns", ""]);
  t.is(outside.requests.length, 2);
  t.deepEqual(inside.requests, []);
});
