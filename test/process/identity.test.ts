import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import anyTest, { type TestFn } from "ava";
import Provider from "oidc-provider";
import { WebSocket } from "ws";
import { devTenantId } from "#base";
import { eventually } from "../support/eventually.ts";
import { type RunningService, runService, startProduction } from "./support.ts";

interface Context {
  readonly service: RunningService & { readonly folder: string };
  readonly key: string;
  readonly issuer: string;
}

const test = anyTest.serial as TestFn<Context>;
const cleanups: (() => void | Promise<void>)[] = [];
const secret = "a secret for tests, of 32 bytes or more";
const audience = "https://api.example.com";

test.before(async (t) => {
  const later = { teardown: (cleanup: () => void | Promise<void>) => void cleanups.unshift(cleanup) };
  const issuer = await startIssuer(later);
  const service = await startProduction(later, [
    "auth.api_key_enabled=true",
    "server.workers=2",
    `internal.token_secret=${secret}`,
    `api.oidc_issuer=${issuer}`,
    `api.oidc_audience=${audience}`,
  ]);
  const made = await runService([
    "bootstrap",
    "--tenant",
    "dev",
    "--addr",
    `127.0.0.1:${service.ports.internal}`,
    "--set",
    `internal.token_secret=${secret}`,
  ]);
  t.is(made.code, 0, made.stderr);
  t.context = { service, issuer, key: made.stdout.trim() };
});

test.after.always(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** A real identity provider that issues access tokens to a client. */
async function startIssuer(t: { teardown(fn: () => void | Promise<void>): void }): Promise<string> {
  let listener: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((incoming, outgoing) => listener?.(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const info = {
    scope: "pool:read pool:write",
    audience,
    accessTokenFormat: "jwt",
    jwt: { sign: { alg: "RS256" } },
  };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: "app",
        client_secret: "app secret",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => info },
    },
    extraTokenClaims: () => ({ tenant_id: devTenantId, roles: ["operator"] }),
  });
  listener = provider.callback();
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

async function accessToken(issuer: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from("app:app%20secret").toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource: audience, scope: "pool:read" }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

