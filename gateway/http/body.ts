import { type Refusal, RefusalError, refuse } from "#base";
import { Deadline } from "../deadlines.ts";

/** What an adapter can do to the connection a body comes from. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** A body on its way in: bytes are held up to a bound until somebody wants them, whole or piece by piece. */
export class RequestBody {
  readonly #source: BodySource;
  readonly #bytesMax: number;
  readonly #timeoutMs: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #ended = false;
  #paused = false;
  #refusal: Refusal | undefined;
  #mode: "waiting" | "whole" | "pieces" | "unwanted" = "waiting";
  #deadline: Deadline | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource, bounds: { bodyBytesMax: number; bodyTimeoutMs: number }) {
    this.#source = source;
    this.#bytesMax = bounds.bodyBytesMax;
    this.#timeoutMs = bounds.bodyTimeoutMs;
  }

  /** True once nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** `chunk` belongs to this body from here on. */
  push(chunk: Uint8Array, last: boolean): void {
    if (this.#refusal !== undefined || this.#ended) return;
    if (this.#mode === "unwanted") {
      this.#ended = last;
      return;
    }
    if (chunk.byteLength > 0) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.byteLength;
    }
    if (last) this.#ended = true;
    if (this.#mode !== "pieces" && this.#heldBytes > this.#bytesMax) {
      this.fail(tooLarge(this.#bytesMax));
      return;
    }
    if (last || this.#mode === "pieces") this.#notify();
    if (!last && this.#mode !== "whole" && this.#heldBytes >= highWaterBytes) this.#pause();
  }

  /** Ends the wait of whoever reads; the first reason counts. */
  fail(refusal: Refusal): void {
    if (this.#ended && this.#refusal === undefined && this.#mode === "whole") return;
    this.#refusal ??= refusal;
    this.#held = [];
    this.#heldBytes = 0;
    this.#notify();
  }

  async whole(): Promise<Buffer> {
    this.#mode = "whole";
    this.#resume();
    if (this.#heldBytes > this.#bytesMax) this.fail(tooLarge(this.#bytesMax));
    if (!this.#ended && this.#refusal === undefined) await this.#next(() => this.fail(tooSlow));
    if (this.#refusal !== undefined) throw new RefusalError(this.#refusal);
    const [only] = this.#held;
    if (this.#held.length === 1 && only !== undefined) return asBuffer(only);
    return Buffer.concat(this.#held);
  }

  /** `patient`: the sender may be silent for as long as it likes, as in a conversation. */
  async *pieces(patient: boolean): AsyncGenerator<Uint8Array> {
    this.#mode = "pieces";
    try {
      for (;;) {
        const held = this.#held;
        this.#held = [];
        this.#heldBytes = 0;
        for (const piece of held) yield piece;
        if (this.#refusal !== undefined) throw new RefusalError(this.#refusal);
        if (this.#held.length > 0) continue;
        if (this.#ended) return;
        this.#resume();
        await this.#next(() => this.fail(tooSlow), patient);
      }
    } finally {
      // A reader that had enough still lets the sender finish: one that waits for room never looks at our answer.
      this.#mode = "unwanted";
      this.#held = [];
      this.#resume();
    }
  }

  #next(onTimeout: () => void, patient = false): Promise<void> {
    if (!patient) this.#deadline = new Deadline(Date.now() + this.#timeoutMs, onTimeout);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    this.#deadline?.clear();
    this.#wake?.();
    this.#wake = undefined;
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

/** Held for a reader that is not there yet or is slower than the sender. */
const highWaterBytes = 64 * 1_024;

const tooSlow = refuse("REQUEST_TIMEOUT", "the body did not arrive in time");
export const cutOff = refuse("CANCELLED", "the client went away");

export function tooLarge(bytesMax: number): Refusal {
  return refuse("PAYLOAD_TOO_LARGE", `at most ${bytesMax} bytes of body are taken`);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
