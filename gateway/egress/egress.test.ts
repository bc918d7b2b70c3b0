import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { gzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { OutgoingError, type OutgoingRequest } from "#actors";
import { limits } from "#base";
import { Authority } from "../../test/support/certificates.ts";
import { needing } from "../../test/support/needing.ts";
import { EgressGuard } from "./guard.ts";
import { createOutgoing, type GuardParts, type GuardSettings } from "./index.ts";
import { isPrivateAddress } from "./ranges.ts";

const enforce: GuardSettings = { mode: "enforce", allowedDomains: [], allowedNetworks: [] };
const loopback: GuardSettings = { ...enforce, allowedNetworks: ["127.0.0.0/8"] };

async function serve(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => end(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

function outgoing(
  t: ExecutionContext,
  settings: GuardSettings,
  parts: Parameters<typeof createOutgoing>[1] = {},
) {
  const made = createOutgoing(settings, parts);
  t.teardown(() => made.close());
  const get = (url: string, more: Partial<OutgoingRequest> = {}) =>
    made.request({ method: "GET", url, ...more });
  const refused = (url: string, more: Partial<OutgoingRequest> = {}) =>
    t.throwsAsync(get(url, more), { instanceOf: OutgoingError }) as Promise<OutgoingError>;
  return { ...made, get, refused };
}

const hidden = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.8.8.8",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd12::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "not an address",
];
const open = [
  "8.8.8.8",
  "172.15.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "100.63.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "2606:4700::1111",
];

test("private, metadata and group addresses are told from open ones, mapped and translated forms too", (t) => {
  for (const address of hidden) t.true(isPrivateAddress(address), address);
  for (const address of open) t.false(isPrivateAddress(address), address);
});

test("enforce refuses what is at a private address before a byte leaves, however it is spelled", async (t) => {
  let calls = 0;
  const url = await serve(t, (_request, response) => {
    calls++;
    response.end();
  });
  const { refused } = outgoing(t, enforce);
  const { port } = new URL(url);
  for (const host of [
    "127.0.0.1",
    "localhost",
    "0177.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "0x7f.1",
    "0",
  ]) {
    const error = await refused(`http://${host}:${port}/`);
    t.is(error.stage, "denied", host);
    t.false(error.sent);
  }
  t.is(calls, 0);
});

const modes = ["shadow", "enforce", "disabled"] as const;

test("shadow lets it pass and tells, disabled looks at nothing", async (t) => {
  const url = await serve(t, (_request, response) => void response.end("here"));
  const told: Parameters<NonNullable<GuardParts["denied"]>>[0][] = [];
  const shadow = outgoing(t, { ...enforce, mode: "shadow" }, { denied: (one) => told.push(one) });
  t.is((await shadow.get(url)).status, 200);
  t.deepEqual(told, [{ host: "127.0.0.1", address: "127.0.0.1", refused: false }]);
  const off = outgoing(t, { ...enforce, mode: "disabled" }, { denied: () => t.fail() });
  t.is(Buffer.from((await off.get(url)).body).toString(), "here");
});

const neverCalled = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.0.1",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd20:ce::254",
];

// The guard alone is asked: no test may connect to these addresses, not even where the guard is broken.
for (const mode of modes)
  test(`${mode}: metadata and link-local addresses are refused, by every name and whatever is allowed`, async (t) => {
    const told: unknown[] = [];
    const allowed = { mode, allowedDomains: ["*.example"], allowedNetworks: ["0.0.0.0/0", "::/0"] };
    for (const address of neverCalled) {
      const guard = new EgressGuard(allowed, {
        resolve: async () => ["8.8.8.8", address],
        denied: (one) => told.push(one),
      });
      for (const host of [address, `[${address}]`, "metadata.example"]) {
        await t.throwsAsync(guard.addressOf({ host, port: 80 }), { instanceOf: OutgoingError }, host);
        const bare = host.replace(/^\[|\]$/g, "");
        t.deepEqual(told.pop(), { host: bare, address, refused: true });
      }
      t.true(guard.denies(address), address);
    }
    for (const host of ["8.8.8.8", "10.0.0.1", "fd12::1"])
      t.is(await new EgressGuard(allowed).addressOf({ host, port: 80 }), host);
  });

for (const mode of modes)
  test(`${mode}: a port of this service is refused at every address of this machine, by redirects and plain connections too`, async (t) => {
    let calls = 0;
    const own = await serve(t, (_request, response) => {
      calls++;
      response.end();
    });
    const port = Number(new URL(own).port);
    const other = await serve(t, (_request, response) => {
      response.writeHead(302, { location: `http://2130706433:${port}/metrics` }).end();
    });
    const settings = {
      mode,
      allowedDomains: ["localhost", "*.example"],
      allowedNetworks: ["0.0.0.0/0", "::/0"],
    };
    const parts = {
      ownPorts: new Set([port]),
      resolve: async (host: string) => (host === "two.example" ? ["::1", "127.0.0.1"] : ["127.0.0.1"]),
    };
    const { get, refused, connect } = outgoing(t, settings, parts);
    const hosts = [
      "127.0.0.1",
      "127.9.9.9",
      "localhost",
      "any.example",
      "two.example",
      "0",
      "0177.1",
      "0x7f.1",
    ];
    for (const host of [...hosts, "2130706433", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:0:0]"]) {
      const error = await refused(`http://${host}:${port}/`);
      t.is(error.stage, "denied", host);
      t.false(error.sent);
    }
    t.is((await refused(`${other}/`, { maxRedirects: 3 })).stage, "denied");
    t.is((await get(`${other}/`)).status, 302, "other ports of this machine are not this service");
    for (const host of ["127.0.0.1", "::ffff:7f00:1", "any.example"])
      await t.throwsAsync(connect({ host, port, timeoutMs: 5_000 }), { message: /of this service/ });
    const guard = new EgressGuard(settings, parts);
    for (const { address } of Object.values(networkInterfaces()).flatMap((one) => one ?? []))
      await t.throwsAsync(guard.addressOf({ host: address, port }), { instanceOf: OutgoingError }, address);
    t.is(calls, 0);
  });

test("the ports that a URL leaves out are those of its protocol", async (t) => {
  const { refused } = outgoing(t, loopback, { ownPorts: new Set([80, 443]) });
  for (const url of ["http://127.0.0.1/", "https://127.0.0.1/", "http://127.0.0.1:443/"])
    t.is((await refused(url)).stage, "denied", url);
});

test("allowed networks and names are exceptions", async (t) => {
  const url = await serve(t, (request, response) => void response.end(request.headers.host));
  const { port } = new URL(url);
  const resolve = async () => ["127.0.0.1"];
  const named = outgoing(
    t,
    { ...enforce, allowedDomains: ["*.inside.example", "exact.example"] },
    { resolve },
  );
  const answer = await named.get(`http://a.inside.example:${port}/`);
  t.is(Buffer.from(answer.body).toString(), `a.inside.example:${port}`, "the name stays the Host");
  t.is((await named.get(`http://EXACT.example:${port}/`)).status, 200);
  for (const host of ["inside.example", "ainside.example", "sub.exact.example"])
    t.is((await named.refused(`http://${host}:${port}/`)).stage, "denied", host);
  t.is((await outgoing(t, loopback, { resolve }).get(`http://any.example:${port}/`)).status, 200);
});

test("a name is resolved once: one that changes its address is connected to where it was checked", async (t) => {
  const url = await serve(t, (_request, response) => void response.end());
  const { port } = new URL(url);
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  let asked = 0;
  const { get, refused } = outgoing(t, loopback, { resolve: async () => answers[asked++]! });
  t.is((await get(`http://rebinds.example:${port}/`)).status, 200);
  t.is(asked, 1);
  t.is((await refused(`http://rebinds.example:${Number(port) + 1}/`)).stage, "denied");
  const mixed = outgoing(t, enforce, { resolve: async () => ["8.8.8.8", "10.0.0.1"] });
  t.is((await mixed.refused("http://mixed.example/")).stage, "denied", "one bad address is enough");
});

test("redirects: none unless asked for, each checked anew, no credentials to another origin, none from https to http", async (t) => {
  const seen: string[] = [];
  const tokens: unknown[] = [];
  const target = await serve(t, (request, response) => {
    tokens.push(request.headers["x-token"]);
    seen.push(
      `${request.method} ${request.headers.authorization ?? "-"} ${request.headers["x-kept"] ?? "-"}`,
    );
    response.end("there");
  });
  const from = await serve(t, (request, response) => {
    const to = request.url === "/inside" ? "http://10.0.0.1/" : request.url === "/loop" ? "/loop" : target;
    response.writeHead(request.url === "/keep" ? 307 : 302, { location: to }).end();
  });
  const { get, refused } = outgoing(t, loopback);
  const headers = { authorization: "Bearer secret", "x-kept": "yes" };
  const custom = { headers: { ...headers, "X-Token": "secret" }, secretHeaders: ["x-token"] };
  t.is((await get(`${from}/`, { headers })).status, 302);
  const followed = await get(`${from}/`, { method: "POST", body: "x", headers, maxRedirects: 3 });
  t.is(Buffer.from(followed.body).toString(), "there");
  await get(`${from}/keep`, { method: "POST", body: "x", headers, maxRedirects: 3 });
  t.deepEqual(seen, ["GET - yes", "POST - yes"]);
  await get(`${from}/keep`, { ...custom, maxRedirects: 3 });
  t.deepEqual(tokens, [undefined, undefined, undefined], "nor credentials in headers of another name");
  t.is((await refused(`${from}/inside`, { maxRedirects: 3 })).stage, "denied");
  t.is((await refused(`${from}/loop`, { maxRedirects: 9 })).stage, "redirect");
});

test("answers are bounded in bytes, inflated too, and in time", async (t) => {
  const bomb = gzipSync(Buffer.alloc(20 * 1_024 * 1_024));
  /** The times of calls to `/slow` that have arrived. */
  const slow = new Set<number>();
  const url = await serve(t, (request, response) => {
    if (request.url?.startsWith("/slow")) {
      slow.add(Number(request.url.slice("/slow?".length)));
      response.write("first");
    } else if (request.url === "/endless") {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    } else if (request.url === "/bomb") response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    else response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("small"));
  });
  const { get, refused } = outgoing(t, loopback);
  t.is(Buffer.from((await get(`${url}/small`)).body).toString(), "small");
  t.is((await refused(`${url}/bomb`)).stage, "too_large");
  t.is((await refused(`${url}/endless`, { maxBytes: 100_000 })).stage, "too_large");
  // The time includes the connection: on a busy machine a call can end before it is sent.
  for (let timeoutMs = 200; !slow.has(timeoutMs / 2); timeoutMs *= 2) {
    const late = await refused(`${url}/slow?${timeoutMs}`, { timeoutMs });
    t.is(late.stage, "timeout");
    if (slow.has(timeoutMs)) t.true(late.sent);
  }
  const gone = new AbortController();
  const aborted = refused(`${url}/slow`, { signal: gone.signal });
  setTimeout(() => gone.abort(), 50);
  t.is((await aborted).stage, "aborted");
});

