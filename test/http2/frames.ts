import { connect, type Socket } from "node:net";

/** RFC 9113, section 6. */
export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** One frame as it is on the wire; `length` may be wrong on purpose. */
export function frame(
  type: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
  more: { flags?: number; length?: number } = {},
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(more.length ?? payload.length, 0, 3);
  head[3] = type;
  head[4] = more.flags ?? 0;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** A block of literal fields, neither indexed nor compressed, so that every name and value is sent as given. */
export function block(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** HPACK: a length in seven bits, continued in further bytes if needed; then the bytes. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest = bytes.length - 127;
  const length = rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}

export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** A connection on which a test can write any frames. */
export class FrameConnection {
  readonly frames: Frame[] = [];
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (bytes) => this.#receive(bytes));
    for (const event of ["end", "close", "error"])
      this.#socket.on(event, () => {
        this.#closed = true;
        this.#wake?.();
      });
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(bytes: string | Uint8Array): this {
    if (!this.#closed) this.#socket.write(bytes);
    return this;
  }

  /** Waits until `holds`, or until the connection ends; false if neither happens within a minute. */
  async until(holds: () => boolean): Promise<boolean> {
    const untilMs = Date.now() + 60_000;
    while (!holds() && !this.#closed && Date.now() < untilMs) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, untilMs - Date.now());
      });
      clearTimeout(timer);
    }
    return holds() || this.#closed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const end = this.#bytes.length < 9 ? 9 : 9 + this.#bytes.readUIntBE(0, 3);
      if (this.#bytes.length < end) break;
      this.frames.push({
        type: this.#bytes[3]!,
        flags: this.#bytes[4]!,
        stream: this.#bytes.readUInt32BE(5) & 0x7fffffff,
        payload: this.#bytes.subarray(9, end),
      });
      this.#bytes = this.#bytes.subarray(end);
    }
    this.#wake?.();
  }
}
