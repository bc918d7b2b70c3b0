import { reading, type Suite } from "./case.ts";
import { expect } from "./failures.ts";
import type { Tester } from "./tester.ts";

const path = "/mcp";

async function rpc(t: Tester, method: string, params: object = {}) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { status, body: bytes } = await t.raw("POST", path, headers, body);
  expect(status === 200, `the status of ${method} is ${status}`);
  const text = bytes.toString();
  const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
  return JSON.parse(json) as { result?: Record<string, unknown>; error?: { code?: number } };
}

const initialize = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "conformance", version: "1" },
};

/** The Model Context Protocol endpoint, where it is switched on. */
export const mcp: Suite = {
  id: "mcp",
  title: "The Model Context Protocol endpoint",
  capability: "mcp",
  cases: [
    reading("mcp.initialize", "a session begins with the server's name and version", [], async (t) => {
      const { result } = await rpc(t, "initialize", initialize);
      expect(
        typeof result?.protocolVersion === "string" && result.serverInfo !== undefined,
        "it does not say them",
      );
    }),
    reading("mcp.tools-list", "tools have names and schemas", [], async (t) => {
      const { result } = await rpc(t, "tools/list");
      const tools = result?.tools as { name?: string; inputSchema?: object }[] | undefined;
      expect(Boolean(tools?.every((tool) => tool.name && tool.inputSchema)), "they have not");
    }),
    reading("mcp.unknown-method", "an unknown method is -32601", [], async (t) => {
      const { error } = await rpc(t, "no/such-method");
      expect(error?.code === -32_601, `the code is ${error?.code}`);
    }),
  ],
};
