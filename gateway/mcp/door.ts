import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { isRefusal, limits, type Refusal, RefusalError, refusalError } from "#base";
import { Call } from "../calls/call.ts";
import { doorMethod } from "../calls/door-method.ts";
import type { Invoker } from "../calls/invoke.ts";
import { masked } from "../calls/stages/error-masking.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import { refusalAnswer } from "../http/refusal.ts";
import { parseJson } from "../http/rest/json.ts";
import type { HttpRequest, HttpResponse, PathDoor } from "../http/server.ts";

export interface DoorParts {
  readonly invoker: Pick<Invoker, "plane" | "guard" | "log">;
  readonly path: string;
  /** Also clients of 2025. */
  readonly legacy: boolean;
  readonly errorsUrl: string;
  /** Where the metadata of RFC 9728 is. */
  readonly metadataUrl: (request: HttpRequest) => string;
  /** What answers the request of this call; `legacy`: to a client of 2025. */
  readonly serverOf: (call: Call, request: HttpRequest, era: "legacy" | "modern") => Server;
}

/** HTTP in, the library of the protocol, HTTP out. Who may not come in at all is told so before the body is read. */
export function createPathDoor(parts: DoorParts): PathDoor {
  const { invoker, path, errorsUrl } = parts;
  return { path, handle };

  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const call = new Call({ method: ownMethod, plane: invoker.plane, protocol: "mcp", source: request });
    try {
      if (request.method !== "POST")
        throw refusalError("METHOD_NOT_ALLOWED", `${request.method} is not POST: there are no sessions here`);
      await invoker.guard(call, {});
    } catch (thrown) {
      const refusal = thrown instanceof RefusalError ? thrown.refusal : masked(thrown, invoker.log);
      await new Promise<void>((done) => request.discard(done));
      return refused(refusal, call, request);
    }
    const body = await bodyOf(request);
    return isRefusal(body) ? refused(body, call, request) : answered(body, call, request);
  }

  async function answered(body: Buffer, call: Call, request: HttpRequest): Promise<HttpResponse> {
    const parsedBody = parsed(body);
    if (isRefusal(parsedBody)) return unreadable(parsedBody, call);
    const { fetch } = createMcpHandler(({ era }) => parts.serverOf(call, request, era), {
      legacy: parts.legacy ? "stateless" : "reject",
    });
    const headers = new Headers([...request.headers.entries()]);
    const { signal } = request;
    // The body is parsed already; without one the library takes the request for another kind.
    const asked = new Request(`http://localhost${path}`, { method: "POST", headers, body: "{}", signal });
    return answerOf(await fetch(asked, { parsedBody }), call);
  }

  function refused(refusal: Refusal, call: Call, request: HttpRequest): HttpResponse {
    const requestId = call.requestId === "" ? requestIdOf(request.headers) : call.requestId;
    const answer = refusalAnswer(refusal, { requestId, errorsUrl });
    const headers = [...answer.headers].map(([name, value]) =>
      name === "www-authenticate"
        ? ([name, `${value}, resource_metadata="${parts.metadataUrl(request)}"`] as const)
        : ([name, value] as const),
    );
    if (refusal.code === "METHOD_NOT_ALLOWED") headers.push(["allow", "POST"]);
    return { ...answer, headers };
  }
}

/** A request of the protocol, apart from what it calls. */
const ownMethod = doorMethod({
  name: "ModelContextProtocol.Request",
  path: "/mcp",
  kind: "unary",
  resource: "mcp",
  open: "It shows what the caller may call; calls are judged for themselves.",
});

function bodyOf(request: HttpRequest): Promise<Buffer | Refusal> {
  return new Promise((resolve) => {
    request.readBody((body) => resolve(isRefusal(body) ? body : Buffer.from(body)), limits.mcpBodyBytesMax);
  });
}

function parsed(body: Buffer): unknown {
  try {
    const value = parseJson(body);
    if (Array.isArray(value) && value.length > limits.mcpBatchMax)
      throw refusalError("INVALID_ARGUMENT", `at most ${limits.mcpBatchMax} calls are taken at once`);
    return value;
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown.refusal;
    throw thrown;
  }
}

/** -32700 of JSON-RPC. */
function unreadable({ detail }: Refusal, call: Call): HttpResponse {
  const error = { code: -32_700, message: `Parse error: ${detail}` };
  return {
    status: 400,
    headers: [...call.responseHeaders, ["content-type", "application/json"], noStore],
    body: JSON.stringify({ jsonrpc: "2.0", id: null, error }),
  };
}

async function answerOf(response: Response, call: Call): Promise<HttpResponse> {
  const { status, body } = response;
  // Which connection goes on is for the server to say, and the answer belongs to one caller.
  const own = [...response.headers].filter(([name]) => name !== "connection" && name !== "cache-control");
  const headers = [...call.responseHeaders, ...own, noStore];
  if (body === null) return { status, headers };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  return { status, headers, body: isStream ? body : await response.text() };
}

const noStore = ["cache-control", "no-store"] as const;