interface Told {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function call(
  port: number,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Told> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const who = "/api/_meta/whoami";

test("service start: the key that bootstrap makes is accepted, and whoami returns its principal", async (t) => {
  const { service, key } = t.context;
  const url = ["--url", `http://127.0.0.1:${service.ports.http}`];
  const told = await runService(["whoami", "-o", "json", ...url], { SWITCHYARD_API_KEY: key });
  t.is(told.code, 0, told.stderr);
  t.like(JSON.parse(told.stdout), {
    kind: "api_key",
    tenant_id: devTenantId,
    roles: ["admin"],
    owner: "cli",
  });
  t.is((await runService(["whoami", ...url])).code, 4);
});

test("a second bootstrap is refused; --if-absent makes nothing; --again makes one more; a key file is readable by its owner only and never overwritten", async (t) => {
  const { service } = t.context;
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key");
  const plane = ["--addr", `127.0.0.1:${service.ports.internal}`, "--set", `internal.token_secret=${secret}`];
  const bootstrap = (...more: string[]) => runService(["bootstrap", "--tenant", "dev", ...plane, ...more]);
  const absent = await bootstrap("--if-absent", "--key-file", file);
  t.is(absent.code, 0, absent.stderr);
  t.deepEqual(readdirSync(folder), []);
  const refused = await bootstrap("--key-file", file);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /has a key already; nothing was made. --again makes one more admin key/);
  t.deepEqual(readdirSync(folder), []);
  t.is((await bootstrap("--again", "--key-file", file)).code, 0);
  t.is(statSync(file).mode & 0o777, 0o600);
  const again = await bootstrap("--again", "--key-file", file);
  t.is(again.code, 1);
  const url = ["--url", `http://127.0.0.1:${service.ports.http}`];
  t.is((await runService(["whoami", "--key-file", file, ...url])).code, 0);
});

test("a key of bootstrap belongs to the subject of --token: two subjects are two approvers", async (t) => {
  const { service, key } = t.context;
  const { stdout: token } = await runService([
    ...["token", "--subject", "bea", "--set", `internal.token_secret=${secret}`],
  ]);
  const plane = ["--addr", `127.0.0.1:${service.ports.internal}`, "--token", token.trim()];
  const made = await runService(["bootstrap", "--tenant", "dev", "--again", ...plane]);
  t.is(made.code, 0, made.stderr);
  const ownerOf = async (secret: string) => {
    const url = `http://127.0.0.1:${service.ports.http}`;
    const told = await runService(["whoami", "-o", "json", "--url", url], { SWITCHYARD_API_KEY: secret });
    return (JSON.parse(told.stdout) as { owner: string }).owner;
  };
  t.is(await ownerOf(key), "cli");
  t.is(await ownerOf(made.stdout.trim()), "bea");
});

test("each plane accepts only its own credentials", async (t) => {
  const { service, key, issuer } = t.context;
  const token = await runService(["token", "--set", `internal.token_secret=${secret}`]);
  t.is(token.code, 0, token.stderr);
  const bearer = (text: string) => ({ authorization: `Bearer ${text.trim()}` });
  const oidc = bearer(await accessToken(issuer));
  const { http, internal } = service.ports;
  const cases: [port: number, headers: Record<string, string>, status: number][] = [
    [http, { "x-api-key": key }, 200],
    [http, oidc, 200],
    [http, bearer(token.stdout), 401],
    [http, {}, 401],
    [internal, bearer(token.stdout), 200],
    [internal, { "x-api-key": key }, 401],
    [internal, oidc, 401],
    [internal, {}, 401],
  ];
  for (const [port, headers, status] of cases)
    t.is((await call(port, who, headers)).status, status, `${port === http} ${JSON.stringify(headers)}`);
  const known = (await call(http, who, oidc)).body.data;
  t.like(known, { kind: "user", tenant_id: devTenantId, roles: ["operator"], scopes: ["pool:read"] });
  t.is(
    (await call(http, `${who}?access_token=${key}`, {})).status,
    401,
    "a key in the query is not looked at",
  );
});

test("a key is revoked: no call with it succeeds later than a second after the answer", async (t) => {
  const { service, key } = t.context;
  const { http } = service.ports;
  const made = await call(http, "/api/v2/api-keys", { "x-api-key": key }, { name: "k", roles: ["viewer"] });
  const { id, secret: victim } = made.body.data as { id: string; secret: string };
  const results: { readonly status: number; readonly atMs: number }[] = [];
  let over = false;
  // Several connections: the kernel spreads them over the threads.
  const clients = Array.from({ length: 8 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!over) {
      const status = await statusOf(agent, http, victim);
      results.push({ status, atMs: performance.now() });
    }
    agent.destroy();
  });
  while (results.filter(({ status }) => status === 200).length < 100)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const revoked = await call(http, `/api/v2/api-keys/${id}/revoke`, { "x-api-key": key }, {});
  const answeredMs = performance.now();
  t.is(revoked.status, 200);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  over = true;
  await Promise.all(clients);
  const lastMs = Math.max(...results.filter(({ status }) => status === 200).map(({ atMs }) => atMs));
  t.true(lastMs - answeredMs < 1_000, `the last success came ${lastMs - answeredMs} ms after the answer`);
  t.deepEqual(new Set(results.map(({ status }) => status)), new Set([200, 401]));
});

test("given workers on the streams of all threads, when their key is revoked, then each stream ends, and leases stay leased", async (t) => {
  const { service, key } = t.context;
  const { http } = service.ports;
  const post = async (path: string, body: unknown) =>
    (await call(http, path, { "x-api-key": key }, body)).body.data as Record<string, string>;
  const { id: pool_id } = await post("/api/pools", { name: "work" });
  const { id: recipient_id } = await post(`/api/pools/${pool_id}/recipients`, { name: "r", capacity: 100 });
  const made = await post("/api/v2/api-keys", { name: "worker", roles: ["operator"] });
  const workers = Array.from({ length: 8 }, () => {
    const hello = { hello: { pool_id, recipient_id, credit: 1 } };
    return new Worker(http, made.secret!, hello);
  });
  const items = workers.map((_, index) => ({ payload: { index } }));
  await post(`/api/queues/${pool_id}/items:batch`, { items });
  await eventually("each has an item", () => workers.every(({ assigned }) => assigned === 1) || undefined);
  // More credit than items: those that come later would be assigned at once.
  for (const worker of workers) worker.send({ credit: { items: 10 } });
  await post(`/api/v2/api-keys/${made.id}/revoke`, {});
  for (const worker of workers) t.deepEqual(await worker.ended, { code: 4401, error: "UNAUTHENTICATED" });
  await post(`/api/queues/${pool_id}/items`, { payload: "late" });
  const { body } = await call(http, `/api/queues/${pool_id}/items?limit=100`, { "x-api-key": key });
  const states = (body.data as { state: string }[]).map(({ state }) => state).sort();
  t.deepEqual(states, [...workers.map(() => "leased"), "ready"]);
});

