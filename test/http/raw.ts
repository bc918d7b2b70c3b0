import { connect, type Socket } from "node:net";

/** A connection on which a test can write any bytes. */
export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(port: number, socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true })) {
    this.#socket = socket;
    this.#socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    const close = () => {
      this.#closed = true;
      this.#wake?.();
    };
    this.#socket.on("close", close);
    this.#socket.on("end", close);
    this.#socket.on("error", close);
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(bytes: string | Uint8Array): this {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** The next complete answer, or `undefined` if the connection ends or `waitMs` passes before. */
  async answer(options: { head?: boolean; waitMs?: number } = {}): Promise<RawAnswer | undefined> {
    const untilMs = Date.now() + (options.waitMs ?? 3_000);
    for (;;) {
      const parsed = parseAnswer(this.#received, options.head ?? false);
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed;
      }
      if (this.#closed || Date.now() >= untilMs) return undefined;
      await this.#activity(untilMs - Date.now());
    }
  }

  /** Resolves when the other side has closed the connection; false if it has not within `waitMs`. */
  async ended(waitMs = 3_000): Promise<boolean> {
    const untilMs = Date.now() + waitMs;
    while (!this.#closed && Date.now() < untilMs) await this.#activity(untilMs - Date.now());
    return this.#closed;
  }

  get rest(): string {
    return this.#received.toString("latin1");
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #activity(waitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, waitMs);
    });
    clearTimeout(timer);
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly length: number;
}

function parseAnswer(bytes: Buffer, head: boolean): RawAnswer | undefined {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const start = end + 4;
  if (status === 100) return parseAfterContinue(bytes, start, head);
  const bodiless = head || status === 204 || status === 304;
  const size = bodiless ? 0 : Number(headers.get("content-length") ?? 0);
  if (headers.get("transfer-encoding") === "chunked" && !bodiless) return undefined;
  if (bytes.length < start + size) return undefined;
  return { status, headers, body: text.slice(start, start + size), length: start + size };
}

function parseAfterContinue(bytes: Buffer, start: number, head: boolean): RawAnswer | undefined {
  const next = parseAnswer(bytes.subarray(start), head);
  return next === undefined ? undefined : { ...next, length: next.length + start };
}
