/** What docs/mcp.md shows works as it is written. */
import { readFileSync } from "node:fs";
import anyTest, { type TestFn } from "ava";
import { apiKeyProviders } from "../contract/support/identity.ts";
import { startTestService, type TestService } from "../contract/support/service.ts";
import { runExamples } from "../support/doc-examples.ts";
import { needing } from "../support/needing.ts";
import { connects } from "./clients.ts";

const test = anyTest as TestFn<{ service: TestService; key: string }>;
const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");

interface Configured {
  readonly url?: string;
  readonly httpUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
}

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: apiKeyProviders,
    mcp: {},
  });
  const made = await fetch(`http://127.0.0.1:${service.ports.uws}/api/v2/api-keys`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer admin" },
    body: JSON.stringify({ name: "assistant", roles: ["viewer"] }),
  });
  const { data } = (await made.json()) as { data: { secret: string } };
  t.context = { service, key: data.secret };
});

test.after.always((t) => t.context.service?.close());

test("every configuration of an assistant leads to the tools that its key may call", async (t) => {
  const { service, key } = t.context;
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text!));
  t.is(blocks.length, 4);
  for (const { mcpServers, servers } of blocks) {
    const { url, httpUrl, headers } = (mcpServers ?? servers).switchyard as Configured;
    const [[name, value]] = Object.entries(headers) as [[string, string]];
    t.regex(value, /^\$/, "the key is not in the file");
    const at = (url ?? httpUrl!).replace("localhost:8080", `127.0.0.1:${service.ports.uws}`);
    const assistant = await connects["sdk 1.32.2"](at, { [name]: key });
    const tools = await assistant.tools();
    t.true(tools.length > 20);
    t.true(tools.every(({ annotations }) => annotations?.readOnlyHint));
    await assistant.close();
  }
});

needing(test, "curl")("the calls of the page work as written", async (t) => {
  const service = await startTestService({ runtime: true, mcp: {} });
  t.teardown(() => service.close());
  const where = { port: service.ports.uws, folder: ".", variables: () => ({}) };
  const [, called] = await runExamples("mcp.md", where);
  const { result } = JSON.parse(called!.said) as { result: { structuredContent: { pools: object[] } } };
  t.like(result.structuredContent.pools[0]!, { name: "support" });
});