test("an error says whether the request may have reached the other side", async (t) => {
  const { refused } = outgoing(t, loopback, {
    resolve: async () => Promise.reject(new Error("no such name")),
  });
  const resets = createTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy())).listen(
    0,
    "127.0.0.1",
  );
  await once(resets, "listening");
  t.teardown(() => resets.close());
  const { port } = resets.address() as AddressInfo;
  t.like(await refused(`http://127.0.0.1:${port}/`), { stage: "receive", sent: true });
  t.like(await refused("http://127.0.0.1:1/"), { stage: "connect", sent: false });
  t.like(await refused("http://nowhere.example/"), { stage: "dns", sent: false });
  t.like(await refused("ftp://127.0.0.1/"), { stage: "denied", sent: false });
  t.like(await refused(`http://user:secret@127.0.0.1:${port}/`), { stage: "denied", sent: false });
});

test("given a call on every connection, when one more has waited its time for one, then it ends and was not sent", async (t) => {
  const seen: (string | undefined)[] = [];
  const url = await serve(t, (request) => void seen.push(request.url));
  const { get, refused } = outgoing(t, loopback);
  const gone = Array.from({ length: limits.outgoingConnectionsMax }, () => new AbortController());
  const held = gone.map(({ signal }) =>
    t.throwsAsync(get(`${url}/held`, { signal }), { instanceOf: OutgoingError }),
  );
  while (seen.length < held.length) await new Promise((resolve) => setTimeout(resolve, 10));
  t.like(await refused(`${url}/late`, { timeoutMs: 100 }), { stage: "timeout", sent: false });
  const aborted = new AbortController();
  const waits = refused(`${url}/aborted`, { signal: aborted.signal });
  aborted.abort();
  t.like(await waits, { stage: "aborted", sent: false });
  for (const one of gone) one.abort();
  await Promise.all(held);
  t.deepEqual([...new Set(seen)], ["/held"]);
});

