import { reading, suite } from "./case.ts";
import { expect, NotApplicable } from "./failures.ts";
import type { Tester } from "./tester.ts";
import type { Targets } from "./wire.ts";

const revision = "2026-07-28";

/** Each request of this revision says who asks. */
const envelope = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "conformance", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

function served({ targets }: Tester): NonNullable<Targets["mcp"]> {
  if (targets.mcp === undefined) throw new NotApplicable("mcp.enabled is false");
  return targets.mcp;
}

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code?: number };
}

/** As a client of the revision asks. */
function rpc(
  t: Tester,
  method: string,
  params: { readonly name?: string; readonly arguments?: object } = {},
) {
  const headers = {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(params.name !== undefined && { "mcp-name": params.name }),
  };
  return post(t, method, { ...params, ...envelope }, headers);
}

async function post(
  t: Tester,
  method: string,
  params: object,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const accept = "application/json, text/event-stream";
  const headers = { "content-type": "application/json", accept, ...more };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const text = (await t.raw("POST", served(t).path, headers, body)).body.toString();
  const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
  return JSON.parse(json);
}

const initialize = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "conformance", version: "1" },
};

/** The Model Context Protocol endpoint, where it is switched on. */
export const mcp = suite({
  id: "mcp",
  title: "The Model Context Protocol endpoint",
  capability: "mcp",
  cases: {
    initialize: reading("clients of 2025 learn the server's name and version", [], async (t) => {
      if (!served(t).legacy) throw new NotApplicable("mcp.legacy is false");
      const { result } = await post(t, "initialize", initialize);
      expect(
        typeof result?.protocolVersion === "string" && result.serverInfo !== undefined,
        "it does not say them",
      );
    }),
    discover: reading(`the server speaks ${revision}`, [], async (t) => {
      const { result } = await rpc(t, "server/discover");
      const versions = result?.supportedVersions;
      expect(Array.isArray(versions) && versions.includes(revision), "it does not say so");
    }),
    "tools-list": reading("tools have names and schemas, and the list is private", [], async (t) => {
      const { result } = await rpc(t, "tools/list");
      const tools = result?.tools as { name?: string; inputSchema?: object }[] | undefined;
      expect(Boolean(tools?.every((tool) => tool.name && tool.inputSchema)), "they have not");
      expect(result?.cacheScope === "private", `it is ${result?.cacheScope}`);
    }),
    "unknown-method": reading("an unknown method is -32601", [], async (t) => {
      const { error } = await rpc(t, "no/such-method");
      expect(error?.code === -32_601, `the code is ${error?.code}`);
    }),
    "unknown-tool": reading("an unknown tool is -32602", [], async (t) => {
      const { error } = await rpc(t, "tools/call", { name: "no_such_tool", arguments: {} });
      expect(error?.code === -32_602, `the code is ${error?.code}`);
    }),
    "wrong-argument": reading("a wrong argument is an error of the tool", [], async (t) => {
      const call = { name: "api_poolservice_getpool", arguments: { pool_id: 1 } };
      const { result } = await rpc(t, "tools/call", call);
      const told = result?.structuredContent as { errorCode?: string } | undefined;
      expect(result?.isError === true && told?.errorCode === "INVALID_ARGUMENT", "it is not");
    }),
    "no-session": reading("there is no session to read or to end", [], async (t) => {
      for (const verb of ["GET", "DELETE"]) {
        const { status } = await t.raw(verb, served(t).path);
        expect(status === 405, `the status of ${verb} is ${status}`);
      }
    }),
  },
});
