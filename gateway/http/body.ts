import { isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import { Timeout } from "../calls/deadlines.ts";
import type { HttpRequest } from "./server.ts";

/** What an adapter can do to the connection a body comes from. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** More of the body is waited for: a server that closes silent connections of its own accord does not close this one. */
  keep?(): void;
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
  #mode: "waiting" | "whole" | "taken" | "pieces" | "unwanted" = "waiting";
  #deadline: Timeout | undefined;
  #wake: (() => void) | undefined;
  #taken: ((body: Buffer | Refusal) => void) | undefined;

  constructor(source: BodySource, bounds: { bodyBytesMax: number; bodyTimeoutMs: number }) {
    this.#source = source;
    this.#bytesMax = bounds.bodyBytesMax;
    this.#timeoutMs = bounds.bodyTimeoutMs;
  }

  /** True once nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The bytes are the sender's again when this returns; nearly every body is one piece that somebody waits for. */
  lend(bytes: ArrayBuffer, last: boolean): void {
    if (last && this.#taken !== undefined && this.#held.length === 0 && bytes.byteLength <= this.#bytesMax)
      this.#finish(Buffer.from(bytes));
    else this.push(Buffer.from(new Uint8Array(bytes)), last);
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
    if (this.#mode === "taken") return;
    this.#refusal ??= refusal;
    this.#held = [];
    this.#heldBytes = 0;
    this.#notify();
  }

  /** All of it, or why there is none; at once where that is known. */
  take(taken: (body: Buffer | Refusal) => void): void {
    this.#mode = "whole";
    this.#taken = taken;
    this.#resume();
    if (this.#heldBytes > this.#bytesMax) this.fail(tooLarge(this.#bytesMax));
    else if (this.#ended || this.#refusal !== undefined) this.#notify();
    else this.#wait(this.#timeoutMs);
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
        await this.#next(patient);
      }
    } finally {
      // A reader that had enough still lets the sender finish: one that waits for room never looks at our answer.
      this.#mode = "unwanted";
      this.#held = [];
      this.#resume();
    }
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
    if (this.#taken !== undefined) {
      this.#finish(this.#refusal ?? joined(this.#held));
      return;
    }
    this.#deadline?.clear();
    this.#wake?.();
    this.#wake = undefined;
  }

  #finish(body: Buffer | Refusal): void {
    const taken = this.#taken;
    this.#taken = undefined;
    this.#deadline?.clear();
    this.#held = [];
    if (!isRefusal(body)) {
      this.#mode = "taken";
      this.#ended = true;
    }
    taken?.(body);
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

/** For those who wait, and may keep the bytes. */
export function bodyOf(request: Pick<HttpRequest, "take">): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request.take((body) => {
      if (isRefusal(body)) reject(new RefusalError(body));
      else resolve(Buffer.from(body));
    });
  });
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  if (pieces.length !== 1 || only === undefined) return Buffer.concat(pieces);
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
