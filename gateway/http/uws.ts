import type * as Uws from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import { assert, limits, refuse } from "#base";
import type { Cancellation } from "#runtime";
import { CallerGone } from "../calls/cancellation.ts";
import { RequestBody } from "./body.ts";
import { isBodiless, leave, nothing, ServerExchange, type ServerState } from "./exchange.ts";
import type { HttpResponse, HttpServer, HttpServerOptions } from "./server.ts";
import { uws } from "./uws-library.ts";
import { serveUwsSockets } from "./uws-sockets.ts";

/**
 * The fast server. Several threads may listen on one port (SO_REUSEPORT). What uWebSockets.js asks of its users is kept
 * here: the request is copied before its callback returns, the abort handler comes first, chunks are copied, writes
 * after an await are corked, nothing touches a response that ended, HEAD never sends a body.
 */
export async function listenUws(options: HttpServerOptions): Promise<HttpServer> {
  const state: ServerState = { draining: false, pending: 0, unread: 0 };
  const app = uws.App();
  let connections = 0;
  // Not in the types: called with 1 for a connection that opens and -1 for one that ends.
  const count = (connection: { close(): void }, change: number) => {
    connections += change;
    if (change < 0) options.bounds.connections.close();
    else if (!options.bounds.connections.open()) connection.close();
  };
  (app as unknown as { filter(listener: typeof count): void }).filter(count);
  const exchangeOf = (response: Uws.HttpResponse, request: Uws.HttpRequest) =>
    new UwsExchange(response, request, options, state);
  if (options.sockets !== undefined) serveUwsSockets(app, options, state, exchangeOf);
  app.any("/*", (response, request) => exchangeOf(response, request).accept());
  const socket = await new Promise<Uws.us_listen_socket | false>((resolve) => {
    app.listen(options.host, options.port, (listening) => resolve(listening));
  });
  if (socket === false) throw new Error(`cannot listen on ${options.host}:${options.port}`);
  return {
    port: uws.us_socket_local_port(socket),
    drain: () => {
      if (state.draining) return;
      state.draining = true;
      uws.us_listen_socket_close(socket);
    },
    pending: () => state.pending,
    unread: () => state.unread,
    connections: () => connections,
    close: async () => {
      state.draining = true;
      app.close();
    },
  };
}

