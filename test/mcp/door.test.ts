/** The door itself, on both HTTP servers: who may come in, with what, and what a tool call may not do. */
import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { byTenantProviders } from "../contract/support/auth.ts";
import { type Doors, doorsOf } from "../contract/support/clients.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { caller, createTenant, type Message } from "../contract/support/tenant-calls.ts";
import { connects } from "./clients.ts";

interface Context {
  readonly service: TestService;
  readonly doors: Doors;
  readonly a: string;
  readonly b: string;
}
const test = anyTest as TestFn<Context>;
const adapters = ["uws", "node"] as const;

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    tenants: true,
    settings: { authEnabled: true },
    providers: byTenantProviders,
    mcp: { "api.oidc_issuer": "https://issuer.example.com" },
  });
  const doors = doorsOf(service);
  t.context = { service, doors, a: await createTenant(doors), b: await createTenant(doors) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors ?? {})) door.close?.();
  await t.context.service?.close();
});

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

function post(port: number, body: unknown, headers: Record<string, string> = {}, path = "/mcp") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...json, ...headers },
    body: text,
  });
}

/** The one message of an answer, in JSON or as an event. */
async function messageOf(answer: Response): Promise<Message> {
  const text = await answer.text();
  return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!) as Message;
}

for (const adapter of adapters) {
  test(`${adapter}: there are no sessions: GET, DELETE and other verbs are 405`, async (t) => {
    const { ports } = t.context.service;
    for (const method of ["GET", "DELETE", "PUT", "HEAD"]) {
      const answer = await fetch(`http://127.0.0.1:${ports[adapter]}/mcp`, { method });
      t.is(answer.status, 405, method);
      t.is(answer.headers.get("allow"), "POST", method);
    }
  });

  test(`${adapter}: given a page of another site, then every verb is 403`, async (t) => {
    const { service, a } = t.context;
    const headers = { origin: "https://evil.example", authorization: `Bearer admin@${a}` };
    t.is((await post(service.ports[adapter], list, headers)).status, 403);
    const url = `http://127.0.0.1:${service.ports[adapter]}/mcp`;
    for (const method of ["GET", "DELETE", "OPTIONS"])
      t.is((await fetch(url, { method, headers })).status, 403, method);
  });

  test(`${adapter}: a body of more than 1 MiB is 413, one below is read`, async (t) => {
    const { service, a } = t.context;
    const headers = { authorization: `Bearer admin@${a}` };
    const padded = (bytes: number) => JSON.stringify({ ...list, params: { pad: "x".repeat(bytes) } });
    t.is((await post(service.ports[adapter], padded(limits.mcpBodyBytesMax), headers)).status, 413);
    t.is((await post(service.ports[adapter], padded(limits.mcpBodyBytesMax - 200), headers)).status, 200);
  });

  test(`${adapter}: without credentials, or with wrong ones, 401 says where the metadata is, and that names the issuer`, async (t) => {
    const { ports } = t.context.service;
    const { status, headers } = await post(ports[adapter], list);
    t.is(status, 401);
    const url = /^Bearer realm="service", resource_metadata="([^"]+)"$/.exec(
      headers.get("www-authenticate")!,
    )![1]!;
    t.is(url, `http://127.0.0.1:${ports[adapter]}/.well-known/oauth-protected-resource/mcp`);
    t.deepEqual(await (await fetch(url)).json(), {
      resource: `http://127.0.0.1:${ports[adapter]}/mcp`,
      authorization_servers: ["https://issuer.example.com"],
      bearer_methods_supported: ["header"],
    });
    t.is((await post(ports[adapter], list, { "x-api-key": "swk_none" })).status, 401);
    t.is((await post(ports[adapter], "x".repeat(2_000_000))).status, 401, "its body is not looked at");
  });

  test(`${adapter}: the list is by name, private, for five minutes; a viewer sees no trigger`, async (t) => {
    const { service, a } = t.context;
    const url = `http://127.0.0.1:${service.ports[adapter]}/mcp`;
    for (const connect of Object.values(connects)) {
      const names = async (role: string) => {
        const assistant = await connect(url, { authorization: `Bearer ${role}@${a}` });
        t.teardown(() => assistant.close());
        return assistant.tools();
      };
      const viewers = await names("viewer");
      t.true(viewers.length > 20);
      t.deepEqual(
        viewers.filter(({ annotations }) => annotations?.readOnlyHint !== true),
        [],
      );
      const admins = (await names("admin")).map(({ name }) => name);
      t.true(admins.includes("api_queueservice_enqueue"));
      t.deepEqual(admins, [...admins].sort());
    }
    const assistant = await connects["client 2.4.0"](url, { authorization: `Bearer viewer@${a}` });
    t.teardown(() => assistant.close());
    const refused = await assistant.call("api_queueservice_enqueue", { pool_id: a });
    t.like(refused, {
      isError: true,
      structuredContent: { errorCode: "PERMISSION_DENIED", retryable: false },
    });
  });

  test(`${adapter}: what belongs to another tenant is not found`, async (t) => {
    const { service, doors, a, b } = t.context;
    const made = await caller(doors["rest-node"], `admin@${b}`)("PoolService.CreatePool", { name: "theirs" });
    const { id: pool_id } = (made as { message: { id: string } }).message;
    const url = `http://127.0.0.1:${service.ports[adapter]}/mcp`;
    for (const connect of Object.values(connects)) {
      const ours = await connect(url, { authorization: `Bearer admin@${a}` });
      const theirs = await connect(url, { authorization: `Bearer admin@${b}` });
      t.teardown(async () => void (await Promise.all([ours.close(), theirs.close()])));
      t.like(await theirs.call("api_poolservice_getpool", { pool_id }), {
        structuredContent: { id: pool_id },
      });
      for (const [name, args] of [
        ["api_poolservice_getpool", { pool_id }],
        ["api_queueservice_enqueue", { pool_id, payload: {} }],
        ["api_queueservice_listitems", { pool_id }],
      ] as const)
        t.like(
          await ours.call(name, args),
          { isError: true, structuredContent: { errorCode: "NOT_FOUND" } },
          name,
        );
    }
  });

  test(`${adapter}: a wrong argument is an error of the tool, never of the protocol; an unknown tool is -32602`, async (t) => {
    const { service, a } = t.context;
    const call = async (name: string, args: unknown) => {
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      return messageOf(await post(service.ports[adapter], body, { authorization: `Bearer admin@${a}` }));
    };
    for (const args of [
      undefined,
      {},
      { pool_id: 1 },
      { pool_id: "x" },
      { pool: a },
      { pool_id: null },
      { pool_id: { toString: 1 } },
      { pool_id: a, more: [[[]]] },
    ]) {
      const { result } = await call("api_poolservice_getpool", args);
      t.like(result as Message, { isError: true }, JSON.stringify(args));
      const { errorCode, errors } = (result as Message).structuredContent as Message;
      t.is(errorCode, "INVALID_ARGUMENT", JSON.stringify(args));
      t.true(Array.isArray(errors), JSON.stringify(args));
    }
    const { result } = await call("api_queueservice_enqueue", { pool_id: a, idempotency_key: 7 });
    t.like((result as Message).structuredContent as Message, {
      errors: [{ field: "idempotency_key", reason: "must be a text" }],
    });
    t.like(await call("api_poolservice_deletepool", {}), { error: { code: -32_602 } });
    t.like(await call("__proto__", {}), { error: { code: -32_602 } });
  });

  test(`${adapter}: what is no JSON, has a key twice or too many calls is -32700`, async (t) => {
    const { service, a } = t.context;
    const batch = Array.from({ length: limits.mcpBatchMax + 1 }, (_, id) => ({ ...list, id }));
    for (const body of [
      "{",
      '{"jsonrpc":"2.0","jsonrpc":"2.0"}',
      '{"__proto__":{}}',
      JSON.stringify(batch),
    ]) {
      const answer = await post(service.ports[adapter], body, { authorization: `Bearer admin@${a}` });
      t.is(answer.status, 400);
      t.like(await messageOf(answer), { error: { code: -32_700 } });
    }
  });
}

test("given that it is off, then the path and its metadata are 404", async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  for (const port of [service.ports.uws, service.ports.node]) {
    t.is((await post(port, list)).status, 404);
    const metadata = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`;
    t.is((await fetch(metadata)).status, 404);
  }
});

test("given mcp.legacy false, then clients of 2025 are told which revision is served", async (t) => {
  const service = await startTestService({ mcp: { "mcp.legacy": false, "mcp.path": "/tools/mcp" } });
  t.teardown(() => service.close());
  const answer = await post(service.ports.uws, list, {}, "/tools/mcp");
  t.is(answer.status, 400);
  t.true(JSON.stringify(await messageOf(answer)).includes("2026-07-28"));
  t.is((await post(service.ports.uws, list)).status, 404);
  await t.throwsAsync(connects["sdk 1.32.2"](`http://127.0.0.1:${service.ports.uws}/tools/mcp`));
  const client = await connects["client 2.4.0"](`http://127.0.0.1:${service.ports.uws}/tools/mcp`);
  t.true((await client.tools()).length > 20);
  await client.close();
});
