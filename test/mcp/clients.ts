/** Assistants as doors of the contract tests: the client of revision 2026-07-28, and the one of 2025 that most of them have. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FieldError } from "#base";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import type { Door } from "../contract/support/clients.ts";

interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly inputSchema: { readonly properties?: object | undefined };
}

interface ToolResult {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}

export interface Assistant {
  readonly name: string;
  /** What the server says it is. */
  readonly server: unknown;
  tools(): Promise<readonly Tool[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

type Connect = (url: string, headers?: Record<string, string>) => Promise<Assistant>;

/** Both look at every answer by the schema of the tool: one that does not fit is an error. */
export const connects: Readonly<Record<"client 2.4.0" | "sdk 1.32.2", Connect>> = {
  async "client 2.4.0"(url, headers = {}) {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return {
      name: "client 2.4.0",
      server: client.getServerVersion(),
      tools: async () => (await client.listTools()).tools,
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
  async "sdk 1.32.2"(url, headers = {}) {
    const client = new OldClient({ name: "test", version: "1" });
    const transport = new OldTransport(new URL(url), { requestInit: { headers } });
    // Its own type of a transport is not exact about members that are absent.
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return {
      name: "sdk 1.32.2",
      server: client.getServerVersion(),
      tools: async () => (await client.listTools()).tools,
      call: async (name, args) => (await client.callTool({ name, arguments: args })) as ToolResult,
      close: () => client.close(),
    };
  },
};

export function toolName({ name }: ContractMethod): string {
  return `api_${name.replace(".", "_")}`.toLowerCase();
}

interface Failure {
  readonly errorCode: string;
  readonly reason?: string;
  readonly retryable: boolean;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** Methods that are tools are called by the assistant, all others by `rest`. */
export function assistantDoor(assistant: Assistant, rest: Door): Door {
  return {
    ...rest,
    name: assistant.name,
    async unary(method, message, headers = {}) {
      const { "idempotency-key": key, ...others } = headers;
      if (method.tool === undefined || Object.keys(others).length > 0)
        return rest.unary(method, message, headers);
      const args = { ...(message as object), ...(key !== undefined && { idempotency_key: key }) };
      const { isError, structuredContent } = await assistant.call(toolName(method), args);
      if (!isError) return { ok: true, message: structuredContent, headers: new Map() };
      const { errorCode, reason, retryable, detail, errors = [] } = structuredContent as Failure;
      const told = { errorCode, reason, retryable, detail, fields: errors };
      return {
        ok: false,
        error: { ...told, retryAfterMs: undefined, explanation: undefined },
        headers: new Map(),
      };
    },
  };
}
