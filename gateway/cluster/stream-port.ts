import type { Duplex } from "node:stream";
import { limits } from "#base";
import type { FramePort } from "#runtime";

const headBytes = 4;

/** Frames over a stream of bytes: each has its length before it. What the peer does not read is counted by the link above. */
export class StreamPort implements FramePort {
  readonly #stream: Duplex;
  readonly #closeAll: () => void;
  #message: (frame: Uint8Array) => void = () => undefined;
  #close: () => void = () => undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #closed = false;

  constructor(stream: Duplex, closeAll: () => void = () => stream.destroy()) {
    this.#stream = stream;
    this.#closeAll = closeAll;
    stream.on("data", (chunk: Buffer) => this.#arrived(chunk));
    stream.on("error", () => this.close());
    stream.on("end", () => this.close());
    stream.on("close", () => this.close());
  }

  on(event: "message" | "close", listener: ((frame: Uint8Array) => void) & (() => void)): void {
    if (event === "message") this.#message = listener;
    else if (this.#closed) queueMicrotask(listener);
    else this.#close = listener;
  }

  postMessage(frame: Uint8Array): void {
    if (this.#closed) return;
    const head = Buffer.allocUnsafe(headBytes);
    head.writeUInt32BE(frame.length);
    this.#stream.cork();
    this.#stream.write(head);
    this.#stream.write(frame);
    this.#stream.uncork();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closeAll();
    this.#close();
  }

  #arrived(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= headBytes && !this.#closed) {
      const first = this.#chunks[0]!;
      const all = first.length >= headBytes ? first : this.#joined();
      const length = all.readUInt32BE(0);
      if (length > limits.nodeFrameBytesMax) {
        this.close();
        return;
      }
      if (this.#bytes < headBytes + length) return;
      const whole = this.#chunks[0]!.length >= headBytes + length ? this.#chunks[0]! : this.#joined();
      this.#chunks = whole.length > headBytes + length ? [whole.subarray(headBytes + length)] : [];
      this.#bytes -= headBytes + length;
      this.#message(whole.subarray(headBytes, headBytes + length));
    }
  }

  /** One chunk of all: a frame may come in many. */
  #joined(): Buffer {
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [all];
    return all;
  }
}
