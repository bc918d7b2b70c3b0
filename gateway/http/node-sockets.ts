import type { IncomingMessage, Server } from "node:http";
import { ServerResponse } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { ServerState } from "./exchange.ts";
import type { HttpRequest, HttpServerOptions } from "./server.ts";
import { type DoorSocket, type SocketSession, socketPath, type Upgrade } from "./sockets.ts";

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

interface Upgrading {
  readonly options: HttpServerOptions;
  readonly state: ServerState;
  /** Answers a request that is not upgraded. */
  readonly listener: Listener;
  readonly requestOf: (incoming: IncomingMessage, outgoing: ServerResponse) => HttpRequest;
}

/** WebSockets on a server of Node's. Returns what ends them. */
export function serveSockets(server: Server | Http2SecureServer, upgrading: Upgrading): () => void {
  const { options, state } = upgrading;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    maxPayload: options.bodyBytesMax,
    handleProtocols: (_offered, request) => chosen.get(request) ?? false,
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const upgrade = acceptedBy(upgrading, incoming, socket);
    if (upgrade === undefined) return;
    if (upgrade.protocol !== undefined) chosen.set(incoming, upgrade.protocol);
    sockets.handleUpgrade(incoming, socket, head, (webSocket) => open(webSocket, upgrade, state));
  });
  return () => {
    for (const socket of sockets.clients) socket.terminate();
  };
}

const chosen = new WeakMap<IncomingMessage, string>();

/** Node gives every request to upgrade to one listener and stops reading: what is not taken is answered, and the last on its connection. */
function acceptedBy(
  { options, listener, requestOf }: Upgrading,
  incoming: IncomingMessage,
  socket: Socket,
): Upgrade | undefined {
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  const answered = () => {
    outgoing.assignSocket(socket);
    outgoing.on("finish", () => socket.end());
    return undefined;
  };
  const isOurs =
    incoming.url?.startsWith(socketPath) && incoming.headers.upgrade?.toLowerCase() === "websocket";
  if (!isOurs || options.sockets === undefined) {
    answered();
    listener(incoming, outgoing);
    return undefined;
  }
  const request = requestOf(incoming, outgoing);
  const refusal = request.headers.check();
  const taken = refusal === undefined ? options.sockets(request) : options.refuse(refusal, request);
  if (taken !== undefined && "open" in taken) return taken;
  answered();
  const { status, headers, body } = taken ?? { status: 404, headers: [], body: "" };
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.end(body as string);
  return undefined;
}

function open(socket: WebSocket, upgrade: Upgrade, state: ServerState): void {
  state.pending++;
  let session: SocketSession | undefined;
  const door: DoorSocket = {
    send: (data) => socket.send(data, () => session?.drained()),
    buffered: () => socket.bufferedAmount,
    ping: () => socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
  session = upgrade.open(door);
  socket.on("message", (data: RawData, isBinary) => session.received(data as Buffer, isBinary));
  socket.on("pong", () => session.ponged());
  // A frame that breaks the protocol: the socket has been closed with the code that says so.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    state.pending--;
    session.closed();
  });
}
