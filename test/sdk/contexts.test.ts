/** The option `context`: where a client finds its server, and as whom it calls. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { WebSocketServer } from "ws";
import { Switchyard, SwitchyardError } from "#sdk";
import { settingsOf } from "#sdk/calls";
import { Authority } from "../support/certificates.ts";
import { needing } from "../support/needing.ts";

async function startServer(t: ExecutionContext) {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    heard.push(headers);
    response.end(JSON.stringify({ data: { id: "pool" } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function store(t: ExecutionContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "contexts-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "switchyard"));
  writeFileSync(join(folder, "switchyard", "contexts.yaml"), text);
  return folder;
}

test("options go first; a context that an option names goes before the environment, one of the environment after it", async (t) => {
  const text = "current: a\ncontexts:\n  a:\n    url: http://a\n    tenant: T\n    api_key: of-a\n";
  const XDG_CONFIG_HOME = store(t, text);
  const target = async (options: object, variables: object = {}, usesCurrent = false) => {
    const settings = settingsOf(options, { variables: { XDG_CONFIG_HOME, ...variables }, usesCurrent });
    const { url, headers } = await settings.target();
    return [url, headers["x-tenant-id"], headers["x-api-key"] ?? headers.authorization];
  };
  const others = { SWITCHYARD_URL: "http://b", SWITCHYARD_TENANT: "U", SWITCHYARD_TOKEN: "of-b" };
  t.deepEqual(await target({}), ["http://127.0.0.1:8080", undefined, undefined]);
  t.deepEqual(await target({}, {}, true), ["http://a", "T", "of-a"]);
  t.deepEqual(await target({ context: "a" }, others), ["http://a", "T", "of-a"]);
  t.deepEqual(await target({}, { ...others, SWITCHYARD_CONTEXT: "a" }), ["http://b", "U", "Bearer of-b"]);
  t.deepEqual(await target({}, { SWITCHYARD_CONTEXT: "a" }), ["http://a", "T", "of-a"]);
  t.deepEqual(await target({ context: "a", tenant: "V", apiKey: "own" }), ["http://a", "V", "own"]);
  t.deepEqual(await target({ context: "a", token: () => "own" }), ["http://a", "T", "Bearer own"]);
  t.deepEqual(await target({ context: "a", url: "http://b" }), ["http://b", "T", undefined]);
  t.deepEqual(await target({ context: "a", url: "http://a/" }), ["http://a", "T", "of-a"]);
});

test.serial(
  "a client calls the server of its context, and a context that is not there is told at the first call",
  async (t) => {
    const { heard, url } = await startServer(t);
    const text = `contexts:\n  there:\n    url: ${url}/ # by hand\n    api_key_command: echo "$((40 + 2))"\n`;
    process.env.XDG_CONFIG_HOME = store(t, text);
    t.teardown(() => delete process.env.XDG_CONFIG_HOME);
    const sy = new Switchyard({ context: "there" });
    await sy.pools.get({ pool_id: "pool" });
    t.is(heard[0]?.["x-api-key"], "42");
    const missing = new Switchyard({ context: "their" }).pools.get({ pool_id: "pool" });
    const error = await t.throwsAsync(missing, { instanceOf: SwitchyardError });
    t.regex(error.detail, /no context their in .*; there are: there/);
  },
);

needing(test.serial, "openssl")(
  "a server whose certificate an authority of one's own has signed: calls, and sockets",
  async (t) => {
    const authority = new Authority();
    t.teardown(() => authority.remove());
    const { certFile, keyFile } = authority.issue("server", "IP:127.0.0.1");
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    const server = createSecureServer(tls, (_, response) => response.end('{"data": {"id": "made"}}'));
    const sockets = new WebSocketServer({ server });
    sockets.on("connection", (socket) => socket.on("message", () => socket.send('{"end": {}}')));
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env.XDG_CONFIG_HOME = store(
      t,
      `contexts: {own: {url: "${url}", ca_file: "${authority.caFile}"}}\n`,
    );
    t.teardown(() => delete process.env.XDG_CONFIG_HOME);
    const sy = new Switchyard({ context: "own" });
    t.is((await sy.pools.create({ name: "made" })).id, "made");
    const closed = await new Promise((resolve) =>
      sy.open("RoutingService/RouteStream", { message: () => {}, closed: (...how) => resolve(how) }),
    );
    t.deepEqual(closed, [undefined, true]);
    await t.throwsAsync(new Switchyard({ url, retries: 0 }).pools.get({ pool_id: "pool" }), {
      message: /certificate/,
    });
  },
);
