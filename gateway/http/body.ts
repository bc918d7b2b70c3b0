import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import { Timeout } from "../calls/deadlines.ts";
import { type HeldBytes, noRequestMemory, type ThreadBounds } from "./bounds.ts";
import { GrowingBuffer, isCrumbled } from "./growing-buffer.ts";

/** What an adapter can do to the connection a body comes from. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** More of the body is waited for: a server that closes silent connections of its own accord does not close this one. */
  keep?(): void;
}

export interface BodyOptions {
  readonly bodyBytesMax: number;
  /** A collected body must be complete within this, a streamed one must bring something within this. */
  readonly bodyTimeoutMs: number;
  readonly bounds: Pick<ThreadBounds, "requests">;
}

/** A body on its way in: bytes are held up to a bound until they are read, whole or piece by piece. */
export class RequestBody {
  readonly #source: BodySource;
  #bytesMax: number;
  readonly #timeoutMs: number;
  readonly #memory: HeldBytes;
  /** Made when something has to be held: nearly no body has. */
  #held: GrowingBuffer | undefined;
  /** Of the whole body: a reader takes pieces of a stream away before they are many. */
  #pieces = 0;
  #bytes = 0;
  #ended = false;
  #paused = false;
  #refusal: Refusal | undefined;
  #mode: "waiting" | "whole" | "read" | "pieces" | "unwanted" = "waiting";
  #deadline: Timeout | undefined;
  /** Found while the sender still writes: told when it has finished, or has had a moment to, or it never reads the answer. */
  #late: Refusal | undefined;
  #wake: (() => void) | undefined;
  #received: ((body: Buffer | Refusal) => void) | undefined;

  constructor(source: BodySource, options: BodyOptions) {
    this.#source = source;
    this.#memory = options.bounds.requests;
    this.#bytesMax = options.bodyBytesMax;
    this.#timeoutMs = options.bodyTimeoutMs;
  }

