import test from "ava";
import pino from "pino";
import type { FramePort, Member } from "#runtime";
import { testBounds } from "../../test/support/bounds.ts";
import { Authority } from "../../test/support/certificates.ts";
import { needing } from "../../test/support/needing.ts";
import { type Config, loadConfig } from "../config/index.ts";
import { listenNative } from "../rpc/native.ts";
import { acceptNodeLink, dialNode, nodeLinkPath } from "./node-links.ts";

const log = pino({ level: "silent" });
const secret = "0123456789abcdef0123456789abcdef";

async function open(t: { teardown(act: () => Promise<void>): void }, config: Config, tls?: object) {
  const accepted: { node: string; port: FramePort }[] = [];
  const accept = (node: string, port: FramePort) => void accepted.push({ node, port });
  const server = await listenNative({
    host: "127.0.0.1",
    port: 0,
    bounds: testBounds(),
    bodyBytesMax: 1_000,
    bodyTimeoutMs: 5_000,
    handler: async () => ({ status: 200, headers: [] }),
    refuse: () => ({ status: 400, headers: [] }),
    onError: () => undefined,
    nodeLinks: {
      path: nodeLinkPath,
      accept: (stream, headers) => acceptNodeLink({ config, log, accept }, stream, headers),
    },
    ...tls,
  });
  t.teardown(() => server.close());
  const member = { node: "b", address: `localhost:${server.port}` } as Member;
  return { accepted, member };
}

function configOf(set: Readonly<Record<string, unknown>>): Config {
  return { ...loadConfig({ profile: "production", environment: {}, set: [] }).config, ...set } as Config;
}

/** Both directions, small and large, in order. */
async function exchange(one: FramePort, other: FramePort): Promise<number[]> {
  const frames = [1, 100_000, 3, 1_000_000].map((length, at) => new Uint8Array(length).fill(at + 1));
  const heard = (port: FramePort) =>
    new Promise<number[]>((resolve) => {
      const lengths: number[] = [];
      port.on("message", (frame) => {
        if (frame.every((byte) => byte === lengths.length + 1)) lengths.push(frame.length);
        if (lengths.length === frames.length) resolve(lengths);
      });
    });
  const both = Promise.all([heard(one), heard(other)]);
  for (const port of [one, other]) for (const frame of frames) port.postMessage(frame.slice(), []);
  return (await both).flat();
}

const sent = [1, 100_000, 3, 1_000_000];

test("a node with a token of the secret is linked, and frames go both ways in order", async (t) => {
  const config = configOf({ "internal.token_secret": secret });
  const { accepted, member } = await open(t, config);
  const port = await dialNode(config, "a", member);
  t.is(accepted[0]?.node, "a");
  t.deepEqual(await exchange(port, accepted[0]!.port), [...sent, ...sent]);
  const closed = new Promise<void>((resolve) => accepted[0]!.port.on("close", resolve));
  port.close();
  await closed;
});

test("without a token, with one of another secret, or for another node, the link is refused", async (t) => {
  const config = configOf({ "internal.token_secret": secret });
  const { accepted, member } = await open(t, config);
  for (const other of ["", `${secret}!`]) {
    const wrong = configOf({ "internal.token_secret": other });
    await t.throwsAsync(dialNode(wrong, "a", member), { message: /answered 401/ });
  }
  const unsigned = configOf({ "internal.token_secret": "" });
  const { member: strict } = await open(t, unsigned);
  await t.throwsAsync(dialNode(unsigned, "a", strict), { message: /answered 401/ });
  t.deepEqual(accepted, []);
});

needing(test, "openssl")("with mTLS both nodes show a certificate of the authority", async (t) => {
  const authority = new Authority();
  t.teardown(() => authority.remove());
  const { certFile, keyFile } = authority.issue("node", "DNS:localhost");
  const config = configOf({
    "internal.token_secret": secret,
    "server.internal_require_mtls": true,
    "server.internal_tls_ca_file": authority.caFile,
    "server.internal_tls_cert_file": certFile,
    "server.internal_tls_key_file": keyFile,
  });
  const { readCertificates } = await import("../http/certificates.ts");
  const tls = readCertificates({ ca: authority.caFile, cert: certFile, key: keyFile });
  const { accepted, member } = await open(t, config, { tls, requireClientCertificate: true });
  const port = await dialNode(config, "a", member);
  t.deepEqual(await exchange(port, accepted[0]!.port), [...sent, ...sent]);
  port.close();
});
