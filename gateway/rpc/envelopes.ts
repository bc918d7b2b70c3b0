import { RefusalError } from "#base";
import { crumbled } from "../http/body.ts";
import { type HeldBytes, noRequestMemory } from "../http/bounds.ts";
import { GrowingBuffer } from "../http/growing-buffer.ts";

/**
 * Joins the pieces of a body to whole envelopes (flags, length, message: Connect streams, gRPC, gRPC-Web) before a library
 * sees them. connect-es adds up all pieces of a message for each of them, and grpc-js keeps a list of them: a message in
 * pieces of one byte would hold up the thread, or take a hundred times its size.
 */
export class Envelopes {
  readonly #messageBytesMax: number;
  readonly #begun: GrowingBuffer;
  /** The library refuses what comes, in its own words. */
  #isPassed = false;

  constructor(messageBytesMax: number, memory: HeldBytes) {
    this.#messageBytesMax = messageBytesMax;
    this.#begun = new GrowingBuffer(memory);
  }

  /** The envelopes that `piece` completes. Throws RefusalError where there is no memory for the next, or it comes in crumbs. */
  *add(piece: Uint8Array): Generator<Buffer> {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    while (this.#begun.length > 0 && rest.byteLength > 0 && !this.#isPassed) {
      const missing = this.#missing();
      this.#hold(rest.subarray(0, missing));
      rest = rest.subarray(missing);
      if (this.#missing() === 0) yield this.#begun.take();
    }
    if (this.#isPassed) {
      if (this.#begun.length > 0) yield this.#begun.take();
      if (rest.byteLength > 0) yield rest;
      return;
    }
    const complete = this.#completeIn(rest);
    if (complete > 0) yield rest.subarray(0, complete);
    if (complete < rest.byteLength) this.#hold(rest.subarray(complete));
  }

  /** Whether an envelope has begun and is not complete. */
  get isHolding(): boolean {
    return this.#begun.length > 0;
  }

  /** What is left of an envelope that nothing completes. */
  end(): Buffer {
    return this.#begun.take();
  }

  /** How many bytes of `bytes` are whole envelopes, or what the library will refuse. */
  #completeIn(bytes: Buffer): number {
    let end = 0;
    while (end + headBytes <= bytes.byteLength) {
      const next = end + headBytes + this.#lengthAt(bytes, end);
      if (this.#isPassed) return bytes.byteLength;
      if (next > bytes.byteLength) break;
      end = next;
    }
    return end;
  }

  /** What the envelope that has begun still needs: its head first. */
  #missing(): number {
    const { length } = this.#begun;
    if (length < headBytes) return headBytes - length;
    return headBytes + this.#lengthAt(this.#begun.peek(headBytes), 0) - length;
  }

  #lengthAt(bytes: Buffer, offset: number): number {
    const length = bytes.readUInt32BE(offset + 1);
    this.#isPassed = length > this.#messageBytesMax;
    return length;
  }

  #hold(piece: Buffer): void {
    if (!this.#begun.add(piece)) throw new RefusalError(noRequestMemory);
    if (!this.#begun.isCrumbled) return;
    this.#begun.clear();
    throw new RefusalError(crumbled);
  }
}

/** Flags and length. */
const headBytes = 5;