  /** True once nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The bytes are the sender's again when this returns; nearly every body is one piece that a reader waits for. */
  lend(bytes: ArrayBuffer, last: boolean): void {
    if (
      last &&
      this.#mode === "whole" &&
      this.#received !== undefined &&
      this.#heldBytes === 0 &&
      bytes.byteLength <= this.#bytesMax
    )
      this.#finish(Buffer.from(bytes));
    else this.push(this.#heldBytes === 0 ? Buffer.from(new Uint8Array(bytes)) : new Uint8Array(bytes), last);
  }

  /** `chunk` belongs to this body from here on; behind others it is copied. */
  push(chunk: Uint8Array, last: boolean): void {
    if (this.#refusal !== undefined || this.#ended) return;
    if (this.#mode === "unwanted") {
      this.#ended = last;
      if (last) this.#notify();
      return;
    }
    if (last) this.#ended = true;
    if (this.#mode !== "pieces" && this.#heldBytes + chunk.byteLength > this.#bytesMax) {
      this.#failLate(tooLarge(this.#bytesMax));
      return;
    }
    if (chunk.byteLength > 0 && !this.#hold(chunk)) {
      this.fail(noRequestMemory);
      return;
    }
    this.#pieces++;
    this.#bytes += chunk.byteLength;
    // Messages of a stream may be small, and each has five bytes at least before it.
    const pieceBytesMin = this.#mode === "whole" ? limits.pieceBytesMin : streamPieceBytesMin;
    if (isCrumbled({ pieces: this.#pieces, bytes: this.#bytes, pieceBytesMin })) {
      this.fail(crumbled);
      return;
    }
    if (last || this.#mode === "pieces") this.#notify();
    if (!last && this.#mode !== "whole" && this.#heldBytes >= highWaterBytes) this.#pause();
  }

  /** Ends the wait of the reader; the first reason counts. */
  fail(refusal: Refusal): void {
    if (this.#mode === "read") return;
    this.#refusal ??= refusal;
    this.#held?.clear();
    this.#notify();
  }

  #failLate(refusal: Refusal): void {
    if (this.#ended || this.#mode !== "whole") {
      this.fail(refusal);
      return;
    }
    this.#late = refusal;
    this.#mode = "unwanted";
    this.#held?.clear();
    this.#deadline?.clear();
    this.#deadline = new Timeout(limits.lingerMs, () => this.#notify());
  }

  /** All of it, or why there is none; at once where that is known. */
  readBody(received: (body: Buffer | Refusal) => void, bytesMax = this.#bytesMax): void {
    this.#mode = "whole";
    this.#bytesMax = bytesMax;
    this.#received = received;
    this.#resume();
    if (this.#ended || this.#refusal !== undefined) this.#notify();
    else this.#wait(this.#timeoutMs);
  }

  /** None of it: `done` when the sender has sent all, or has had a moment to. One that is cut off may never read its answer. */
  discard(done: () => void): void {
    this.#mode = "unwanted";
    this.#held?.clear();
    this.#received = done;
    this.#wake?.();
    this.#resume();
    if (this.#ended || this.#refusal !== undefined) this.#notify();
    else this.#deadline = new Timeout(limits.lingerMs, () => this.#notify());
  }

  /** `patient`: the sender may be silent for as long as it likes, as in a conversation. */
  async *pieces(patient: boolean): AsyncGenerator<Uint8Array> {
    this.#mode = "pieces";
    try {
      for (;;) {
        if (this.#heldBytes > 0) yield this.#takeHeld();
        if (this.#refusal !== undefined) throw new RefusalError(this.#refusal);
        if (this.#heldBytes > 0) continue;
        if (this.#ended || this.#mode !== "pieces") return;
        this.#resume();
        await this.#next(patient);
      }
    } finally {
      // A reader that had enough still lets the sender finish: one that waits for room never looks at our answer.
      this.#mode = "unwanted";
      this.#held?.clear();
      this.#resume();
    }
  }

  get #heldBytes(): number {
    return this.#held === undefined ? 0 : this.#held.length;
  }

  #hold(chunk: Uint8Array): boolean {
    this.#held ??= new GrowingBuffer(this.#memory);
    return this.#held.add(chunk);
  }

  #takeHeld(): Buffer {
    return this.#held === undefined ? nothing : this.#held.take();
  }

  #next(patient: boolean): Promise<void> {
    this.#wait(patient ? Number.POSITIVE_INFINITY : this.#timeoutMs);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wait(leftMs: number): void {
    const stepMs = Math.min(leftMs, limits.bodyKeepMs);
    this.#deadline = new Timeout(stepMs, () => {
      if (stepMs === leftMs) {
        this.fail(tooSlow);
        return;
      }
      this.#source.keep?.();
      this.#wait(leftMs - stepMs);
    });
  }

  #notify(): void {
    if (this.#received !== undefined) {
      this.#finish(this.#refusal ?? this.#late ?? this.#takeHeld());
      return;
    }
    this.#deadline?.clear();
    this.#wake?.();
    this.#wake = undefined;
  }

  #finish(body: Buffer | Refusal): void {
    const received = this.#received;
    this.#received = undefined;
    this.#deadline?.clear();
    if (!isRefusal(body) && this.#mode !== "unwanted") {
      this.#mode = "read";
      this.#ended = true;
    }
    received?.(body);
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#source.resume();
  }
}

const nothing = Buffer.alloc(0);

/** Held for a reader that is not there yet or is slower than the sender. */
const highWaterBytes = 64 * 1_024;

const tooSlow = refuse("REQUEST_TIMEOUT", "the body did not arrive in time");
const streamPieceBytesMin = 4;

/** Told to clients that send a body or message in crumbs. */
export const crumbled = refuse(
  "INVALID_ARGUMENT",
  `the body came in more than ${limits.piecesMax} pieces of less than ${limits.pieceBytesMin} bytes: send larger ones`,
);
export const cutOff = refuse("CANCELLED", "the client went away");

export function tooLarge(bytesMax: number): Refusal {
  return refuse("PAYLOAD_TOO_LARGE", `at most ${bytesMax} bytes of body are taken`);
}

/** For those who wait, and may keep the bytes. */
export function bodyOf(request: {
  readBody(received: (body: Buffer | Refusal) => void): void;
}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request.readBody((body) => {
      if (isRefusal(body)) reject(new RefusalError(body));
      else resolve(Buffer.from(body));
    });
  });
}
