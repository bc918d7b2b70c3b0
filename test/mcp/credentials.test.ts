/** Real keys at the door: one that ends, and attacks of callers who have one. */
import anyTest, { type TestFn } from "ava";
import { apiKeyProviders } from "../contract/support/identity.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { connects } from "./clients.ts";

const test = anyTest as TestFn<{ service: TestService }>;
const adapters = ["uws", "node"] as const;

test.before(async (t) => {
  t.context.service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: apiKeyProviders,
    mcp: {},
  });
});
test.after.always((t) => t.context.service?.close());

async function createKey(port: number, fields: object): Promise<{ id: string; secret: string }> {
  const made = await fetch(`http://127.0.0.1:${port}/api/v2/api-keys`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer admin" },
    body: JSON.stringify({ name: "assistant", ...fields }),
  });
  return ((await made.json()) as { data: { id: string; secret: string } }).data;
}

function post(port: number, body: string, headers: Record<string, string>) {
  return fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });
}

const call = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const pools = call("tools/call", { name: "api_poolservice_listpools", arguments: {} });

for (const adapter of adapters) {
  test(`${adapter}: given a key that is revoked, then the next call is 401, and says where the metadata is`, async (t) => {
    const port = t.context.service.ports[adapter];
    const { id, secret } = await createKey(port, { roles: ["operator"] });
    const assistant = await connects["sdk 1.32.2"](`http://127.0.0.1:${port}/mcp`, { "x-api-key": secret });
    t.teardown(() => assistant.close());
    t.falsy((await assistant.call("api_poolservice_listpools", {})).isError);
    const revoked = await fetch(`http://127.0.0.1:${port}/api/v2/api-keys/${id}/revoke`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer admin" },
      body: "{}",
    });
    t.is(revoked.status, 200);
    const { status, headers } = await post(port, pools, { "x-api-key": secret });
    t.is(status, 401);
    t.regex(headers.get("www-authenticate")!, /resource_metadata="http/);
    await t.throwsAsync(assistant.call("api_poolservice_listpools", {}));
  });

  test(`${adapter}: given a key with one scope, then the list has the tools of that scope only`, async (t) => {
    const port = t.context.service.ports[adapter];
    const { secret } = await createKey(port, { roles: ["operator"], scopes: ["pool:read"] });
    const assistant = await connects["client 2.4.0"](`http://127.0.0.1:${port}/mcp`, { "x-api-key": secret });
    t.teardown(() => assistant.close());
    const names = (await assistant.tools()).map(({ name }) => name);
    t.deepEqual(names, ["api_poolservice_getpool", "api_poolservice_listpools"]);
  });

  test(`${adapter}: given hostile messages of a caller with a key, then each has an answer that tells nothing of the inside`, async (t) => {
    const port = t.context.service.ports[adapter];
    const { secret } = await createKey(port, { roles: ["operator"] });
    const key = { "x-api-key": secret };
    const hostile: readonly [string, Record<string, string>?][] = [
      [call("tools/call", { name: "constructor", arguments: {} })],
      [call("tools/call", { name: "x".repeat(100_000), arguments: {} })],
      [call("tools/call", { name: "api_poolservice_getpool", arguments: { pool_id: "\ud800" } })],
      [call("tools/call", { name: "api_poolservice_getpool", arguments: { pool_id: "../../etc/passwd" } })],
      [call("tools/call", { name: "api_poolservice_getpool", arguments: "text" })],
      [call("tools/call", { name: 1 })],
      [call("tools/list", { cursor: "x" })],
      [call("resources/read", { uri: "file:///etc/passwd" })],
      [call("__proto__", {})],
      [call("subscriptions/listen", { notifications: { toolsListChanged: true } })],
      [JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })],
      [JSON.stringify({ jsonrpc: "1.0", id: {}, method: [] })],
      [`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`],
      ["null"],
      [""],
      [pools, { "content-type": "text/plain" }],
      [pools, { accept: "text/html" }],
      [pools, { "mcp-protocol-version": "9999-99-99" }],
      [pools, { "content-encoding": "br" }],
      [pools, { authorization: "Bearer admin" }],
    ];
    for (const [body, headers = {}] of hostile) {
      const answer = await post(port, body, { ...key, ...headers });
      const text = await answer.text();
      t.true(answer.status < 500, `${answer.status} ${body.slice(0, 90)}: ${text.slice(0, 300)}`);
      t.notRegex(text, /node_modules|\bat \w+ \(|\.ts:\d|root:/, body.slice(0, 90));
    }
    const many = Array.from({ length: 200 }, () => post(port, pools, key).then(({ status }) => status));
    t.deepEqual([...new Set(await Promise.all(many))], [200]);
  });
}
