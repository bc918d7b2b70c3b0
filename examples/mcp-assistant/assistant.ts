/** Lists the tools of a service and calls one, as an assistant does. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { SWITCHYARD_URL: url = "http://127.0.0.1:8080", SWITCHYARD_API_KEY: key } = process.env;
const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key };

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));

const { tools } = await client.listTools();
console.log(
  `${tools.length} tools, ${tools.filter((tool) => tool.annotations?.readOnlyHint).length} only read`,
);

const answer = await client.callTool({ name: "api_poolservice_listpools", arguments: { page_size: 5 } });
if (answer.isError) throw new Error(JSON.stringify(answer.structuredContent));
console.log(JSON.stringify(answer.structuredContent));
await client.close();
