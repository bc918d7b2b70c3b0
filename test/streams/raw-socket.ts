import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export interface RawFrame {
  readonly opcode: number;
  readonly data: Buffer;
}

/** A WebSocket written by hand, to send what no library sends. */
export class RawSocket {
  readonly head: string;
  readonly #socket: Socket;
  #bytes: Buffer;
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket, head: string, rest: Buffer) {
    this.#socket = socket;
    this.head = head;
    this.#bytes = rest;
    socket.on("data", (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("close", end);
    socket.on("end", end);
    socket.on("error", end);
  }

  static open(port: number, path: string, headers: Record<string, string> = {}): Promise<RawSocket> {
    const socket = connect(port, "127.0.0.1");
    const all = {
      Host: `127.0.0.1:${port}`,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    return new Promise((resolve, reject) => {
      let text = Buffer.alloc(0);
      socket.once("error", reject);
      const more = (chunk: Buffer) => {
        text = Buffer.concat([text, chunk]);
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        socket.off("data", more);
        resolve(new RawSocket(socket, text.toString("latin1", 0, end), text.subarray(end + 4)));
      };
      socket.on("data", more);
    });
  }

  get status(): number {
    return Number(/^HTTP\/1.1 (\d+)/.exec(this.head)?.[1]);
  }

  send(opcode: number, data: string | Buffer, { fin = true, masked = true, reserved = 0 } = {}): void {
    const body = Buffer.from(data);
    const mask = masked ? randomBytes(4) : Buffer.alloc(0);
    const length =
      body.length < 126
        ? Buffer.from([body.length])
        : body.length < 65_536
          ? Buffer.from([126, body.length >> 8, body.length & 255])
          : Buffer.concat([Buffer.from([127, 0, 0, 0, 0]), uint32(body.length)]);
    length[0]! |= masked ? 128 : 0;
    const coded = masked ? Buffer.from(body.map((byte, index) => byte ^ mask[index & 3]!)) : body;
    this.#socket.write(
      Buffer.concat([Buffer.from([(fin ? 128 : 0) | (reserved << 4) | opcode]), length, mask, coded]),
    );
  }

  text(value: unknown): void {
    this.send(1, JSON.stringify(value));
  }

  /** The next frame; `undefined` if the connection has ended. */
  async next(): Promise<RawFrame | undefined> {
    for (;;) {
      const frame = this.#take();
      if (frame !== undefined) return frame;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All frames until the end; a close frame is answered. */
  async rest(): Promise<{ readonly frames: RawFrame[]; readonly code: number | undefined }> {
    const frames: RawFrame[] = [];
    for (let frame = await this.next(); frame !== undefined; frame = await this.next()) {
      if (frame.opcode === 8) {
        this.send(8, frame.data);
        return { frames, code: frame.data.length >= 2 ? frame.data.readUInt16BE() : 1005 };
      }
      frames.push(frame);
    }
    return { frames, code: undefined };
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(): RawFrame | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 2) return undefined;
    let length = bytes[1]! & 127;
    let at = 2;
    if (length === 126) {
      if (bytes.length < 4) return undefined;
      length = bytes.readUInt16BE(2);
      at = 4;
    } else if (length === 127) {
      if (bytes.length < 10) return undefined;
      length = bytes.readUInt32BE(6);
      at = 10;
    }
    if (bytes.length < at + length) return undefined;
    this.#bytes = bytes.subarray(at + length);
    return { opcode: bytes[0]! & 15, data: bytes.subarray(at, at + length) };
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
