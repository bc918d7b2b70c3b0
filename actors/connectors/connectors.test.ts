import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { devTenantId, handleOf, RefusalError } from "#base";
import { type ConnectorWorld, executed, startConnectors } from "../../test/support/connectors.ts";
import { testCaller } from "../../test/support/entity.ts";
import { ask } from "../kit/ask.ts";
import { encrypt } from "../kit/secrets.ts";
import { look, reencrypt } from "./connection/methods.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

async function serve(
  t: ExecutionContext,
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { method, url, headers } = request;
    seen.push({ method, url, authorization: headers.authorization, body });
    answer(request, response, body);
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

async function world(
  t: ExecutionContext,
  changed: Parameters<typeof startConnectors>[0] = {},
): Promise<ConnectorWorld> {
  const made = await startConnectors(changed);
  t.teardown(() => made.close());
  return made;
}

async function connected(made: ConnectorWorld, baseUrl: string, fields?: object): Promise<string> {
  const config = await made.call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
    name: "calls",
    provider_key: "http",
    auth: fields ? "api_key" : "none",
    config: { base_url: baseUrl },
  });
  await made.call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: config.id });
  const session = await made.call<{ id: string; connection_id: string }>(
    "ConnectSessionService.CreateConnectSession",
    {
      provider_config_id: config.id,
    },
  );
  const done = await made.call("ConnectSessionService.SubmitConnectSession", {
    connect_session_id: session.id,
    fields: fields ?? {},
  });
  if (done.status !== "connected") throw new Error(JSON.stringify(done));
  return session.connection_id;
}

const execute = (made: ConnectorWorld, connection_id: string, input: object) =>
  executed(made, { key: "http.request", connection_id, input });

test("an API key comes in by a session, is sent with an action, and the result comes back", async (t) => {
  const made = await world(t);
  const { url, seen } = await serve(t, (_request, response) => json(response, 200, { hello: "there" }));
  const connection = await connected(made, url, { api_key: "secret-4711" });
  const execution = await execute(made, connection, { url: "/greet?x=1" });
  t.like(execution, { status: "succeeded", attempts: 1 });
  t.like(execution.output, { status: 200, body: { hello: "there" } });
  t.deepEqual(seen, [{ method: "GET", url: "/greet?x=1", authorization: "Bearer secret-4711", body: "" }]);
});

test("an action that is not safe to repeat: a reset after the first byte is outcome_unknown, and sent once", async (t) => {
  const made = await world(t);
  const { url, seen } = await serve(t, (request) => void request.socket.destroy());
  const connection = await connected(made, url);
  const execution = await execute(made, connection, { url: "/", method: "POST", body: { amount: 1 } });
  t.like(execution, { status: "outcome_unknown", attempts: 1 });
  t.is(seen.length, 1);
});

test("an action that changes nothing is tried again after a reset and after 503", async (t) => {
  const made = await world(t);
  let calls = 0;
  const { url } = await serve(t, (request, response) => {
    calls++;
    if (calls === 1) request.socket.destroy();
    else if (calls === 2) json(response, 503, {}, { "retry-after": "0" });
    else json(response, 200, { n: calls });
  });
  const connection = await connected(made, url);
  t.like(await execute(made, connection, { url: "/" }), { status: "succeeded", attempts: 3 });
});

test("bad input is refused with its fields, and nothing is stored", async (t) => {
  const made = await world(t);
  const connection = await connected(made, "http://127.0.0.1:1");
  const { refusal } = (await t.throwsAsync(execute(made, connection, { method: "BREW" }), {
    instanceOf: RefusalError,
  })) as RefusalError;
  t.is(refusal.code, "INVALID_ARGUMENT");
  t.deepEqual(refusal.fields?.map(({ field }) => field).sort(), ["input.method", "input.url"]);
  const listed = await made.call("ConnectorService.ListExecutions", { connection_id: connection });
  t.is(listed.total, 0);
});

test("given no room to wait for its end, when an action is executed, then it is told as it is and done once", async (t) => {
  const made = await world(t, { limits: { parkedMax: 1 } });
  const held: ServerResponse[] = [];
  const { url, seen } = await serve(t, (_request, response) => void held.push(response));
  const connection = await connected(made, url);
  const request = { key: "http.request", connection_id: connection, input: { url: "/", method: "POST" } };
  const waits = made.call<{ status: string }>("ConnectorService.ExecuteAction", request);
  while (held.length < 1) await sleep(10);
  const told = await made.call<{ id: string; status: string }>("ConnectorService.ExecuteAction", request);
  t.true(["queued", "running"].includes(told.status), told.status);
  while (held.length < 2) await sleep(10);
  for (const response of held) json(response, 200, {});
  t.is((await waits).status, "succeeded");
  const asked = { execution_id: told.id, wait_seconds: 20 };
  t.like(await made.call("ConnectorService.GetExecution", asked), { status: "succeeded", attempts: 1 });
  t.is(seen.length, 2);
});

