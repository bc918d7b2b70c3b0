import type * as Uws from "uWebSockets.js";
import type { ServerExchange, ServerState } from "./exchange.ts";
import type { HttpServerOptions } from "./server.ts";
import { type DoorSocket, type SocketSession, socketPath, type Upgrade } from "./sockets.ts";
import { uws } from "./uws-library.ts";

interface Kept {
  readonly upgrade: Upgrade;
  session?: SocketSession;
}

interface UpgradingExchange extends ServerExchange {
  /** It is a WebSocket from here on, and no request any more. */
  upgraded(): void;
}

/** WebSockets by uWebSockets.js itself. A request for the path that is no upgrade goes on to the other handlers. */
export function serveUwsSockets(
  app: Uws.TemplatedApp,
  options: HttpServerOptions,
  state: ServerState,
  exchangeOf: (response: Uws.HttpResponse, request: Uws.HttpRequest) => UpgradingExchange,
): void {
  app.ws<Kept>(`${socketPath}*`, {
    compression: uws.DISABLED,
    maxPayloadLength: options.bodyBytesMax,
    // The session asks whether its client is there, as on every server.
    idleTimeout: 0,
    sendPingsAutomatically: false,
    maxBackpressure: 0,
    upgrade(response, request, context) {
      const keys = ["sec-websocket-key", "sec-websocket-extensions"].map((name) => request.getHeader(name));
      const exchange = exchangeOf(response, request);
      const refusal = exchange.headers.check();
      const taken = refusal === undefined ? options.sockets!(exchange) : options.refuse(refusal, exchange);
      if (taken === undefined || !("open" in taken)) {
        exchange.send({ ...(taken ?? { status: 404, headers: [] }), close: true });
        return;
      }
      exchange.upgraded();
      response.upgrade<Kept>({ upgrade: taken }, keys[0]!, taken.protocol ?? "", keys[1]!, context);
    },
    open(socket) {
      state.pending++;
      const kept = socket.getUserData();
      kept.session = kept.upgrade.open(doorOf(socket));
    },
    message: (socket, data, isBinary) =>
      socket.getUserData().session?.received(new Uint8Array(data), isBinary),
    drain: (socket) => socket.getUserData().session?.drained(),
    pong: (socket) => socket.getUserData().session?.ponged(),
    close(socket) {
      state.pending--;
      const { session } = socket.getUserData();
      isOver.add(socket);
      session?.closed();
    },
  });
}

/** uWebSockets.js throws when a closed socket is touched. */
const isOver = new WeakSet<object>();

function doorOf(socket: Uws.WebSocket<Kept>): DoorSocket {
  const whileOpen = (act: () => void) => {
    if (!isOver.has(socket)) act();
  };
  return {
    send: (data) => whileOpen(() => socket.send(data, typeof data !== "string")),
    buffered: () => (isOver.has(socket) ? 0 : socket.getBufferedAmount()),
    ping: () => whileOpen(() => socket.ping()),
    // Inside a callback the frame that says so is lost where more messages came in the same packet.
    close: (code, reason) => void setImmediate(() => whileOpen(() => socket.end(code, reason))),
    terminate: () => whileOpen(() => socket.close()),
  };
}
