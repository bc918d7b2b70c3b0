import { didYouMean, type Refusal, refuse } from "#base";
import { requestIdOf } from "../calls/stages/request-id.ts";
import type { ContractMethod } from "../contract/index.ts";
import { refusalAnswer } from "../http/refusal.ts";
import type { HttpRequest, HttpResponse, SocketDoor } from "../http/server.ts";
import { socketPath } from "../http/sockets.ts";
import type { RpcParts } from "./parts.ts";
import { binaryFrames, jsonFrames, type SocketFrames } from "./socket-frames.ts";
import { StreamSession } from "./socket-session.ts";

const protocols = ["service.v1.json", "service.v1.proto"] as const;
type Protocol = (typeof protocols)[number];

/** Every streaming method of the plane as a WebSocket: `/api/streams/{service}/{method}`. */
export function createSocketDoor(rpc: RpcParts): SocketDoor {
  const streams = new Map<string, ReturnType<typeof streamOf>>();
  for (const method of rpc.invoker.methods)
    if (method.kind !== "unary")
      streams.set(`${socketPath}${method.name.replace(".", "/")}`, streamOf(method, rpc.errorsUrl));

  return (request) => {
    const stream = streams.get(request.path);
    if (stream === undefined) {
      const hint = didYouMean(request.path, streams.keys());
      return refused(request, refuse("NOT_FOUND", `there is no stream at this path${hint}`));
    }
    const protocol = protocolOf(request.headers.get("sec-websocket-protocol"));
    if (protocol === null)
      return refused(request, refuse("INVALID_ARGUMENT", `the subprotocols are ${protocols.join(" and ")}`));
    const { method } = stream;
    const frames = stream.frames[protocol ?? "service.v1.json"];
    return {
      ...(protocol !== undefined && { protocol }),
      open: (socket) => new StreamSession({ method, frames, request, rpc }, socket),
    };
  };

  function refused(request: HttpRequest, refusal: Refusal): HttpResponse {
    return refusalAnswer(refusal, { requestId: requestIdOf(request.headers), errorsUrl: rpc.errorsUrl });
  }
}

/** The same frames for all its sockets: of a fan-out they write each answer once. */
function streamOf(method: ContractMethod, errorsUrl: string) {
  const frames: Readonly<Record<Protocol, SocketFrames>> = {
    "service.v1.json": jsonFrames(method, errorsUrl),
    "service.v1.proto": binaryFrames(method),
  };
  return { method, frames };
}

/** The first that we have; `null`: it offers others only. */
function protocolOf(offered: string | undefined): Protocol | undefined | null {
  if (offered === undefined) return undefined;
  const names = offered.split(",").map((name) => name.trim());
  return protocols.find((protocol) => names.includes(protocol)) ?? null;
}