class UwsExchange extends ServerExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly httpVersion = "1.1";
  readonly #response: Uws.HttpResponse;
  #gone: CallerGone | undefined;
  #wake: (() => void) | undefined;
  /** Bytes of the answer that the client has not taken, as the thread counts them. */
  #held = 0;

  constructor(
    response: Uws.HttpResponse,
    request: Uws.HttpRequest,
    options: HttpServerOptions,
    server: ServerState,
  ) {
    super(options, server);
    this.#response = response;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    // Typed as text; is undefined where the target has no question mark.
    this.query = (request.getQuery() as string | undefined) ?? "";
    const headers = this.headers;
    request.forEach((name, value) => {
      headers.add(name, value);
    });
    // Node's server takes as much of both together.
    if (this.path.length + this.query.length > 2 * limits.headersBytesMax)
      headers.spoil(refuse("HEADERS_TOO_LARGE", "the path and the query are too long"));
    response.onAborted(() => this.abort());
  }

  /** It is a WebSocket from here on, and no request any more. */
  upgraded(): void {
    this.finish();
  }

  get remoteAddress(): string {
    return this.over ? "" : Buffer.from(this.#response.getRemoteAddressAsText()).toString();
  }

  get cancellation(): Cancellation {
    if (this.#gone === undefined) {
      this.#gone = new CallerGone();
      if (this.aborted) this.#gone.abort();
    }
    return this.#gone;
  }

  /** Must be called before the callback of uWS returns: bytes without a listener are gone. */
  protected receive(): void {
    if (this.headers.bodyLength === 0) return;
    const body = new RequestBody(this, this.options);
    this.received = body;
    const isChunked = this.headers.bodyLength < 0;
    this.#response.onData((chunk, last) => {
      body.lend(chunk, last && !isChunked);
      // uWS fails at a trailer that stands behind the last chunk in the same packet: only then, and before this is handled.
      if (last && isChunked) setImmediate(() => body.push(nothing, true));
    });
  }

  pause(): void {
    if (!this.over) this.#response.pause();
  }

  resume(): void {
    if (!this.over) this.#response.resume();
  }

  /** Each begins its ten seconds anew; it has no call for that alone. */
  keep(): void {
    this.pause();
    this.resume();
  }

  /**
   * uWS does not know trailers, and reads the end of a chunk loosely: what follows a chunked body may be read as a request
   * that its sender never made. So nothing that follows one is read. Nor does it see headers that follow one without a name:
   * a POST, PUT or PATCH that seems to have no length may have one there, and its body would be read as a request.
   */
  protected override closes(answer: HttpResponse): boolean {
    const { bodyLength } = this.headers;
    return bodyLength < 0 || (bodyLength === 0 && this.#mayHideBody()) || super.closes(answer);
  }

  /** Clients send `Content-Length: 0` with a method that is made for a body (RFC 9110, 8.6). */
  #mayHideBody(): boolean {
    return this.method.startsWith("P") && this.headers.get("content-length") === undefined;
  }

  protected sendWhole(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    if (!this.closes(answer)) {
      this.#response.cork(() => this.#writeWhole(answer, body));
      return;
    }
    // uWS keeps all of an answer that is the connection's last, however little of it the client reads: not of a long one.
    if (byteLength(body) > pieceBytes && !isBodiless(answer.status)) {
      this.send({ ...answer, body: piecesOf(body!) });
      return;
    }
    // uWS would go on to a request that stands behind this one in the same packet. Left unanswered for an iteration of the loop, such a
    // request makes it close the connection instead, and a smuggled one is never served.
    setImmediate(() => this.over || this.#response.cork(() => this.#writeLast(answer, body)));
  }

  protected cut(): void {
    this.finish();
    this.#response.close();
  }

  /**
   * What the client does not take stays here until it does: uWS would keep it, and answer the next request meanwhile. As
   * long as this answer is not complete a next request ends the connection, so one is all that a client can leave unread.
   */
  #writeWhole(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    const response = this.#writeHead(answer);
    if (isBodiless(answer.status) || this.method === "HEAD") {
      this.#endWithoutBody(answer, body);
      return;
    }
    const length = byteLength(body);
    if (response.tryEnd(body ?? "", length)[1]) this.finish();
    else this.#writeRest(typeof body === "string" ? Buffer.from(body) : body!);
  }

  #writeRest(body: Uint8Array): void {
    const response = this.#response;
    if (this.options.bounds.answers.isFull) {
      this.cut();
      return;
    }
    this.#hold(body.byteLength);
    this.reader.wait();
    this.reader.hurry();
    response.onWritable((offset) => {
      this.reader.hasRead();
      const [, isComplete] = response.tryEnd(body.subarray(offset), body.byteLength);
      if (isComplete) this.finish();
      else this.reader.wait();
      return isComplete;
    });
  }

  /** The connection ends with it. */
  #writeLast(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    const response = this.#writeHead(answer);
    if (isBodiless(answer.status) || this.method === "HEAD") {
      response.writeHeader("connection", "close");
      this.#endWithoutBody(answer, body);
      return;
    }
    this.finish();
    response.end(body ?? "", true);
  }

  #endWithoutBody(answer: HttpResponse, body: string | Uint8Array | undefined): void {
    this.finish();
    // Given a length, this version of endWithoutBody waits for a body to follow and breaks the next request.
    if (!isBodiless(answer.status))
      this.#response.writeHeader("content-length", String(answer.length ?? byteLength(body)));
    this.#response.endWithoutBody();
  }

  protected async sendStream(answer: HttpResponse, body: AsyncIterable<Uint8Array>): Promise<void> {
    const close = this.closes(answer);
    const pieces = body[Symbol.asyncIterator]();
    try {
      // As in sendWhole.
      if (close) await nextLoop();
      // The first piece comes before the head: a producer that fails at once is an error, not half an answer.
      let piece = await pieces.next();
      if (this.over) return;
      if (close && !piece.done) {
        // uWS writes `Connection: close` when it ends an answer, even where the head has long gone out and the header
        // lands in the middle of the chunks. A short answer is sent whole instead; a long one says so in its head.
        const next = pieces.next();
        // What is not there in this iteration of the loop may take long, and the first piece does not wait for it.
        const second = await Promise.race([next, nextLoop()]);
        if (this.over) return;
        const first = piece.value;
        if (second?.done) {
          this.#response.cork(() => this.#writeLast(answer, first));
          return;
        }
        this.#response.cork(() => this.#writeHead(answer).writeHeader("connection", "close"));
        await this.#write(first);
        piece = await next;
        if (this.over) return;
      } else {
        this.#response.cork(() => this.#writeHead(answer));
        if (answer.length !== undefined) return await this.#writeSized(pieces, piece, answer.length);
      }
      if (this.method === "HEAD") {
        this.finish();
        this.#response.cork(() => this.#response.endWithoutBody());
        return;
      }
      while (!piece.done) {
        await this.#write(piece.value);
        if (this.over) return;
        piece = await pieces.next();
        if (this.over) return;
      }
      this.finish();
      this.#response.cork(() => this.#response.end());
    } finally {
      if (this.aborted) leave(pieces);
    }
  }

  /** A body with its Content-Length. Its producer has come to its end before the last piece leaves. */
  async #writeSized(
    pieces: AsyncIterator<Uint8Array>,
    first: IteratorResult<Uint8Array>,
    length: number,
  ): Promise<void> {
    for (let piece = first; !piece.done; ) {
      const next = await pieces.next();
      if (this.over) return;
      await this.#writePart(piece.value, length);
      if (this.over) return;
      piece = next;
    }
    assert(this.over, "a body has the length that was said");
  }

  async #writePart(piece: Uint8Array, length: number): Promise<void> {
    const response = this.#response;
    const from = response.getWriteOffset();
    const send = (part: Uint8Array) => {
      const [wasTaken, isComplete] = response.tryEnd(part, length);
      if (isComplete) this.finish();
      return wasTaken;
    };
    let wasTaken = true;
    response.cork(() => {
      wasTaken = send(piece);
    });
    if (!wasTaken && !this.over)
      await this.#untilTaken(piece.byteLength, (offset) => send(piece.subarray(offset - from)));
  }

  async #write(piece: Uint8Array): Promise<void> {
    let drained = true;
    this.#response.cork(() => {
      drained = this.#response.write(piece);
    });
    if (!drained) await this.#untilTaken(piece.byteLength, () => true);
  }

  /** `more`: sends what was not taken; true where nothing of it is left. */
  async #untilTaken(bytes: number, more: (offset: number) => boolean): Promise<void> {
    if (this.options.bounds.answers.isFull) {
      this.cut();
      return;
    }
    this.#hold(bytes);
    this.reader.wait();
    // How long the client may take is for its reader to say, and longer than the ten seconds of uWS.
    const keeping = setInterval(() => this.keep(), limits.bodyKeepMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      // Going on inside the callback leaves the rest of the buffer unsent for ever: uWS thinks it was written there.
      this.#response.onWritable((offset) => {
        this.reader.hasRead();
        const isTaken = more(offset);
        if (isTaken) setImmediate(resolve);
        else this.reader.wait();
        return isTaken;
      });
    });
    clearInterval(keeping);
    if (this.#held > 0) this.#release();
    this.reader.hasRead();
  }

  #writeHead(answer: HttpResponse): Uws.HttpResponse {
    const response = this.#response;
    // Left out, it is 200.
    if (answer.status !== 200) response.writeStatus(statusLine(answer.status));
    let first = "";
    let text = "";
    for (const [name, value] of answer.headers) {
      if (first === "") {
        first = name;
        text = value;
      } else text += `\r\n${name}: ${value}`;
    }
    // One call for all of them: each call into uWS costs more than the text it takes.
    if (first !== "") response.writeHeader(first, text);
    return response;
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    this.options.bounds.answers.add(bytes);
  }

  #release(): void {
    this.options.bounds.answers.give(this.#held);
    this.#held = 0;
  }

  protected override finish(): void {
    super.finish();
    if (this.#held > 0) this.#release();
  }

  protected override abort(): void {
    super.abort();
    this.#gone?.abort();
    this.#wake?.();
  }
}

function nextLoop(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${status === 499 ? "Client Closed Request" : (STATUS_CODES[status] ?? "Status")}`;
    statusLines.set(status, line);
  }
  return line;
}

/** What uWS may keep of an answer in pieces. */
const pieceBytes = 64 * 1_024;

async function* piecesOf(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function byteLength(body: string | Uint8Array | undefined): number {
  if (body === undefined) return 0;
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}
