import {
  type CallToolResult,
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { errorCodes, invalid, limits, type Refusal, RefusalError } from "#base";
import { Call, type CallSource } from "../calls/call.ts";
import type { Invoker } from "../calls/invoke.ts";
import { fillDefaults } from "../contract/index.ts";
import type { HttpRequest } from "../http/server.ts";
import type { MethodTool } from "./catalogue.ts";

export interface ToolServerParts {
  readonly invoker: Pick<Invoker, "plane" | "invoke" | "mayCall">;
  readonly tools: ReadonlyMap<string, MethodTool>;
  readonly info: Implementation;
}

/** Answers one request of a caller who was let in. Nothing of it is kept for the next one. */
export function toolServer(
  { invoker, tools, info }: ToolServerParts,
  entered: Call,
  request: HttpRequest,
): Server {
  const server = new Server(info, {
    capabilities: { tools: {} },
    cacheHints: { "tools/list": { ttlMs: limits.mcpListTtlMs, cacheScope: "private" } },
  });
  server.setRequestHandler("tools/list", () => {
    const { principal } = entered;
    const own = [...tools.values()].filter(({ method }) =>
      invoker.mayCall({ method, ...(principal && { principal }) }),
    );
    return { tools: own.map(({ shown }) => shown) };
  });
  server.setRequestHandler("tools/call", ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no tool ${JSON.stringify(params.name)}`,
      );
    return callTool(tool, params.arguments ?? {});
  });
  return server;

  function callTool(
    { method }: MethodTool,
    given: Readonly<Record<string, unknown>>,
  ): Promise<CallToolResult> {
    const { key, message } =
      method.tool === "trigger" ? withoutKey(given) : { key: undefined, message: given };
    const source = sourceOf(request, { "idempotency-key": key, "x-request-id": entered.requestId });
    const call = new Call({ method, plane: invoker.plane, protocol: "mcp", source });
    return new Promise((resolve) => {
      invoker.invoke(call, message, (refusal, response) => {
        if (refusal !== undefined) return resolve(refused(refusal));
        fillDefaults(method.descriptor.output, response);
        resolve(told(response));
      });
    });
  }
}

interface Asked {
  readonly key: string | undefined;
  readonly message: unknown;
}

/** Over HTTP the key is a header; a tool has arguments only. */
function withoutKey({ idempotency_key: key, ...message }: Readonly<Record<string, unknown>>): Asked {
  if (key === undefined || typeof key === "string") return { key, message };
  return {
    key: undefined,
    message: new RefusalError(invalid({ field: "idempotency_key", reason: "must be a text" })),
  };
}

/** The HTTP request, with these headers instead of its own. */
function sourceOf(request: HttpRequest, own: Readonly<Record<string, string | undefined>>): CallSource {
  const { signal, cancellation, peer, remoteAddress } = request;
  return {
    headers: { get: (name) => (Object.hasOwn(own, name) ? own[name] : request.headers.get(name)) },
    signal,
    ...(cancellation && { cancellation }),
    ...(peer && { peer }),
    remoteAddress,
  };
}

/** A refusal is the result of the tool, so that the assistant reads it and can do better. */
function refused({ code, reason, detail, fields }: Refusal): CallToolResult {
  const { retryable } = errorCodes[code];
  const errors = fields?.map(({ field, reason: why }) => ({ field, reason: why }));
  const failure = {
    errorCode: code,
    ...(reason && { reason }),
    retryable,
    detail,
    ...(errors && { errors }),
  };
  return { ...told(failure), isError: true };
}

/** Older assistants read the text only. */
function told(data: unknown): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(data) }],
    structuredContent: data as Record<string, unknown>,
  };
}
