import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { grpcRequest, pageRequest, preface, settings } from "./frames.ts";

/** The open connections of one attack, and what it has sent. */
export class Attacker {
  readonly port: number;
  /** Absent: it has no credentials. */
  readonly apiKey: string | undefined;
  /** The time at which the attack ends. */
  readonly untilMs: number;
  readonly #sockets = new Set<Socket>();
  bytesSent = 0;

  constructor(port: number, lastsMs: number, apiKey?: string) {
    this.port = port;
    this.apiKey = apiKey;
    this.untilMs = performance.now() + lastsMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.untilMs;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** The head of a request of HTTP/1.1. */
  head(method: string, path: string, ...lines: string[]): string {
    const own = this.apiKey === undefined ? [] : [`X-API-Key: ${this.apiKey}`];
    return `${[`${method} ${path} HTTP/1.1`, "Host: localhost", ...own, ...lines].join("\r\n")}\r\n\r\n`;
  }

  grpc(path: string): Record<string, string> {
    return { ...grpcRequest(path), ...this.#credentials };
  }

  page(path: string): Record<string, string> {
    return { ...pageRequest(path), ...this.#credentials };
  }

  get #credentials(): Record<string, string> {
    return this.apiKey === undefined ? {} : { "x-api-key": this.apiKey };
  }

  /** `reads: false`: nothing that the server sends is read. */
  async connect({ reads = true } = {}): Promise<Connection> {
    const socket = connect({ port: this.port, host: "127.0.0.1", noDelay: true });
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    if (reads) socket.resume();
    await new Promise<void>((resolve) => {
      socket.once("connect", resolve);
      socket.once("close", () => resolve());
    });
    return new Connection(socket, this);
  }

  /** Sends the preface and settings of HTTP/2 first. */
  async connectHttp2(
    options: { reads?: boolean; settings?: Record<number, number> } = {},
  ): Promise<Connection> {
    const connection = await this.connect(options);
    connection.write(Buffer.concat([preface, settings(options.settings)]));
    return connection;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export class Connection {
  readonly #socket: Socket;
  readonly #attacker: Attacker;
  #received = "";

  constructor(socket: Socket, attacker: Attacker) {
    this.#socket = socket;
    this.#attacker = attacker;
    socket.on("data", (chunk: Buffer) => {
      if (this.#received.length < 10_000) this.#received += chunk.toString("latin1");
    });
    if (socket.readableFlowing !== true) socket.pause();
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  write(bytes: string | Uint8Array): void {
    if (!this.isOpen) return;
    this.#socket.write(bytes, "latin1" as never);
    this.#attacker.bytesSent += bytes.length;
  }

  /** Waits while the other side takes no data, but not beyond the end of the attack. */
  async send(bytes: string | Uint8Array): Promise<void> {
    this.write(bytes);
    while (this.isOpen && this.#socket.writableNeedDrain && !this.#attacker.isOver) await sleep(5);
  }

  /** Waits until data arrives, the connection is closed, or the attack ends. */
  async answered(): Promise<string> {
    while (this.isOpen && this.#received === "" && !this.#attacker.isOver) await sleep(5);
    return this.#received;
  }

  destroy(): void {
    this.#socket.resetAndDestroy();
  }
}
