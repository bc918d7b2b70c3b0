import { constants, type ServerHttp2Stream } from "node:http2";
import { limits } from "#base";
import type { ThreadBounds } from "../http/bounds.ts";
import { type ClientConnection, ClientConnections, type ClientRequest } from "../http/client-connection.ts";

/**
 * Bounds the answers that clients of grpc-js leave unread, by bytes: of one connection, whose next calls wait, and of the
 * thread. grpc-js has no hook for it, but it hands every answer to `write` of the stream that it is given.
 */
export class UnreadAnswers {
  readonly #connections: ClientConnections;

  constructor(bounds: ThreadBounds) {
    this.#connections = new ClientConnections(bounds);
  }

  /**
   * Calls `begin` in the next immediate, or when the connection has read enough of earlier answers. A stream that is opened
   * and reset at once begins no work: the reset is read before the next immediate.
   */
  queue(stream: ServerHttp2Stream, begin: () => void): void {
    const { session } = stream;
    // The connection has ended before its call was told to us.
    if (session === undefined) return;
    const connection = this.#connections.of(session, limits.http2StreamsMax);
    const call = new CountedCall(stream, holdingEnd(stream, begin), connection);
    stream.once("close", () => call.close());
    // grpc-js listens only from when the call begins; a client may reset it before.
    stream.on("error", () => undefined);
    setImmediate(() => call.queue());
  }
}

/** Node ends a request without a message as soon as it is read, when grpc-js does not listen yet: the end waits for `begin`. */
function holdingEnd(stream: ServerHttp2Stream, begin: () => void): () => void {
  const { push } = stream;
  let hasEnded = false;
  stream.push = (chunk: Buffer | null) => {
    if (chunk !== null) return push.call(stream, chunk);
    hasEnded = true;
    return false;
  };
  return () => {
    stream.push = push;
    begin();
    if (hasEnded) stream.push(null);
  };
}

type Written = (error?: Error | null) => void;

/** One call: its bytes are counted from when grpc-js writes them until Node has given them to the socket. */
class CountedCall implements ClientRequest {
  readonly begin: () => void;
  readonly #connection: ClientConnection;
  #unreadBytes = 0;
  #isQueued = false;
  #isClosed = false;

  constructor(stream: ServerHttp2Stream, begin: () => void, connection: ClientConnection) {
    this.begin = begin;
    this.#connection = connection;
    const write = stream.write.bind(stream) as (message: Buffer, written: Written) => boolean;
    stream.write = ((message: Buffer, written: Written) => {
      const bytes = message.byteLength;
      if (!connection.hold(bytes)) {
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
        return false;
      }
      this.#unreadBytes += bytes;
      return write(message, (error) => {
        this.#letGo(Math.min(bytes, this.#unreadBytes));
        written(error);
      });
    }) as ServerHttp2Stream["write"];
  }

  queue(): void {
    if (this.#isClosed) return;
    this.#isQueued = true;
    this.#connection.begin(this);
  }

  close(): void {
    this.#isClosed = true;
    this.#letGo(this.#unreadBytes);
    if (this.#isQueued) this.#connection.ended(this);
  }

  #letGo(bytes: number): void {
    if (bytes === 0) return;
    this.#unreadBytes -= bytes;
    this.#connection.letGo(bytes);
  }
}