test("given a connection that was executed over, when it is revoked and deleted or asked for from elsewhere, then it is refused", async (t) => {
  const made = await world(t);
  const { url, seen } = await serve(t, (_request, response) => json(response, 200, {}));
  const connection = await connected(made, url);
  t.is((await execute(made, connection, { url: "/" })).status, "succeeded");
  const request = { key: "http.request", connection_id: connection, input: { url: "/" } };
  const refused = async (options: object = {}) => {
    const thrown = await t.throwsAsync(made.call("ConnectorService.ExecuteAction", request, options), {
      instanceOf: RefusalError,
    });
    return (thrown as RefusalError).refusal;
  };
  t.is((await refused({ environment: "staging" })).code, "NOT_FOUND");
  t.is((await refused({ tenant: "01JD0000000000000000000001" })).code, "NOT_FOUND");
  await made.call("ConnectionService.RevokeConnection", { connection_id: connection });
  t.is((await refused()).reason, "CONNECTION_NOT_ACTIVE");
  await made.call("ConnectionService.DeleteConnection", { connection_id: connection });
  t.is((await refused()).code, "NOT_FOUND");
  t.is(seen.length, 1);
});

test("an echo of the credentials is not stored", async (t) => {
  const made = await world(t);
  const { url } = await serve(t, (request, response) => json(response, 200, { ...request.headers }));
  const connection = await connected(made, url, { api_key: "secret-4711" });
  const execution = await execute(made, connection, { url: "/" });
  t.is(execution.status, "succeeded");
  t.notRegex(JSON.stringify(execution), /secret-4711/);
  t.regex(JSON.stringify(execution), /\[redacted\]/);
});

test("credentials that were encrypted for another record, cut or changed: that connection needs a person, its neighbour works", async (t) => {
  const made = await world(t);
  const { url } = await serve(t, (_request, response) => json(response, 200, {}));
  const neighbour = await connected(made, url, { api_key: "secret-of-the-neighbour" });
  const recordOf = async (id: string) => {
    const call = { caller: testCaller(devTenantId), asker: made.asker, deadlineMs: Date.now() + 60_000 };
    const key = handleOf(id);
    const record = await ask(call, look, { key, request: {} });
    const put = (encrypted: string) =>
      ask(call, reencrypt, { key, request: { version: 1, encrypted, keyId: "k1" }, step: "" });
    return { record, put };
  };
  const other = (await recordOf(neighbour)).record.credentials.encrypted;
  const of = { kind: "connection", tenant: devTenantId, environment: "production", version: 1 } as const;
  const wrong: Readonly<Record<string, (encrypted: string, id: string) => string>> = {
    "of another connection": () => other,
    "of another tenant": (_encrypted, id) =>
      encrypt(made, { api_key: "x" }, { ...of, tenant: "01JD0000000000000000000001", id }).encrypted,
    "of another environment": (_encrypted, id) =>
      encrypt(made, { api_key: "x" }, { ...of, environment: "staging", id }).encrypted,
    "of another version": (_encrypted, id) =>
      encrypt(made, { api_key: "x" }, { ...of, version: 2, id }).encrypted,
    "cut off": (encrypted) => encrypted.slice(0, -8),
    "with a flipped byte": (encrypted) => {
      const bytes = Buffer.from(encrypted, "base64");
      bytes[bytes.length - 3]! ^= 1;
      return bytes.toString("base64");
    },
    "under a key that is not here": (encrypted) =>
      Buffer.from(Buffer.from(encrypted, "base64").toString("latin1").replace("k1", "k9"), "latin1").toString(
        "base64",
      ),
  };
  for (const [name, change] of Object.entries(wrong)) {
    const id = await connected(made, url, { api_key: "secret-of-this-one" });
    const { record, put } = await recordOf(id);
    t.is(record.environment, of.environment);
    await put(change(record.credentials.encrypted, id));
    t.like(
      await execute(made, id, { url: "/" }),
      { status: "failed", error: { code: "CREDENTIALS_UNREADABLE" } },
      name,
    );
    const after = await made.call("ConnectionService.GetConnection", { connection_id: id });
    t.like(after, { status: "needs_reauth", status_reason: "KEY_MISSING" }, name);
    t.is((await execute(made, neighbour, { url: "/" })).status, "succeeded", name);
  }
});

test("a URL with a user or a password in it is refused when the config is stored", async (t) => {
  const { call } = await world(t);
  const create = (base_url: string) =>
    call("ProviderConfigService.CreateProviderConfig", {
      name: base_url,
      provider_key: "http",
      auth: "none",
      config: { base_url },
    });
  for (const base_url of ["https://ada:pw@api.example.com", "https://ada@api.example.com/v1"]) {
    const error = await t.throwsAsync(create(base_url), { instanceOf: RefusalError });
    t.like(error.refusal, { code: "INVALID_ARGUMENT", fields: [{ field: "config.base_url" }] });
    t.regex(error.refusal.detail, /must not have a user or a password/);
    t.notRegex(error.refusal.detail, /pw/);
  }
  await t.notThrowsAsync(create("https://api.example.com/users/@ada"));
});

test("on loopback a connect session says where to go without server.public_url", async (t) => {
  const { call } = await world(t, { settings: { "server.http_addr": "127.0.0.1:8080" } });
  const config = await call<{ id: string }>("ProviderConfigService.CreateProviderConfig", {
    name: "calls",
    provider_key: "http",
    auth: "api_key",
    config: { base_url: "https://api.example.com" },
  });
  await call("ProviderConfigService.ActivateProviderConfig", { provider_config_id: config.id });
  const session = await call<{ token: string; connect_url: string }>(
    "ConnectSessionService.CreateConnectSession",
    { provider_config_id: config.id },
  );
  t.is(session.connect_url, `http://127.0.0.1:8080/connect/${session.token}`);
});