needing(test, "openssl")(
  "TLS: the certificate must be that of the name, for calls and for connections",
  async (t) => {
    const authority = new Authority();
    t.teardown(() => authority.remove());
    const { certFile, keyFile } = authority.issue("good", "DNS:good.example");
    const [ca, cert, key] = [authority.caFile, certFile, keyFile].map((file) =>
      readFileSync(file, "utf8"),
    ) as [string, string, string];
    const server = createTlsServer({ cert, key }, (_request, response) => void response.end("safe")).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    t.teardown(() => end(server as unknown as Server));
    const { port } = server.address() as AddressInfo;
    const { get, refused, connect } = outgoing(t, loopback, {
      resolve: async () => ["127.0.0.1"],
      tls: { ca },
    });
    t.is(Buffer.from((await get(`https://good.example:${port}/`)).body).toString(), "safe");
    t.like(await refused(`https://other.example:${port}/`), { stage: "tls", sent: false });
    const socket = await connect({ host: "good.example", port, tls: { ca }, timeoutMs: 5_000 });
    t.is(socket.remoteAddress, "127.0.0.1");
    socket.destroy();
    await t.throwsAsync(connect({ host: "other.example", port, tls: { ca }, timeoutMs: 5_000 }), {
      instanceOf: OutgoingError,
      message: /other\.example/,
    });
    await t.throwsAsync(connect({ host: "10.0.0.1", port: 25, timeoutMs: 5_000 }), {
      message: /may not reach/,
    });
  },
);