/** `QueueService.Work` over a WebSocket. */
class Worker {
  assigned = 0;
  readonly ended: Promise<{ code: number; error: string | undefined }>;
  readonly #socket: WebSocket;

  constructor(port: number, key: string, hello: object) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/api/streams/QueueService/Work`);
    let error: string | undefined;
    this.#socket.on("open", () => {
      this.#socket.send(JSON.stringify({ headers: { "x-api-key": key } }));
      this.send(hello);
    });
    this.#socket.on("message", (data) => {
      const frame = JSON.parse(data.toString());
      this.assigned += frame.message?.assigned?.items.length ?? 0;
      error ??= frame.error?.errorCode;
    });
    this.ended = new Promise((resolve) => {
      this.#socket.on("close", (code) => resolve({ code, error }));
    });
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify({ message }));
  }
}

function statusOf(agent: Agent, port: number, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: who, agent, headers: { "x-api-key": key } };
    request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    })
      .on("error", reject)
      .end();
  });
}

for (const [what, path, body] of [
  ["pool", "/api/pools", { name: "once" }],
  ["API key", "/api/v2/api-keys", { name: "once", roles: ["viewer"] }],
] as const)
  test(`1,000 requests at once with one idempotency key create one ${what}, with one answer`, async (t) => {
    const { service, key } = t.context;
    const { http } = service.ports;
    const total = async () => (await call(http, path, { "x-api-key": key })).body.total as number;
    const before = await total();
    const headers = { "x-api-key": key, "idempotency-key": `once-${what.length}` };
    const all = await Promise.all(Array.from({ length: 1_000 }, () => call(http, path, headers, body)));
    t.deepEqual(new Set(all.map(({ status }) => status)), new Set([201]));
    t.is(await total(), before + 1);
    const answers = all.map((one) => one.body.data as { id: string; secret?: string });
    t.is(new Set(answers.map(({ id }) => id)).size, 1);
    t.is(all.filter((one) => one.headers.get("idempotent-replayed") === null).length, 1);
    if (what === "API key") t.is(answers.filter((one) => one.secret !== undefined).length, 1);
  });

test("neither the data folder nor the log contains a key", async (t) => {
  const { service, key } = t.context;
  const headers = { "x-api-key": key, "idempotency-key": "kept" };
  const made = await call(service.ports.http, "/api/v2/api-keys", headers, { name: "k", roles: ["viewer"] });
  const { secret: text } = made.body.data as { secret: string };
  t.is((await call(service.ports.http, who, { "x-api-key": text })).status, 200);
  await call(service.ports.http, who, { "x-api-key": `${text.slice(0, -1)}0` });
  service.signal("SIGTERM");
  const { stderr, code } = await service.ended;
  t.is(code, 0);
  const files = readdirSync(join(service.folder, "data"), { recursive: true, withFileTypes: true });
  const stored = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
  t.true(stored.some((bytes) => bytes.includes("$2b$10$")));
  for (const shown of [key, text].map((one) => one.slice(30))) {
    t.false(stderr.includes(shown));
    t.true(stored.every((bytes) => !bytes.includes(shown)));
  }
});

test("a service is stopped while it hashes keys for callers that have left: it ends in order", async (t) => {
  const service = await startProduction(t, ["auth.api_key_enabled=true", "server.workers=2"]);
  const sockets = Array.from({ length: 64 }, (_, i) => {
    const socket = connect({ host: "127.0.0.1", port: service.ports.http, localAddress: `127.0.1.${i + 1}` });
    const key = `sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${String(i).padStart(43, "0")}`;
    socket.on("error", () => undefined);
    socket.write(`GET ${who} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`);
    return socket;
  });
  // After the first answer the others wait for their hashes.
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
  for (const socket of sockets) socket.destroy();
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
});
